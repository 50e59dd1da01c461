"""Contributed convolutions."""

from .conv_layers import *  # noqa: F403
