"""MXNet's module of all recurrent cells; they are defined in the files beside it."""

from .base_cell import BaseRNNCell, RNNParams
from .base_cell import normalize_sequence as _normalize_sequence  # noqa: F401
from .basic_cells import GRUCell, LSTMCell, RNNCell
from .conv_cells import BaseConvRNNCell, ConvGRUCell, ConvLSTMCell, ConvRNNCell
from .dropout_cell import DropoutCell
from .fused_cell import FusedRNNCell
from .joined_cells import BidirectionalCell, SequentialRNNCell
from .modifier_cells import ModifierCell, ResidualCell, ZoneoutCell

__all__ = [
    "BaseConvRNNCell",
    "BaseRNNCell",
    "BidirectionalCell",
    "ConvGRUCell",
    "ConvLSTMCell",
    "ConvRNNCell",
    "DropoutCell",
    "FusedRNNCell",
    "GRUCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RNNParams",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]
