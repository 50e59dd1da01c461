"""Interfaces beside the main ones: contributed operators under their older paths, and ONNX."""

from . import ndarray, onnx, symbol
from . import ndarray as nd
from . import symbol as sym
