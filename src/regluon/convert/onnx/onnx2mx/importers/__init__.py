"""Importers of ONNX operators by family; importing this package fills the table."""

from ..node import IMPORTS as IMPORTS
from . import functions, layers
