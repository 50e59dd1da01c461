"""Read and write optimizer states."""

import io
import json
import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import FileFormatError, OpTypeError
from . import params
from .tensors import Stored

MAX_DEPTH = 32
_HEADER = "tree"


@dataclass(frozen=True, slots=True)
class Instance:
    """An object that is known by name; what stands behind the name is the reader's choice."""

    kind: str
    state: dict[str, Any]


def encode(tree: Any, who: str = "Updater.get_states") -> bytes:
    """The bytes of a tree of plain values, `Stored` arrays and Instances."""
    arrays: list[Stored] = []
    names: list[str] = []

    def simple(value: Any, path: tuple[str, ...]) -> Any:
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (np.bool_, np.integer, np.floating)):
            return value.item()
        if isinstance(value, Stored):
            arrays.append(value)
            names.append("/".join(path))
            return {"array": len(arrays)}
        if isinstance(value, (list, tuple)):
            items = [simple(item, (*path, str(i))) for i, item in enumerate(value)]
            return {"tuple" if isinstance(value, tuple) else "list": items}
        if isinstance(value, dict):
            return {"dict": [[simple(key, path), simple(item, (*path, str(key)))] for key, item in value.items()]}
        if isinstance(value, Instance):
            return {"instance": value.kind, "state": simple(value.state, (*path, value.kind))}
        raise OpTypeError(
            f"[{who}] {'/'.join(path)}: received {type(value).__module__}.{type(value).__name__}; expected numbers, "
            "texts, arrays, and lists, tuples or dicts of them: states are saved without pickle."
        )

    text = json.dumps(simple(tree, ())).encode()
    stream = io.BytesIO()
    header = np.frombuffer(text, np.uint8)
    params.write(stream, [header, *arrays], [_HEADER, *names], who=who)
    return stream.getvalue()


def decode(data: bytes, who: str = "Updater.set_states") -> Any:
    """The tree that `encode` wrote; arrays are `Stored` views of the bytes."""
    contents = params.read(data, "states", who)
    if not contents.names or contents.names[0] != _HEADER or contents.arrays[0].dtype != "uint8":
        raise FileFormatError(
            f"[{who}] received a .params stream without the entry {_HEADER!r} at its begin; expected optimizer states. "
            "Load parameters with nd.load or load_parameters."
        )
    try:
        tree = json.loads(contents.arrays[0].data.tobytes())
        return _restored(tree, contents.arrays, 0)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise FileFormatError(f"[{who}] the tree of the states is damaged: {error}.") from None


def _restored(value: Any, arrays: list[Stored], depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError(f"more than {MAX_DEPTH} levels")
    if not isinstance(value, dict):
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise ValueError(f"a bare {type(value).__name__}")
    if "instance" in value:
        return Instance(str(value["instance"]), dict(_restored(value["state"], arrays, depth + 1)))
    ((kind, content),) = value.items()
    if kind == "array":
        if not 0 < content < len(arrays):
            raise ValueError(f"there is no array {content}")
        return arrays[content]
    if kind == "dict":
        return {key: _restored(item, arrays, depth + 1) for key, item in content}
    items = [_restored(item, arrays, depth + 1) for item in content]
    return {"list": list, "tuple": tuple}[kind](items)


_ARRAYS = {("mxnet.ndarray.ndarray", "NDArray"), ("mxnet.ndarray", "NDArray"), ("mxnet.numpy.multiarray", "ndarray")}
_KINDS = {"mxnet.optimizer": "optimizer", "mxnet.lr_scheduler": "lr_scheduler"}
_NUMBERS = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"}
# A pickle refers to what it has already built, so that a small one can unfold to an enormous tree.
_MAX_VALUES = 1_000_000
_ADVICE = "Save the states again with this library, or without the optimizer: get_states(dump_optimizer=False)."


class _Name:
    """A global that the pickle refers to."""

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class _Made:
    """An object under construction: what it is, and the state that BUILD gives it."""

    __slots__ = ("name", "state")

    def __init__(self, name: _Name) -> None:
        self.name = name
        self.state: Any = None


class _Mark:
    """Where a run of items on the stack begins."""


class _Refused(ValueError):
    """What the pickle asks for is not on the list."""


def looks_pickled(data: bytes) -> bool:
    """Whether bytes begin as a pickle of protocol 2 or later does."""
    return data[:1] == b"\x80"


def read(data: bytes, who: str = "Updater.set_states") -> Any:
    """The tree in a pickle that MXNet wrote: plain values, `Stored` arrays and Instances.

    Raises:
        FileFormatError: the pickle is damaged, or contains what optimizer states do not contain.
    """
    try:
        return _finished(_Machine().run(data), [0], 0)
    except _Refused as error:
        raise FileFormatError(
            f"[{who}] received a pickle with {error}; expected MXNet's optimizer states only. {_ADVICE}"
        ) from None
    except FileFormatError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise FileFormatError(f"[{who}] received a pickle that is damaged: {error}.") from None


class _Machine:
    """The stack and the memo of a pickle."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def run(self, data: bytes) -> Any:
        for opcode, argument, _ in pickletools.genops(bytes(data)):
            if opcode.name == "STOP":
                return self.stack.pop()
            step = _STEPS.get(opcode.name)
            if step is None:
                raise _Refused(f"the opcode {opcode.name}")
            step(self, argument)
        raise ValueError("it does not end")

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def since_mark(self) -> list[Any]:
        """Takes the items above the last mark, and the mark."""
        items: list[Any] = []
        while True:
            item = self.stack.pop()
            if isinstance(item, _Mark):
                return items[::-1]
            items.append(item)

    def tuple_of(self, count: int) -> None:
        items = [self.stack.pop() for _ in range(count)]
        self.push(tuple(items[::-1]))

    def dict_of(self, items: list[Any]) -> None:
        self.push({})
        self.set_items(items)

    def set_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict:
            raise _Refused(f"items for a {type(target).__name__}")
        target.update(zip(items[::2], items[1::2], strict=True))

    def append_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise _Refused(f"items for a {type(target).__name__}")
        target.extend(items)

    def name(self, module: Any, name: Any) -> None:
        known = (module, name) in _ARRAYS or (module, name) in _CALLS or _kind(str(module)) is not None
        if not (isinstance(module, str) and isinstance(name, str) and known):
            raise _Refused(f"the name {module}.{name}")
        self.push(_Name(module, name))

    def call(self) -> None:
        arguments, called = self.stack.pop(), self.stack.pop()
        if not isinstance(called, _Name) or type(arguments) is not tuple:
            raise _Refused(f"a call of {called}")
        function = _CALLS.get((called.module, called.name))
        self.push(_Made(called) if function is None else function(*arguments))

    def build(self) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        if isinstance(target, np.dtype):
            if len(state) > 1 and state[1] == ">":
                raise _Refused("numbers in big-endian order")
        elif isinstance(target, _Made):
            target.state = state
        else:
            raise _Refused(f"a state for a {type(target).__name__}")


def _kind(module: str) -> str | None:
    return next((kind for root, kind in _KINDS.items() if module == root or module.startswith(root + ".")), None)


def _bytes(text: str = "", encoding: str = "latin1") -> bytes:
    if encoding != "latin1":
        raise _Refused(f"the encoding {encoding}")
    return text.encode("latin1")


def _bytearray(content: Any = b"", encoding: str = "latin1") -> bytes:
    return _bytes(content, encoding) if isinstance(content, str) else bytes(memoryview(content))


def _dtype(code: str, *_: Any) -> Any:
    if code not in _NUMBERS:
        raise _Refused(f"the dtype {code}")
    return np.dtype(code)


def _scalar(dtype: Any, content: bytes) -> Any:
    if not isinstance(dtype, np.dtype):
        raise _Refused("a number without dtype")
    (value,) = np.frombuffer(content, dtype)
    return value.item()


_CALLS: dict[tuple[str, str], Callable[..., Any]] = {
    ("builtins", "bytearray"): _bytearray,
    ("__builtin__", "bytearray"): _bytearray,
    ("_codecs", "encode"): _bytes,
    ("collections", "OrderedDict"): dict,
    ("numpy", "dtype"): _dtype,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy._core.multiarray", "scalar"): _scalar,
}

_Step = Callable[[_Machine, Any], Any]
_STEPS: dict[str, _Step] = {
    **dict.fromkeys(("PROTO", "FRAME"), lambda machine, _: None),
    **dict.fromkeys(
        ("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
        _Machine.push,
    ),
    **dict.fromkeys(("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"), _Machine.push),
    **dict.fromkeys(("STRING", "BINSTRING", "SHORT_BINSTRING"), _Machine.push),
    **dict.fromkeys(("BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"), _Machine.push),
    "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True),
    "NEWFALSE": lambda machine, _: machine.push(False),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()),
    "MARK": lambda machine, _: machine.push(_Mark()),
    "POP": lambda machine, _: machine.stack.pop(),
    "POP_MARK": lambda machine, _: machine.since_mark(),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.since_mark())),
    "LIST": lambda machine, _: machine.push(machine.since_mark()),
    "DICT": lambda machine, _: machine.dict_of(machine.since_mark()),
    "TUPLE1": lambda machine, _: machine.tuple_of(1),
    "TUPLE2": lambda machine, _: machine.tuple_of(2),
    "TUPLE3": lambda machine, _: machine.tuple_of(3),
    "SETITEM": lambda machine, _: machine.set_items([machine.stack.pop(), machine.stack.pop()][::-1]),
    "SETITEMS": lambda machine, _: machine.set_items(machine.since_mark()),
    "APPEND": lambda machine, _: machine.append_items([machine.stack.pop()]),
    "APPENDS": lambda machine, _: machine.append_items(machine.since_mark()),
    "GLOBAL": lambda machine, text: machine.name(*text.split(" ", 1)),
    "STACK_GLOBAL": lambda machine, _: machine.name(*[machine.stack.pop(), machine.stack.pop()][::-1]),
    "REDUCE": lambda machine, _: machine.call(),
    "NEWOBJ": lambda machine, _: machine.call(),
    "BUILD": lambda machine, _: machine.build(),
    "MEMOIZE": lambda machine, _: machine.memo.__setitem__(len(machine.memo), machine.stack[-1]),
    **dict.fromkeys(
        ("PUT", "BINPUT", "LONG_BINPUT"), lambda machine, place: machine.memo.__setitem__(place, machine.stack[-1])
    ),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), lambda machine, place: machine.push(machine.memo[place])),
}


def _finished(value: Any, seen: list[int], depth: int) -> Any:
    """The tree that was built, with records in place of objects under construction."""
    seen[0] += 1
    if depth > MAX_DEPTH or seen[0] > _MAX_VALUES:
        raise _Refused("a tree that never ends, or nearly so")
    if isinstance(value, dict):
        return {key: _finished(item, seen, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_finished(item, seen, depth + 1) for item in value)
    if isinstance(value, _Made):
        return _record(value, seen, depth)
    if isinstance(value, (_Name, _Mark, np.dtype)):
        raise _Refused(f"{value} where a value should be")
    return value


def _record(made: _Made, seen: list[int], depth: int) -> Any:
    if type(made.state) is not dict:
        raise _Refused(f"a {made.name} without a state")
    if (made.name.module, made.name.name) in _ARRAYS:
        handle = made.state.get("handle")
        return None if handle is None else params.decode_array(bytes(handle), who="Updater.set_states")
    return Instance(f"{_kind(made.name.module)}:{made.name.name}", _finished(made.state, seen, depth + 1))
