"""Interfaces beside the main ones: contributed operators, mixed precision, ONNX, words, data iterators, SVRG."""

from . import amp, autograd, io, ndarray, onnx, svrg_optimization, symbol, tensorboard, text
from . import ndarray as nd
from . import symbol as sym
