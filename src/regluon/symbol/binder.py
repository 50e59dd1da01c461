"""Binding graphs to arrays: given ones, or new ones for given shapes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from ..array import NDArray, zeros
from ..array.sparse.interpreter import makes_sparse
from ..array.sparse.storage_types import StorageTypes, declared_stype, has_sparse_gradients
from ..base import MXNetError
from ..config import process
from ..context import Context
from ..dtypes import NAME_OF_TORCH, torch_dtype
from ..errors import OpShapeError
from ..graph.inference import Inference
from ..graph.node import Entry, Node, Variables, variables
from ..graph.placement import contexts_of
from ..runtime.handle import STORAGE_TYPES
from .executor import Executor
from .sparse_executor import SparseExecutor

__all__ = ["Sharing", "bind_arrays", "bind_shapes"]

_REQUESTS = ("null", "write", "add", "inplace")


class Sharing(NamedTuple):
    """What a new executor shares with others.

    Attributes:
        executor: whose arrays to use.
        names: arguments that must be those of `executor`; None for all that fit.
        buffer: arrays by name to use where they fit, except for `names` and states; new ones are put there.
    """

    executor: Executor | None = None
    names: Sequence[str] | None = None
    buffer: dict[str, NDArray] | None = None


class Wanted(NamedTuple):
    """What is said of the arrays of a new executor, by the names of arguments."""

    shapes: Mapping[str, Any]
    dtypes: Mapping[str, Any]
    stypes: Mapping[str, str]


def bind_arrays(
    symbol: Any,
    ctx: Context,
    args: Any,
    args_grad: Any,
    grad_req: Any,
    aux_states: Any,
    groups: Mapping[str, Context] | None = None,
) -> Executor:
    """An executor on given arrays: see Symbol.bind."""
    found = variables(symbol._heads)
    arg_names = [node.name for node in found.arguments]
    arrays = _in_order(args, arg_names, "args")
    requests = _requests(grad_req, arg_names)
    grads: list[NDArray | None] = [None] * len(arrays)
    if args_grad:
        grads = _in_order(args_grad, arg_names, "args_grad", optional=True)
    requests = ["null" if grad is None else request for grad, request in zip(grads, requests, strict=True)]
    states = _in_order(aux_states or {}, [node.name for node in found.auxiliary], "aux_states")
    _check_shapes(symbol, found, [*arrays, *states])
    is_sparse = any(array.stype != "default" for array in (*arrays, *states)) or makes_sparse(symbol._heads)
    kind = SparseExecutor if is_sparse or process.check_indices else Executor
    contexts = None
    if groups:
        bound = zip((*found.arguments, *found.auxiliary), (*arrays, *states), strict=True)
        contexts = contexts_of(symbol._heads, groups, ctx, {id(node): array.context for node, array in bound})
    return kind(symbol, ctx, arrays, grads if args_grad else None, requests, states, contexts=contexts)


def bind_shapes(
    symbol: Any,
    ctx: Context,
    grad_req: Any,
    wanted: Wanted,
    sharing: Sharing,
    groups: Mapping[str, Context] | None = None,
) -> Executor:
    """An executor with arrays of its own: see Symbol.simple_bind."""
    found = variables(symbol._heads)
    contexts = contexts_of(symbol._heads, groups, ctx) if groups else None
    known = {name: tuple(shape) for name, shape in wanted.shapes.items() if isinstance(shape, (tuple, list))}
    inference = Inference(symbol._heads, known, {name: torch_dtype(dtype) for name, dtype in wanted.dtypes.items()})
    inference.run()
    missing = inference.missing(Entry(node) for node in (*found.arguments, *found.auxiliary))
    if missing:
        raise OpShapeError(
            f"[simple_bind] the shapes of {', '.join(missing)} do not follow from those given: "
            f"{', '.join(f'{name} {shape}' for name, shape in known.items()) or 'none'}. Give them by name."
        )
    stypes = _variable_stypes(found, wanted.stypes)
    is_sparse = bool(stypes) or makes_sparse(symbol._heads)
    storage = None
    if is_sparse or has_sparse_gradients(symbol._heads):
        storage = StorageTypes(symbol._heads, inference, stypes)
    memory = _Memory(ctx, inference, storage, sharing, contexts or {})
    requests = _requests(grad_req, [node.name for node in found.arguments])
    args = [memory.argument(node) for node in found.arguments]
    grads = [
        None if request == "null" else memory.gradient(node)
        for node, request in zip(found.arguments, requests, strict=True)
    ]
    states = [memory.state(node) for node in found.auxiliary]
    kind = SparseExecutor if is_sparse or process.check_indices else Executor
    return kind(symbol, ctx, args, grads, requests, states, contexts=contexts)


def _variable_stypes(found: Variables, given: Mapping[str, str]) -> dict[int, str]:
    """The storage types of the variables that are sparse: as given, else as they were made."""
    stypes = {}
    for node in (*found.arguments, *found.auxiliary):
        stype = given.get(node.name, declared_stype(node))
        if stype not in ("default", *STORAGE_TYPES):
            raise ValueError(
                f"[simple_bind] stype_dict: received {stype!r} for {node.name!r}; expected 'default', 'csr' or "
                "'row_sparse'."
            )
        if stype != "default":
            stypes[id(node)] = stype
    return stypes


class _Memory:
    """Gives arrays to variables: those of another executor where they fit, else from a shared pool, else new ones."""

    def __init__(
        self,
        ctx: Context,
        inference: Inference,
        storage: StorageTypes | None,
        sharing: Sharing,
        contexts: Mapping[int, Context],
    ) -> None:
        self._contexts = contexts
        self._ctx, self._inference, self._storage, self._buffer = ctx, inference, storage, sharing.buffer
        self._apart = set(sharing.names or ())  # parameters, which never lie in the buffer
        shared = sharing.executor
        self._args = {} if shared is None else shared.arg_dict
        self._grads = {} if shared is None else shared.grad_dict
        self._states = {} if shared is None else shared.aux_dict
        self._required = set() if shared is None else set(sharing.names or ())
        if shared is not None and sharing.names is not None:  # data have their own shapes, from batch to batch
            self._args = {name: array for name, array in self._args.items() if name in self._required}

    def argument(self, node: Node) -> NDArray:
        stype = "default" if self._storage is None else self._storage.of(Entry(node))
        array = self._array(node, stype, self._args, self._buffer_for(node), node.name)
        if node.name in self._required and array is not self._args.get(node.name):
            bound = self._args.get(node.name)
            what = "there is none" if bound is None else f"there it is {_described(bound)}"
            raise OpShapeError(
                f"[simple_bind] {node.name}: needs {_described(array)} in the memory of the shared executor, but "
                f"{what}. Graphs that share parameters must agree on them."
            )
        return array

    def gradient(self, node: Node) -> NDArray:
        stype = "default" if self._storage is None else self._storage.gradient_of(Entry(node))
        return self._array(node, stype, self._grads, self._buffer_for(node), f"grad of {node.name}")

    def state(self, node: Node) -> NDArray:
        stype = "default" if self._storage is None else self._storage.of(Entry(node))
        return self._array(node, stype, self._states, None, node.name)

    def _buffer_for(self, node: Node) -> dict[str, NDArray] | None:
        return None if node.name in self._apart else self._buffer

    def _array(
        self, node: Node, stype: str, shared: Mapping[str, NDArray | None], buffer: dict[str, NDArray] | None, key: str
    ) -> NDArray:
        shape, ctx = self._inference.shape(Entry(node)), self._contexts.get(id(node), self._ctx)
        dtype = self._inference.dtype(Entry(node)) or torch.float32
        for pool, name in ((shared, node.name), (buffer or {}, key)):
            bound = pool.get(name)
            if bound is None or bound.stype != stype or bound.context != ctx:
                continue
            if bound._spec() == (shape, dtype):
                return bound
        array = zeros(shape, ctx=ctx, dtype=NAME_OF_TORCH[dtype], stype=stype)
        if buffer is not None:
            buffer[key] = array
        return array


def _described(array: NDArray) -> str:
    kind = "" if array.stype == "default" else f" as a {array.stype} array"
    return f"the shape {array.shape} of {array.dtype.__name__}{kind}"


def _in_order(given: Any, names: Sequence[str], what: str, optional: bool = False) -> list[Any]:
    """Arrays given in order or by name, in the order of the names."""
    if isinstance(given, dict):
        arrays = [given.get(name) for name in names]
    elif isinstance(given, (list, tuple)):
        arrays = list(given)
        if len(arrays) != len(names):
            raise ValueError(
                f"[bind] {what}: received {len(arrays)} arrays; expected {len(names)}: {', '.join(names)}."
            )
    else:
        raise TypeError(f"[bind] {what}: received {type(given).__name__}; expected a list or a dict of NDArrays.")
    for name, array in zip(names, arrays, strict=True):
        if array is None:
            if not optional:
                raise ValueError(f"[bind] {what}: an array for {name!r} is missing.")
        elif not isinstance(array, NDArray):
            raise TypeError(f"[bind] {what}: received {type(array).__name__} for {name!r}; expected an NDArray.")
    return arrays


def _requests(grad_req: Any, names: Sequence[str]) -> list[str]:
    if isinstance(grad_req, str):
        requests = [grad_req] * len(names)
    elif isinstance(grad_req, (list, tuple)):
        requests = list(grad_req)
        if len(requests) != len(names):
            raise ValueError(f"[bind] grad_req: received {len(requests)} requests for {len(names)} arguments.")
    elif isinstance(grad_req, dict):
        requests = [grad_req.get(name, "null") for name in names]
    else:
        raise TypeError(f"[bind] grad_req: received {grad_req!r}; expected a text, a list or a dict.")
    for request in requests:
        if request not in _REQUESTS:
            raise MXNetError(f"[bind] grad_req: received {request!r}; expected one of {', '.join(_REQUESTS)}.")
    return requests


def _check_shapes(symbol: Any, found: Variables, arrays: Sequence[NDArray]) -> None:
    """Refuses arrays that do not fit the graph, now rather than when it runs."""
    specs = {node.name: array._spec() for node, array in zip((*found.arguments, *found.auxiliary), arrays, strict=True)}
    inference = Inference(
        symbol._heads,
        {name: shape for name, (shape, _) in specs.items()},
        {name: dtype for name, (_, dtype) in specs.items()},
    )
    inference.run()
