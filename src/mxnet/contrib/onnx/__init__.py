"""Networks to ONNX files."""

from .mx2onnx.export_model import export_model, get_operator_support
