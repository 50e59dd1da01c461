"""Initialize with constants and random numbers."""

import math
from typing import Any

import numpy as np

import mxnet.random as random
from regluon.arguments import did_you_mean

from ..error import OpParamError, OpShapeError
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


@register
class Uniform(Initializer):
    """Weights spread evenly over [-scale, scale]."""

    __module__ = "mxnet.initializer"

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, _: str, arr: NDArray) -> None:
        random.uniform(-self.scale, self.scale, arr.shape, out=arr)


@register
class Normal(Initializer):
    """Normally distributed weights with mean 0 and standard deviation `sigma`."""

    __module__ = "mxnet.initializer"

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, _: str, arr: NDArray) -> None:
        random.normal(0, self.sigma, arr.shape, out=arr)


@register
class Orthogonal(Initializer):
    """Weights whose rows, or columns if there are fewer of them, are orthogonal (Saxe et al. 2013).

    Args:
        scale: length of each row or column.
        rand_type: what the matrix is made from, "uniform" or "normal" numbers.
    """

    __module__ = "mxnet.initializer"

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, name: str, arr: NDArray) -> None:
        shape = (arr.shape[0], math.prod(arr.shape[1:]))
        if self.rand_type == "uniform":
            start = random.uniform(-1.0, 1.0, shape=shape)
        elif self.rand_type == "normal":
            start = random.normal(0.0, 1.0, shape=shape)
        else:
            raise OpParamError(
                f"[Orthogonal] {name}: received rand_type={self.rand_type!r}; expected 'uniform' or 'normal'."
            )
        left, _, right = np.linalg.svd(start.asnumpy(), full_matrices=False)
        arr[:] = self.scale * (left if left.shape == shape else right).reshape(arr.shape)


@register
class Xavier(Initializer):
    """Weights scaled so that signals keep their size from layer to layer (Glorot and Bengio 2010).

    The bound of a uniform distribution, or the deviation of a normal one, is sqrt(magnitude / fan).

    Args:
        rnd_type: "uniform" or "gaussian".
        factor_type: which fan counts: "in", "out", or "avg", the mean of both.
        magnitude: scale of the numbers.
    """

    __module__ = "mxnet.initializer"

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        if type(self)._init_weight is Xavier._init_weight:  # a subclass of one's own may know others
            self._check()
        self.magnitude: float = float(magnitude)

    def _check(self) -> None:
        for name, known in (("factor_type", ("avg", "in", "out")), ("rnd_type", ("uniform", "gaussian"))):
            given = getattr(self, name)
            if given not in known:
                raise OpParamError(
                    f"[{type(self).__name__}] received {name}={given!r}; expected {' or '.join(map(repr, known))}."
                    f"{did_you_mean(given, known)}"
                )

    def _init_weight(self, name: str, arr: NDArray) -> None:
        who = f"[{type(self).__name__}] {name}"
        if arr.ndim < 2:
            raise OpShapeError(
                f"{who}: received shape {arr.shape}; expected two axes or more, as fan in and fan out are taken from "
                "them. Take another initializer for vectors, for example mx.init.Uniform()."
            )
        points = math.prod(arr.shape[2:])
        fan_in, fan_out = arr.shape[1] * points, arr.shape[0] * points
        fans = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}
        self._check()  # once more: both are attributes that a program may set
        if not math.prod(arr.shape):  # a sparse array has no size
            return
        scale = math.sqrt(self.magnitude / fans[self.factor_type])
        if self.rnd_type == "uniform":
            random.uniform(-scale, scale, arr.shape, out=arr)
        else:
            random.normal(0, scale, arr.shape, out=arr)


@register
class MSRAPrelu(Xavier):
    """Xavier's weights adapted to ReLU and its kin (He et al. 2015).

    Args:
        factor_type: which fan counts: "in", "out", or "avg".
        slope: of the activation at negative inputs; 0 is ReLU.
    """

    __module__ = "mxnet.initializer"

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}
