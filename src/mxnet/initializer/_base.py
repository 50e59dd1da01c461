"""The base of all initializers, and how they are found by name."""

import json
import logging
import math
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import mxnet.ndarray as nd
import mxnet.random as random
import mxnet.registry as registry

from ..base import any_parameters
from ..error import OpParamError, OpShapeError, OpTypeError
from ..ndarray import NDArray

# Ends of names, and the methods that fill arrays of such names. The first that fits decides.
_METHODS = {
    "weight": "_init_weight",
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "min": "_init_zero",
    "max": "_init_one",
    "weight_quantize": "_init_quantized_weight",
    "bias_quantize": "_init_quantized_bias",
}
# The same for arrays that are described by nothing but a name, as in MXNet's first versions.
_OLD_METHODS = {
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "weight": "_init_weight",
    "moving_mean": "_init_zero",
    "moving_var": "_init_one",
    "moving_inv_var": "_init_zero",
    "moving_avg": "_init_zero",
    "min": "_init_zero",
    "max": "_init_one",
}


class InitDesc(str):
    """The name of a parameter, with what else decides about its first values.

    Args:
        name: of the parameter.
        attrs: attributes of its variable; `__init__` names an initializer that goes before all others.
        global_init: the initializer of the whole network.
    """

    __module__ = "mxnet.initializer"

    attrs: dict[str, Any]
    global_init: Any

    def __new__(cls, name: str, attrs: dict[str, Any] | None = None, global_init: Any = None) -> "InitDesc":
        """A str with two attributes more."""
        desc = super().__new__(cls, name)
        desc.attrs = attrs or {}
        desc.global_init = global_init
        return desc


class Initializer:
    """Fills arrays with first values; the base of all initializers.

    Args:
        **kwargs: the arguments of the subclass, which `dumps` writes down.
    """

    __module__ = "mxnet.initializer"

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[NDArray], Any] | None = None

    def set_verbosity(self, verbose: bool = False, print_func: Callable[[NDArray], Any] | None = None) -> "Initializer":
        """Whether each array that was filled is logged, and how; returns the initializer.

        Args:
            verbose: whether to log.
            print_func: makes the text about an array; its root mean square by default.
        """
        self._verbose = verbose
        self._print_func = print_func or _root_mean_square
        return self

    def _verbose_print(self, desc: str, init: Any, arr: NDArray) -> None:
        if self._verbose and self._print_func:
            logging.info("Initialized %s as %s: %s", desc, init, self._print_func(arr))

    def dumps(self) -> str:
        """JSON text that `mx.init.create` makes the same initializer from."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Fills an array as its description asks."""
        if not isinstance(desc, InitDesc):
            self._legacy_init(desc, arr)
            return
        if desc.global_init is None:
            desc.global_init = self
        own = desc.attrs.get("__init__", "")
        if own:
            create(own)._init_weight(desc, arr)
            self._verbose_print(desc, own, arr)
            return
        for ending, method in _METHODS.items():
            if desc.endswith(ending):
                getattr(self, method)(desc, arr)
                self._verbose_print(desc, ending, arr)
                return
        self._init_default(desc, arr)

    def _legacy_init(self, name: str, arr: NDArray) -> None:
        """Fills an array that only has a name."""
        warnings.warn(
            "[init] called with a plain name, which will end; call it with mx.init.InitDesc(name).",
            DeprecationWarning,
            stacklevel=3,
        )
        if not isinstance(name, str):
            raise OpTypeError(f"[init] name: received {name!r}; expected a str.")
        if not isinstance(arr, NDArray):
            raise OpTypeError(f"[init] {name}: received {type(arr).__name__}; expected an NDArray.")
        if name.startswith("upsampling"):
            self._init_bilinear(name, arr)
        elif name.startswith("stn_loc") and name.endswith("weight"):
            self._init_zero(name, arr)
        elif name.startswith("stn_loc") and name.endswith("bias"):
            self._init_loc_bias(name, arr)
        else:
            fitting = (method for ending, method in _OLD_METHODS.items() if name.endswith(ending))
            getattr(self, next(fitting, "_init_default"))(name, arr)

    # What subclasses override. The first argument is an InitDesc or, from old programs, a str.

    @any_parameters
    def _init_weight(self, name: str, arr: NDArray) -> None:
        raise NotImplementedError(
            f"[{type(self).__name__}] {name}: there is no _init_weight(self, name, arr); write one, or take an "
            "initializer that has it, for example mx.init.Xavier()."
        )

    @any_parameters
    def _init_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    @any_parameters
    def _init_gamma(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    @any_parameters
    def _init_beta(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    @any_parameters
    def _init_zero(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    @any_parameters
    def _init_one(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_quantized_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = random.randint(-127, 127, shape=arr.shape, dtype="int32", ctx=arr.context).astype(arr.dtype)

    def _init_quantized_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0

    @any_parameters
    def _init_bilinear(self, name: str, arr: NDArray) -> None:
        """Weights of an upsampling convolution: the product of a tent along either of the last two axes."""
        if arr.ndim != 4:
            raise OpShapeError(f"[Bilinear] {name}: received shape {arr.shape}; expected 4 axes, as of a convolution.")
        half = math.ceil(arr.shape[3] / 2)
        center = (2 * half - 1 - half % 2) / (2 * half)
        rows, columns = (1 - np.abs(np.arange(length) / half - center) for length in arr.shape[2:])
        arr[:] = np.outer(rows, columns)

    @any_parameters
    def _init_loc_bias(self, name: str, arr: NDArray) -> None:
        """The identity, as the first transformation of a spatial transformer."""
        if arr.shape[0] != 6:
            raise OpShapeError(f"[init] {name}: received shape {arr.shape}; expected (6,), an affine transformation.")
        arr[:] = np.array([1.0, 0, 0, 0, 1.0, 0])

    @any_parameters
    def _init_default(self, name: str, _: NDArray) -> None:
        raise OpParamError(
            f"[{type(self).__name__}] {name}: received a name that tells nothing; expected one that ends in weight, "
            "bias, gamma or beta. Say how to fill it: mx.sym.Variable(name, init=...), or init= of the parameter."
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Initializer):
            return NotImplemented
        return type(self) is type(other) and _are_same(self._kwargs, other._kwargs)

    __hash__ = None  # type: ignore[assignment] # as in MXNet: equal ones may change


def _root_mean_square(arr: NDArray) -> str:
    return str((nd.norm(arr) / math.sqrt(arr.size)).asscalar())


def _are_same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return first.keys() == second.keys() and all(
        np.array_equal(as_plain(value), as_plain(second[key])) for key, value in first.items()
    )


def as_plain(value: Any) -> Any:
    """An NDArray as NumPy array; anything else as it is."""
    return value.asnumpy() if isinstance(value, NDArray) else value


_register = registry.get_register_func(Initializer, "initializer")
alias = registry.get_alias_func(Initializer, "initializer")
create = registry.get_create_func(Initializer, "initializer")


Kind = TypeVar("Kind", bound=type[Initializer])


def register(klass: Kind) -> Kind:
    """Enters an initializer of your own, so that it can be given by its name in lower case."""
    return _register(klass)
