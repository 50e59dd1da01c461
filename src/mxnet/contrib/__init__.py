"""Interfaces beside the main ones: operators, mixed precision, 8 bits, ONNX, torch.export, words, SVRG, Horovod."""

from . import (
    amp,
    autograd,
    hvd,
    io,
    ndarray,
    onnx,
    quantization,
    svrg_optimization,
    symbol,
    tensorboard,
    text,
    torch_export,
)
from . import ndarray as nd
from . import quantization as quant
from . import symbol as sym
