"""Operators on images, on symbols: `mx.sym.npx.image`."""

from regluon.symbol.numpy_extension.image import __dir__ as __dir__
from regluon.symbol.numpy_extension.image import __getattr__ as __getattr__
