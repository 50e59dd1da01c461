"""Layers of neural networks."""

from . import (
    activation,
    attention,
    batch_norm_variants,
    convolution,
    ctc,
    deformable,
    dropout,
    fully_connected,
    normalization,
    output,
    pooling,
    rnn,
    scaling,
    softmax,
    spatial,
    sync_batch_norm,
    upsampling,
)
