"""What neural networks need beyond NumPy: what `F.npx` is where F is `mx.nd`."""

from typing import TYPE_CHECKING

from regluon.array.numpy_extension import constraint_check as constraint_check
from regluon.array.numpy_extension import nonzero as nonzero
from regluon.array.numpy_extension import reshape as reshape

from . import image, random

if TYPE_CHECKING:
    from regluon.array.numpy_extension.op import *  # noqa: F403
else:
    from regluon.array.numpy_extension import __dir__ as __dir__
    from regluon.array.numpy_extension import __getattr__ as __getattr__
