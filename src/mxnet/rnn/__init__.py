"""Recurrent cells for symbols, before gluon: `mx.rnn`."""

from . import io, rnn, rnn_cell
from .io import *  # noqa: F403
from .rnn import *  # noqa: F403
from .rnn_cell import *  # noqa: F403
