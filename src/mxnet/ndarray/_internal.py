"""Operators whose names begin with an underscore: the internal forms that saved graphs contain."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regluon.array._internal import *  # noqa: F403
else:
    from regluon.array._internal import __dir__ as __dir__
    from regluon.array._internal import __getattr__ as __getattr__
