"""Operators that few programs use: of earlier versions, and of contributions."""

from . import extras, graph_sampling, outputs
