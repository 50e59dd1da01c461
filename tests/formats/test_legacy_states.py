"""The reader of MXNet's pickled states: what it takes, and that it runs nothing."""

import contextlib
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

from mxnet.error import FileFormatError
from regluon.formats.states import looks_pickled, read

PLAIN = {0: (None, True, False, 1, -5, 70000, 2**40, 0.5, "text", "t" * 300, b"bytes", [1, [2]], (), (1, 2, 3, 4), {})}


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_plain_values(protocol: int):
    data = pickle.dumps(PLAIN, protocol)
    assert looks_pickled(data)
    assert read(data) == PLAIN
    assert read(pickle.dumps(OrderedDict(a=1), protocol)) == {"a": 1}
    assert read(pickle.dumps([np.float64(0.5), np.int32(3)], protocol)) == [0.5, 3]
    assert read(pickle.dumps(bytearray(b"abc"), protocol)) == b"abc"


class _Call:
    def __init__(self, *call: Any) -> None:
        self.call = call

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (_Call(eval, ("1",)), "the name builtins.eval"),
        (_Call(getattr, ("", "join")), "the name builtins.getattr"),
        ({1, 2}, "the opcode EMPTY_SET"),
        (1j, "the name builtins.complex"),
        (np.ones(3), "the name numpy"),
        (np.dtype("f8"), "where a value should be"),
        (bytearray, "where a value should be"),
        (_Call(bytearray, (5,)), "damaged"),
        (np.complex64(1), "the dtype c8"),
    ],
    ids=["eval", "getattr", "set", "complex", "array", "dtype", "class", "call", "numpy-complex"],
)
def test_everything_else_is_refused(value: Any, text: str):
    with pytest.raises(FileFormatError, match=text):
        read(pickle.dumps({0: value}, 4))


@pytest.mark.parametrize("name", [b"os\nsystem", b"mxnet.optimizerx\nSGD", b"mxnet.ndarray.utils\nload"])
def test_names_are_compared_whole(name: bytes):
    with pytest.raises(FileFormatError, match="the name"):
        read(b"\x80\x02c" + name + b"\n.")


def test_a_small_pickle_that_unfolds_to_a_huge_tree_is_refused():
    tree: Any = []
    for _ in range(30):
        tree = [tree, tree, tree]
    with pytest.raises(FileFormatError, match="a tree that never ends"):
        read(pickle.dumps(tree))


def test_random_bytes_only_raise_the_format_error():
    rng = np.random.RandomState(0)
    good = pickle.dumps(PLAIN, 4)
    for _ in range(300):
        data = bytearray(good)
        for place in rng.randint(2, len(data), 3):
            data[place] = rng.randint(256)
        with contextlib.suppress(FileFormatError):
            read(bytes(data))
