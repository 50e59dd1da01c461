"""All recurrent cells."""

from ._basic_cells import GRUCell, LSTMCell, RNNCell
from ._joined_cells import BidirectionalCell, HybridSequentialRNNCell, SequentialRNNCell
from ._modifier_cells import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell
from ._recurrent_cell import HybridRecurrentCell, RecurrentCell

__all__ = [
    "RecurrentCell",
    "HybridRecurrentCell",
    "RNNCell",
    "LSTMCell",
    "GRUCell",
    "SequentialRNNCell",
    "HybridSequentialRNNCell",
    "DropoutCell",
    "ModifierCell",
    "ZoneoutCell",
    "ResidualCell",
    "BidirectionalCell",
]
