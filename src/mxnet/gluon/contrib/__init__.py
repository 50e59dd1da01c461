"""Contributed layers."""

from . import cnn, nn, rnn
