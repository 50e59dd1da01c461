"""Contributed layers, checkpoints of whole training runs, and the Estimator."""

from . import cnn, data, estimator, nn, rnn
from ._checkpoint import Checkpoint as Checkpoint
from ._torch_block import TorchBlock as TorchBlock
