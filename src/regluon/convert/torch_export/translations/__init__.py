"""Translations of ATen operators by family; importing this package fills the table."""

from . import activations, arithmetic, images, layers, shapes
