"""What neural networks need beyond NumPy, on symbols: what `F.npx` is where F is `mx.sym`."""

from regluon.symbol.numpy_extension import __dir__ as __dir__
from regluon.symbol.numpy_extension import __getattr__ as __getattr__

from . import image, random
