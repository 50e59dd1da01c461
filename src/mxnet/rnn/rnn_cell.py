"""MXNet's module of all recurrent cells; they are defined in the files beside it."""

from ._base_cell import BaseRNNCell, RNNParams
from ._base_cell import normalize_sequence as _normalize_sequence  # noqa: F401
from ._cells import BidirectionalCell, DropoutCell, GRUCell, LSTMCell, RNNCell, SequentialRNNCell
from ._conv_cells import BaseConvRNNCell, ConvGRUCell, ConvLSTMCell, ConvRNNCell
from ._fused_cell import FusedRNNCell, ModifierCell, ResidualCell, ZoneoutCell

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
