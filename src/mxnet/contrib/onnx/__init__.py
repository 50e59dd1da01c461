"""Networks to ONNX files and back."""

from .mx2onnx.export_model import export_model as export_model
from .mx2onnx.export_model import get_operator_support as get_operator_support
from .onnx2mx.import_model import get_model_metadata as get_model_metadata
from .onnx2mx.import_model import import_model as import_model
from .onnx2mx.import_to_gluon import import_to_gluon as import_to_gluon

# MXNet's names for the same functions without its notes on deprecation.
export_model_ = export_model
get_model_metadata_ = get_model_metadata
import_model_ = import_model
import_to_gluon_ = import_to_gluon
