"""Interfaces beside the main ones: operators, mixed precision, 8 bits, ONNX, torch.export, words, SVRG, Horovod."""

from regluon.convert import torch_export

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
)
from . import ndarray as nd
from . import quantization as quant
from . import symbol as sym
