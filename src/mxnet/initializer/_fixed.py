"""Initializers that draw no numbers."""

from typing import Any

import numpy as np

from ..ndarray import NDArray
from ._base import Initializer, alias, as_plain, register


@register
@alias("zeros")
class Zero(Initializer):
    """Weights of 0."""

    __module__ = "mxnet.initializer"

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 0


@register
@alias("ones")
class One(Initializer):
    """Weights of 1."""

    __module__ = "mxnet.initializer"

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """Weights of a given value.

    Args:
        value: a number, or an array (NDArray, NumPy, list) that fits the weight.
    """

    __module__ = "mxnet.initializer"

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = self.value

    def dumps(self) -> str:
        """JSON text with the value as number or nested lists; the keyword arguments hold them from then on."""
        value = as_plain(self._kwargs["value"])
        if isinstance(value, (np.ndarray, np.generic)):
            self._kwargs["value"] = value.tolist()
        return super().dumps()


@register
class Bilinear(Initializer):
    """Weights with which a transposed convolution interpolates."""

    __module__ = "mxnet.initializer"

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        self._init_bilinear(name, arr)


@register
class LSTMBias(Initializer):
    """Biases of 0, but for the forget gate of an LSTM cell.

    Args:
        forget_bias: of the forget gate.
    """

    __module__ = "mxnet.initializer"

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0
        # The gates lie one after the other: input, forget, cell, output.
        num_hidden = arr.shape[0] // 4
        arr[num_hidden : 2 * num_hidden] = self.forget_bias
