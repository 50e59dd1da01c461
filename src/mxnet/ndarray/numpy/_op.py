"""The operators that are functions of `mx.np` as they stand: `_np_*`, without the prefix."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regluon.array.numpy._op import *  # noqa: F403
else:
    from regluon.array.numpy._op import __dir__ as __dir__
    from regluon.array.numpy._op import __getattr__ as __getattr__
