"""Networks to ONNX files and back."""

from .mx2onnx.export_model import export_model as export_model
from .mx2onnx.export_model import get_operator_support as get_operator_support
from .onnx2mx.import_model import get_model_metadata as get_model_metadata
from .onnx2mx.import_model import import_model as import_model
