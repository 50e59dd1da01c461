"""Sparse arrays to test with."""

from typing import Any

import numpy as np

from mxnet import nd


def example(stype: str, dtype: str = "float32") -> Any:
    return nd.array([[0, 0.5, 0], [0, 0, 0], [0.25, 0, -0.125]], dtype=dtype).tostype(stype)


def drawn(shape: tuple[int, ...], share: float = 0.1, seed: int = 0) -> np.ndarray:
    numbers = np.random.default_rng(seed)
    return (numbers.normal(size=shape) * (numbers.random(shape) < share)).astype("float32")


def graph(size: int = 30, seed: int = 0) -> Any:
    edges = np.random.default_rng(seed).random((size, size)) < 0.3
    ends = edges.nonzero()[1]
    starts = np.concatenate([[0], edges.sum(1).cumsum()])
    return nd.sparse.csr_matrix((np.arange(len(ends)), ends, starts), shape=(size, size))
