"""Interfaces beside the main ones: ONNX."""

from . import onnx
