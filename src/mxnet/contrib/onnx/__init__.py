"""Networks to ONNX files and back."""

from regluon.convert.onnx import export_model as export_model
from regluon.convert.onnx import get_model_metadata as get_model_metadata
from regluon.convert.onnx import get_operator_support as get_operator_support
from regluon.convert.onnx import import_model as import_model

from . import onnx2mx
from .onnx2mx.import_to_gluon import import_to_gluon as import_to_gluon

# MXNet's names for the same functions without its notes on deprecation.
export_model_ = export_model
get_model_metadata_ = get_model_metadata
import_model_ = import_model
import_to_gluon_ = import_to_gluon
