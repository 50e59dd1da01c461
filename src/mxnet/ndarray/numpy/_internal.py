"""The operators behind `mx.np` that have no public name of their own: `_npi_*`, without the prefix."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regluon.array.numpy._internal import *  # noqa: F403
else:
    from regluon.array.numpy._internal import __dir__ as __dir__
    from regluon.array.numpy._internal import __getattr__ as __getattr__
