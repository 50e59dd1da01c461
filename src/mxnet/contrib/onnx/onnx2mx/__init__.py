"""From ONNX to MXNet."""

from .import_model import get_model_metadata, import_model
from .import_onnx import GraphProto
from .import_to_gluon import import_to_gluon
