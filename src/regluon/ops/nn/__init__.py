"""Layers of neural networks."""

from . import (
    activation,
    attention,
    convolution,
    ctc,
    deformable,
    dense,
    normalization,
    output,
    pooling,
    rnn,
    softmax,
    sync_batch_norm,
    upsampling,
)
