"""Interfaces beside the main ones: contributed operators under their older paths, mixed precision, ONNX, words."""

from . import amp, ndarray, onnx, symbol, text
from . import ndarray as nd
from . import symbol as sym
