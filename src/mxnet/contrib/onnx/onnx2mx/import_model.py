"""Reads ONNX files."""

from regluon.convert.onnx.onnx2mx.import_model import UnsupportedOnnx as UnsupportedOnnx
from regluon.convert.onnx.onnx2mx.import_model import get_model_metadata as get_model_metadata
from regluon.convert.onnx.onnx2mx.import_model import import_model as import_model
from regluon.convert.onnx.onnx2mx.import_model import load_onnx as load_onnx
