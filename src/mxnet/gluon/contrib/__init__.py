"""Contributed layers, and checkpoints of whole training runs."""

from . import cnn, data, nn, rnn
from .checkpoint import Checkpoint
