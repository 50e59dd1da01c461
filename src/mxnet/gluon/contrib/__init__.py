"""Contributed layers, checkpoints of whole training runs, and the Estimator."""

from . import cnn, data, estimator, nn, rnn
from ._torch_block import TorchBlock as TorchBlock
from ._training_state import Checkpoint as Checkpoint
