"""From MXNet to ONNX."""

from .export_model import export_model as export_model
from .export_model import get_operator_support as get_operator_support
