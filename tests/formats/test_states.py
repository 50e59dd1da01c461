"""The tensor-only format of optimizer states."""

import io
import json

import numpy as np
import pytest

from mxnet.error import FileFormatError
from regluon.formats import params
from regluon.formats.states import Instance, decode, encode
from regluon.formats.tensors import Stored


def stored(*values: float) -> Stored:
    return Stored("float32", (len(values),), np.array(values, np.float32))


def with_tree(tree: object) -> bytes:
    stream = io.BytesIO()
    params.write(stream, [np.frombuffer(json.dumps(tree).encode(), np.uint8)], ["tree"])
    return stream.getvalue()


def test_trees_come_back_as_they_were():
    tree = {
        "plain": [None, True, 3, 0.25, "text", float("inf")],
        "nested": ((1, (2,)), [[]], {}),
        7: {"seven": np.float32(0.5), "count": np.int64(3)},
        "object": Instance("optimizer:SGD", {"lr": 0.1}),
    }
    found = decode(encode(tree))
    assert found["plain"] == tree["plain"]
    assert found["nested"] == tree["nested"]
    assert found[7] == {"seven": 0.5, "count": 3}
    assert found["object"] == Instance("optimizer:SGD", {"lr": 0.1})


def test_arrays_keep_their_place():
    found = decode(encode({0: (stored(1, 2), None), 1: stored(3)}))
    assert found[0][1] is None
    assert found[0][0].data.tolist() == [1, 2]
    assert found[1].data.tolist() == [3]


def test_same_tree_same_bytes():
    assert encode({0: stored(1)}) == encode({0: stored(1)})


@pytest.mark.parametrize(
    "tree",
    [
        {"array": 1},
        {"array": 0},
        {"array": "x"},
        {"set": [1]},
        {"dict": [[1]]},
        {"list": 5},
        {"list": [], "tuple": []},
        {},
        [1],
        {"instance": "optimizer:SGD"},
        {"dict": [[{"list": []}, 1]]},
    ],
    ids=str,
)
def test_damaged_trees_are_refused(tree: object):
    with pytest.raises(FileFormatError, match=r"\[Updater.set_states\] the tree of the states is damaged"):
        decode(with_tree(tree))


def test_endless_nesting_is_refused():
    tree: object = 1
    for _ in range(200):
        tree = {"list": [tree]}
    with pytest.raises(FileFormatError, match="more than 32 levels"):
        decode(with_tree(tree))
