"""MXNet's module of all recurrent cells; they are defined in the files beside it."""

from ._base_cell import BaseRNNCell, RNNParams
from ._base_cell import normalize_sequence as _normalize_sequence  # noqa: F401
from ._basic_cells import GRUCell, LSTMCell, RNNCell
from ._conv_cells import BaseConvRNNCell, ConvGRUCell, ConvLSTMCell, ConvRNNCell
from ._dropout_cell import DropoutCell
from ._fused_cell import FusedRNNCell
from ._joined_cells import BidirectionalCell, SequentialRNNCell
from ._modifier_cells import ModifierCell, ResidualCell, ZoneoutCell

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
