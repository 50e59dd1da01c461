"""Interfaces beside the main ones: contributed operators, mixed precision, ONNX, words, iterators, SVRG, Horovod."""

from . import amp, autograd, hvd, io, ndarray, onnx, svrg_optimization, symbol, tensorboard, text
from . import ndarray as nd
from . import symbol as sym
