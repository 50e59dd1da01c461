"""Operators that only compiled programs contain: several of MXNet's computed in one step.

They have a table of their own: neither `mx.nd` nor a symbol file can name them.
"""

from . import attention, convolution, dense, loss, normalization, quantized, recurrent
