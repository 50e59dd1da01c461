"""Operators that few programs use: of earlier versions, and of contributions."""

from . import dgl, extras, fourier, hawkes, outputs, sparse_regularization
