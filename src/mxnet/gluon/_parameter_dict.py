"""Define ParameterDict and Constant."""

import os
import warnings
from collections import OrderedDict
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

import numpy as np

from regluon.arguments import did_you_mean, nearest
from regluon.array.array_kind import in_force
from regluon.dtypes import dtype_name

from ..context import Context
from ..initializer import Initializer, Uniform, create
from ..ndarray import NDArray, array, load, save
from ._parameter_base import Parameter
from ._parameter_support import ParameterError, UnknownParameterError, context_list, fits, load_problem, made_now

__all__ = ["Constant", "ParameterDict"]


class _Values(Initializer):
    """Writes given values."""

    def __init__(self, value: NDArray) -> None:
        super().__init__()
        self._value = value

    def _init_weight(self, _: str, arr: NDArray) -> None:
        self._value.copyto(arr)


class Constant(Parameter):
    """A parameter that training leaves alone.

    Args:
        name: its full name.
        value: its values, as an array or nested lists.
    """

    __module__ = "mxnet.gluon.parameter"

    def __init__(self, name: str, value: Any) -> None:
        if not isinstance(value, NDArray):
            with made_now():
                value = in_force(array(value))
        self.value = value
        super().__init__(name, grad_req="null", shape=value.shape, dtype=value.dtype, init=_Values(value))

    @property
    def grad_req(self) -> str:
        """Always 'null'."""
        return "null"

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req != "null":
            warnings.warn(
                f'Constant parameter "{self.name}" does not support grad_req other than "null", and new value "{req}" '
                "is ignored.",
                stacklevel=2,
            )
        self._grad_req = "null"


class ParameterDict:
    """Parameters in order, under a common prefix.

    Args:
        prefix: what `get` puts before the names of new parameters.
        shared: another dict in which `get` looks first.
    """

    __module__ = "mxnet.gluon.parameter"  # the public path, which printed types and pickles show

    def __init__(self, prefix: str = "", shared: "ParameterDict | None" = None) -> None:
        self._prefix = prefix
        self._params: OrderedDict[str, Parameter] = OrderedDict()
        self._shared = shared
        self._owner = ""

    def __repr__(self) -> str:
        name = f"{self._prefix} " if self._prefix else ""
        body = "\n".join(f"  {parameter!r}" for parameter in self.values())
        return f"{name}(\n{body}\n)"

    def __getitem__(self, key: str) -> Parameter:
        try:
            return self._params[key]
        except KeyError:
            meant = did_you_mean(key, self._params, 3)
            text = f"[ParameterDict {self._prefix}] there is no parameter {key!r} among {len(self)}.{meant}"
            raise UnknownParameterError(text) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def __contains__(self, key: object) -> bool:
        return key in self._params

    def items(self) -> ItemsView[str, Parameter]:
        """Names and parameters."""
        return self._params.items()

    def keys(self) -> KeysView[str]:
        """Full names."""
        return self._params.keys()

    def values(self) -> ValuesView[Parameter]:
        """Parameters."""
        return self._params.values()

    @property
    def prefix(self) -> str:
        """What stands before the names of parameters made by `get`."""
        return self._prefix

    def _find(self, name: str) -> Parameter | None:
        if name in self._params:
            return self._params[name]
        if self._shared is not None and name in self._shared._params:
            self._params[name] = self._shared._params[name]
            return self._params[name]
        return None

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """The parameter `prefix + name`, made with the given attributes if it does not exist.

        Raises:
            ParameterError: it exists with other attributes.
        """
        full = self._prefix + name
        found = self._find(full)
        if found is None:
            found = Parameter(full, **kwargs)
            found._owner = self._owner
            self._params[full] = found
            return found
        for key, value in kwargs.items():
            self._reconcile(found, key, value)
        return found

    @staticmethod
    def _reconcile(found: Parameter, key: str, value: Any) -> None:
        stored = getattr(found, key, None)
        if stored is None:
            setattr(found, key, value)
            return
        if value is None:
            return
        if key == "shape":
            wanted = (value,) if isinstance(value, int) else tuple(value)
            merged = tuple(b if a in (0, -1) else a for a, b in zip(stored, wanted, strict=False))
            if fits(stored, merged) and fits(wanted, merged):
                found._shape = merged
                return
        is_equal = dtype_name(value) == dtype_name(stored) if key == "dtype" else value == stored
        if not is_equal:
            raise ParameterError(
                f"[Parameter {found.name}] exists with {key}={stored!r}; it was asked for with {key}={value!r}. "
                "Parameters that layers share must agree."
            )

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """The constant `prefix + name`, made with the given value if it does not exist."""
        full = self._prefix + name
        found = self._find(full)
        if found is None:
            if value is None:
                raise KeyError(f"[{full}] there is no such constant; give its value to make it.")
            found = Constant(full, value)
            found._owner = self._owner
            self._params[full] = found
            return found
        if not isinstance(found, Constant):
            raise ParameterError(f"[Parameter {full}] exists and is no constant.")
        if value is not None:
            given = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
            if given.shape != found.value.shape or not np.array_equal(given, found.value.asnumpy()):
                raise ParameterError(f"[Constant {full}] exists with another value.")
        return found

    def update(self, other: "ParameterDict | Mapping[str, Parameter]") -> None:
        """Takes in the parameters of another dict; the same name must mean the same parameter."""
        for name, parameter in other.items():
            if name in self._params and self._params[name] is not parameter:
                raise ParameterError(f"[ParameterDict] two different parameters are called {name!r}; rename one block.")
        self._params.update(other.items())

    def initialize(self, init: Any = None, ctx: Any = None, verbose: bool = False, force_reinit: bool = False) -> None:
        """Initializes all parameters; `init` serves those without an initializer of their own."""
        init = Uniform() if init is None else create(init)
        if verbose:
            init.set_verbosity(verbose=verbose)
        for parameter in self.values():
            parameter.initialize(None, ctx, init, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Sets all gradients to zero."""
        for parameter in self.values():
            parameter.zero_grad()

    def reset_ctx(self, ctx: Any) -> None:
        """Moves all parameters to other contexts."""
        for parameter in self.values():
            parameter.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        """All contexts that parameters are on."""
        return list(dict.fromkeys(context for parameter in self.values() for context in parameter.list_ctx()))

    def setattr(self, name: str, value: Any) -> None:
        """Sets an attribute, such as `grad_req` or `lr_mult`, on all parameters."""
        for parameter in self.values():
            setattr(parameter, name, value)

    def save(self, filename: str | os.PathLike[str], strip_prefix: str = "") -> None:
        """Saves all parameters under their names, less a prefix they share."""
        for name in self._params:
            if not name.startswith(strip_prefix):
                raise ParameterError(
                    f"[ParameterDict.save] the prefix {strip_prefix!r} cannot be taken off {name!r}. The block shares "
                    "parameters with others, or its layers were made outside of `with self.name_scope():`."
                )
        save(filename, {name[len(strip_prefix) :]: parameter._reduce() for name, parameter in self.items()})

    def load(
        self,
        filename: str | os.PathLike[str],
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Loads parameters by their names; `restore_prefix` is put before those in the file."""
        loaded = load(filename)
        if not isinstance(loaded, dict):
            raise ParameterError(f"[ParameterDict.load] {os.fspath(filename)} holds a list; expected names and arrays.")
        self.load_dict(
            loaded, ctx, allow_missing, ignore_extra, restore_prefix, os.fspath(filename), cast_dtype, dtype_source
        )

    def load_dict(
        self,
        param_dict: Mapping[str, NDArray],
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        filename: str | None = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Takes the values of a dict of arrays, as `load` does those of a file."""
        given = {restore_prefix + plain_name(name): value for name, value in param_dict.items()}
        assign(
            dict(self.items()),
            given,
            source=filename or "the dict",
            ctx=ctx,
            allow_missing=allow_missing,
            ignore_extra=ignore_extra,
            cast_dtype=cast_dtype,
            dtype_source=dtype_source,
        )


def plain_name(name: str) -> str:
    """The name without the mark that checkpoints of symbols put before it."""
    return name[4:] if name.startswith(("arg:", "aux:")) else name


def assign(
    wanted: Mapping[str, Parameter],
    given: Mapping[str, NDArray],
    *,
    source: str,
    ctx: Any,
    allow_missing: bool,
    ignore_extra: bool,
    cast_dtype: bool,
    dtype_source: str,
) -> None:
    """Loads arrays into parameters of the same names, or says everything that does not fit at once.

    Nothing is changed unless all fits.
    """
    problems = []
    missing = [] if allow_missing else [name for name in wanted if name not in given]
    extra = [] if ignore_extra else [name for name in given if name not in wanted]
    problems += [f"missing in the file: {_with_nearest(name, given)}" for name in missing]
    problems += [f"not in the network: {_with_nearest(name, wanted)}" for name in extra]
    contexts = None if ctx is None else context_list(ctx)
    for name, parameter in wanted.items():
        problem = load_problem(parameter, given[name], contexts, cast_dtype) if name in given else ""
        if problem:
            problems.append(f"{name} {problem}")
    if problems:
        shown = problems[:20] + ([f"... and {len(problems) - 20} more"] if len(problems) > 20 else [])
        hints = ([] if not missing else ["allow_missing=True"]) + ([] if not extra else ["ignore_extra=True"])
        advice = f"\nPass {' and '.join(hints)} to load the rest." if hints else ""
        raise ParameterError(
            f"[load] {source} does not fit the network ({len(problems)} difference{'s' * (len(problems) > 1)}):\n  "
            + "\n  ".join(shown)
            + advice
        )
    for name, parameter in wanted.items():
        if name in given:
            parameter._load_init(given[name], ctx, cast_dtype=cast_dtype, dtype_source=dtype_source)


def _with_nearest(name: str, others: Mapping[str, Any]) -> str:
    near = nearest(name, others, cutoff=0.5)
    return f"{name} (nearest there: {near[0]})" if near else name
