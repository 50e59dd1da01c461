"""Recurrent networks: cells, which are applied step by step, and layers, which run whole sequences at once."""

from . import rnn_cell, rnn_layer
from .rnn_cell import *  # noqa: F403
from .rnn_layer import *  # noqa: F403
