"""Contributed layers."""

from . import cnn, data, nn, rnn
