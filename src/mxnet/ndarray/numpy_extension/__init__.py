"""What neural networks need beyond NumPy: what `F.npx` is where F is `mx.nd`."""

from ..numpy.operators import functions

globals().update(functions("_npx_"))
