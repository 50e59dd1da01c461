"""Interfaces beside the main ones: contributed operators, mixed precision, 8 bits, ONNX, words, SVRG, Horovod."""

from . import amp, autograd, hvd, io, ndarray, onnx, quantization, svrg_optimization, symbol, tensorboard, text
from . import ndarray as nd
from . import quantization as quant
from . import symbol as sym
