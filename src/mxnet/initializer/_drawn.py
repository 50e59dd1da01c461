"""Initializers that draw random numbers."""

import math

import numpy as np

import mxnet.random as random
from regluon.suggestions import did_you_mean

from ..error import OpParamError, OpShapeError
from ..ndarray import NDArray
from ._base import Initializer, register


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
