"""From MXNet to ONNX."""

from .export_model import export_model, get_operator_support
