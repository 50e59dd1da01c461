"""Networks to ONNX files: MXNet's newer place of `mxnet.contrib.onnx`."""

from regluon.convert.onnx.mx2onnx.export_model import export_model, get_operator_support

__all__ = ["export_model", "get_operator_support"]
