"""What neural networks need beyond NumPy: what `F.npx` is where F is `mx.nd`."""

from typing import TYPE_CHECKING, Any

from . import image, op, random
from .functions import constraint_check as constraint_check
from .functions import nonzero as nonzero
from .functions import reshape as reshape

if TYPE_CHECKING:
    from .op import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        return getattr(op, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(op)})
