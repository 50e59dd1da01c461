"""Contributed layers for everyday use."""

from .basic_layers import *  # noqa: F403
