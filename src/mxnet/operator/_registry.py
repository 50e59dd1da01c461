"""Register custom operators and list all operators."""

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np

from regluon.autograd.recording import Scope, state
from regluon.dtypes import FLAG_OF_NAME, NAME_OF_TORCH, TORCH_OF_NAME, numpy_type, torch_dtype
from regluon.ops.custom import CustomDescription, Operation, enter
from regluon.ops.params import Choice, Kind, Maybe
from regluon.ops.registry import REQUIRED, Param, find, names
from regluon.ops.signatures import BackwardStorage, Inferred

from ..base import MXNetError
from ..context import Context
from ..error import OpParamError, OpShapeError, OpTypeError
from ..ndarray import NDArray
from ._custom import CustomOp, CustomOpProp

__all__ = ["Registered", "register", "OperatorArguments", "get_all_registered_operators", "get_operator_arguments"]


Property = TypeVar("Property", bound=type[CustomOpProp])


def register(reg_name: str) -> Callable[[Property], Property]:
    """Registers the decorated `CustomOpProp`, so that `nd.Custom` and `sym.Custom` find it.

    Args:
        reg_name: the name that stands for it in `op_type`; one that was registered before is replaced.
    """

    def decorate(prop_cls: Property) -> Property:
        if not isinstance(prop_cls, type) or not issubclass(prop_cls, CustomOpProp):
            raise TypeError(
                f"[operator.register] {reg_name!r}: received {prop_cls!r}; expected a subclass of "
                "mx.operator.CustomOpProp."
            )
        enter(reg_name, lambda texts: Registered(reg_name, _made(reg_name, prop_cls, texts)))
        return prop_cls

    return decorate


def _made(name: str, prop_cls: type[CustomOpProp], texts: dict[str, str]) -> CustomOpProp:
    try:
        make: Callable[..., CustomOpProp] = prop_cls
        return make(**texts)
    except TypeError as error:  # most often a parameter that is missing or unknown
        given = ", ".join(f"{key}={text!r}" for key, text in texts.items()) or "no parameters"
        raise OpParamError(f"op_type={name!r}: {prop_cls.__name__} received {given}: {error}") from error


@contextmanager
def _users_code(name: str, what: str) -> Iterator[None]:
    """Tells where an error came from; the user's own error, with its traceback, is its cause."""
    try:
        yield
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise MXNetError(
            f"op_type={name!r}: {what} raised {type(error).__name__}: {error} ({place.filename}, line {place.lineno})"
        ) from error


class Registered(CustomDescription):
    """A user's property as the description of an operator.

    Args:
        name: what it is registered as.
        prop: the property.
    """

    def __init__(self, name: str, prop: CustomOpProp) -> None:
        self._name, self._prop, self._kind = name, prop, type(prop).__name__
        self.arguments: tuple[str, ...] = self._names("list_arguments")
        self.outputs: tuple[str, ...] = self._names("list_outputs")
        self.states: tuple[str, ...] = self._names("list_auxiliary_states")
        self.tells_storage: bool = any(
            getattr(type(prop), method) is not getattr(CustomOpProp, method)
            for method in ("infer_storage_type", "infer_storage_type_backward")
        )
        blobs = iter(range(2 * len(self.outputs) + len(self.arguments)))
        groups = [[next(blobs) for _ in names] for names in (self.outputs, self.arguments, self.outputs)]
        with _users_code(name, f"{self._kind}.declare_backward_dependency"):
            prop.declare_backward_dependency(*groups)

    def _names(self, method: str) -> tuple[str, ...]:
        with _users_code(self._name, f"{self._kind}.{method}"):
            return tuple(getattr(self._prop, method)())

    def infer_shapes(self, arguments: Sequence[tuple[int, ...] | None]) -> Inferred:
        """Asks the property's `infer_shape`."""
        with _users_code(self._name, f"{self._kind}.infer_shape"):
            found = self._prop.infer_shape([[] if shape is None else list(shape) for shape in arguments])
        inferred = self._parts(found, "infer_shape", OpShapeError)
        try:
            return Inferred(*([tuple(int(n) for n in shape) for shape in shapes] for shapes in inferred))
        except TypeError:
            raise OpShapeError(
                f"op_type={self._name!r}: {self._kind}.infer_shape returned {found!r}; expected lists of shapes"
            ) from None

    def infer_dtypes(self, arguments: Sequence[Any]) -> Inferred:
        """Asks the property's `infer_type`."""
        with _users_code(self._name, f"{self._kind}.infer_type"):
            found = self._prop.infer_type([None if dtype is None else numpy_type(dtype) for dtype in arguments])
        inferred = self._parts(found, "infer_type", OpTypeError)
        return Inferred(*([None if dtype is None else torch_dtype(dtype) for dtype in dtypes] for dtypes in inferred))

    def infer_storage(self, arguments: Sequence[str]) -> Inferred:
        """Asks the property's `infer_storage_type`."""
        with _users_code(self._name, f"{self._kind}.infer_storage_type"):
            found = self._prop.infer_storage_type(list(arguments))
        inferred = self._parts(found, "infer_storage_type", OpTypeError)
        self._check_stypes(inferred, "infer_storage_type")
        return inferred

    def infer_storage_backward(self, known: BackwardStorage) -> BackwardStorage:
        """Asks the property's `infer_storage_type_backward`."""
        method = "infer_storage_type_backward"
        with _users_code(self._name, f"{self._kind}.{method}"):
            found = self._prop.infer_storage_type_backward(*(list(part) for part in known))
        lengths = [len(part) for part in known]
        listed = isinstance(found, (tuple, list)) and all(isinstance(part, (tuple, list)) for part in found)
        if not listed or [len(part) for part in found] not in (lengths, lengths[:4]):
            raise OpTypeError(
                f"op_type={self._name!r}: {self._kind}.{method} returned {found!r}; expected 5 lists of lengths "
                f"{lengths}: for gradients of outputs, inputs, outputs, gradients of inputs and auxiliary states"
            )
        inferred = BackwardStorage(*(list(part) for part in found), *([[]] if len(found) == 4 else []))
        self._check_stypes(inferred, method)
        return inferred

    def _check_stypes(self, inferred: Sequence[Sequence[str]], method: str) -> None:
        for stype in (stype for part in inferred for stype in part):
            if stype not in ("default", "csr", "row_sparse"):
                raise OpTypeError(
                    f"op_type={self._name!r}: {self._kind}.{method} returned {stype!r}; expected 'default', 'csr' or "
                    "'row_sparse'"
                )

    def _parts(self, found: Any, method: str, error: type[MXNetError]) -> Inferred:
        """Checks what a method returned: a list each for inputs, outputs and, if there are any, states."""
        listed = isinstance(found, (tuple, list)) and all(isinstance(part, (tuple, list)) for part in found)
        if not listed or len(found) not in (2, 3):
            raise error(
                f"op_type={self._name!r}: {self._kind}.{method} returned {found!r}; expected 2 or 3 lists: for inputs, "
                "outputs and auxiliary states"
            )
        inferred = Inferred(*(list(part) for part in found), *([[]] if len(found) == 2 else []))
        for part, expected, what in zip(
            inferred,
            (self.arguments, self.outputs, self.states),
            ("inputs", "outputs", "auxiliary states"),
            strict=True,
        ):
            if len(part) != len(expected):
                raise error(
                    f"op_type={self._name!r}: {self._kind}.{method} returned {len(part)} entries for the {what}; "
                    f"expected {len(expected)}: {', '.join(expected) or 'none'}"
                )
        return inferred

    def create(self, context: Context, shapes: list[list[int]], dtypes: list[Any]) -> Operation:
        """Asks the property's `create_operator`."""
        numbers = [FLAG_OF_NAME[NAME_OF_TORCH[dtype]] for dtype in dtypes]
        with _users_code(self._name, f"{self._kind}.create_operator"):
            made = self._prop.create_operator(context, shapes, numbers)
        if not all(callable(getattr(made, method, None)) for method in ("forward", "backward")):
            raise OpTypeError(
                f"op_type={self._name!r}: {self._kind}.create_operator returned {type(made).__name__}; expected a "
                "mx.operator.CustomOp"
            )
        return _Calls(self._name, made, context)


class _Calls(Operation):
    """Calls a user's operator with arrays over tensors; where it is given arrays, with these."""

    def __init__(self, name: str, op: CustomOp, context: Context) -> None:
        self._name, self._op, self._context = name, op, context

    def _arrays(self, given: Sequence[Any]) -> list[NDArray]:
        return [each if isinstance(each, NDArray) else NDArray(each, self._context) for each in given]

    def forward(self, training: bool, requests: list[str], inputs: Any, outputs: Any, states: Any) -> list[Any]:
        """Calls `forward`; what it wrote may lie elsewhere by now, so the arrays are asked."""
        written = self._arrays(outputs)
        with (
            _users_code(self._name, f"{type(self._op).__name__}.forward"),
            Scope(False, training),
            self._context,
        ):
            self._op.forward(
                is_train=training,
                req=requests,
                in_data=self._arrays(inputs),
                out_data=list(written),
                aux=self._arrays(states),
            )
        return _taken(written, outputs)

    def backward(
        self, requests: list[str], gradients: Any, inputs: Any, outputs: Any, input_gradients: Any, states: Any
    ) -> list[Any]:
        """Calls `backward`."""
        written = self._arrays(input_gradients)
        with (
            _users_code(self._name, f"{type(self._op).__name__}.backward"),
            Scope(False, state.backward_training),
            self._context,
        ):
            self._op.backward(
                req=requests,
                out_grad=self._arrays(gradients),
                in_data=self._arrays(inputs),
                out_data=self._arrays(outputs),
                in_grad=list(written),
                aux=self._arrays(states),
            )
        return _taken(written, input_gradients)


def _taken(written: Sequence[NDArray], given: Sequence[Any]) -> list[Any]:
    """What a user's operator wrote: arrays for arrays, else tensors."""
    return [array if array is each else array._plain() for array, each in zip(written, given, strict=True)]


register("custom_op")(CustomOpProp)


class OperatorArguments(NamedTuple):
    """The arguments of an operator: their number, names, and types in words."""

    narg: int
    names: list[str]
    types: list[str]


OperatorArguments.__module__ = "mxnet.operator"


def get_all_registered_operators() -> list[str]:
    """The names of all operators, in alphabetic order; further names of an operator are listed too."""
    return sorted(name for name, _ in names())


def get_operator_arguments(op_name: str) -> OperatorArguments:
    """What an operator takes: inputs, then parameters."""
    operator = find(op_name)
    array = "NDArray-or-Symbol[]" if operator.variadic else "NDArray-or-Symbol"
    found = [(name, array) for name in operator.inputs]
    if operator.count_param:
        found.append((operator.count_param, "int, required"))
    found += [(param.name, _words(param)) for param in operator.params.values()]
    return OperatorArguments(len(found), [name for name, _ in found], [words for _, words in found])


_WORDS = {
    "int": "int",
    "float": "float",
    "bool": "boolean",
    "str": "string",
    "Shape": "Shape(tuple)",
    "Floats": "tuple of <float>",
    "Sequence[Shape]": "tuple of <Shape(tuple)>",
    "DTypeLike": "{" + ", ".join(map(repr, sorted(TORCH_OF_NAME))) + "}",
    "Context | str": "string",
}


def _words(param: Param) -> str:
    """A parameter's type and default as MXNet's documents write them."""
    kind = _kind_words(param.kind)
    if param.default is REQUIRED:
        return kind if kind == "string" else f"{kind}, required"
    return f"{kind}, optional, default={_default_words(param.kind, param.default)}"


def _kind_words(kind: Kind) -> str:
    if isinstance(kind, Maybe):
        return f"{_kind_words(kind.kind)} or None"
    if isinstance(kind, Choice):
        return "{" + ", ".join(map(repr, sorted(kind.texts))) + "}"
    return _WORDS[kind.stub]


def _default_words(kind: Kind, default: Any) -> str:
    if default is None:
        return "None"
    if isinstance(default, bool):
        return str(int(default))
    if isinstance(default, float):
        return kind.format(float(np.float32(default)))  # MXNet holds them in single precision
    if isinstance(default, tuple):
        return str(list(default))
    return repr(kind.format(default))
