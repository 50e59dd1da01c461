"""`nd.save`, `nd.load`, `nd.load_frombuffer`: what goes in comes out, and what is wrong is said."""

import os
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.base import MXNetError
from mxnet.error import FileFormatError
from regluon.dtypes import FLAG_OF_NAME
from regluon.formats.atomic import MAP_FROM_BYTES

FILES = Path(__file__).parents[1] / "fixtures" / "files"
SUFFIXES = [".params", ".safetensors"]


def values(array):
    return array.asnumpy().tolist()


@pytest.fixture(params=SUFFIXES)
def path(request, tmp_path):
    return tmp_path / f"arrays{request.param}"


@pytest.fixture(params=SUFFIXES)
def large(request, tmp_path):
    """A file large enough to be mapped, and what is in it."""
    path = tmp_path / f"large{request.param}"
    array = nd.arange(MAP_FROM_BYTES // 2).reshape((2, -1))
    nd.save(path, {"w": array})
    return path, array


# -- containers -----------------------------------------------------------------------------------------------------


def test_a_list(path):
    nd.save(path, [nd.array([1, 2]), nd.array([[3]])])
    found = nd.load(path)
    assert type(found) is list
    assert [values(each) for each in found] == [[1, 2], [[3]]]


def test_a_tuple_is_a_list(path):
    nd.save(path, (nd.array([1, 2]),))
    assert [values(each) for each in nd.load(path)] == [[1, 2]]


def test_a_dict_keeps_names_and_order(path):
    names = ["z", "a", "arg:weight", "größe", "with space", "a.b.c"]
    nd.save(path, {name: nd.array([number]) for number, name in enumerate(names)})
    found = nd.load(path)
    assert {name: values(each) for name, each in found.items()} == {n: [i] for i, n in enumerate(names)}
    if path.suffix == ".params":
        assert list(found) == names


def test_a_single_array_is_a_list_of_one(path):
    nd.save(path, nd.array([1, 2]))
    found = nd.load(path)
    assert type(found) is list
    assert [values(each) for each in found] == [[1, 2]]


def test_nothing_at_all(path):
    nd.save(path, [])
    assert nd.load(path) == []


def test_one_array_twice(path):
    x = nd.array([1, 2])
    nd.save(path, [x, x])
    first, second = nd.load(path)
    first[0] = 9
    assert values(second) == [1, 2]


def test_text_and_path_objects_are_paths(tmp_path):
    nd.save(str(tmp_path / "a"), nd.ones(1))
    nd.save(tmp_path / "b", nd.ones(1))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert values(nd.load(str(tmp_path / "b"))[0]) == [1]


# -- contents -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLAG_OF_NAME)
def test_every_dtype(name, path):
    array = nd.array([[0, 1, 1], [1, 0, 1]], dtype=name)
    nd.save(path, {"x": array})
    found = nd.load(path)["x"]
    assert (found.dtype, found.shape, values(found)) == (array.dtype, (2, 3), values(array))


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (2, 0, 4), (1, 1, 1, 1, 1)])
def test_odd_shapes(shape, path):
    with mx.util.np_shape():
        nd.save(path, [nd.ones(shape), nd.ones(2)])
        found = nd.load(path)
    assert found[0].shape == shape
    assert values(found[1]) == [1, 1]


def test_special_values(path):
    array = nd.array([float("nan"), float("inf"), -float("inf"), -0.0, 1e-45], dtype="float32")
    nd.save(path, array)
    assert nd.load(path)[0].asnumpy().tobytes() == array.asnumpy().tobytes()


def test_views_are_saved_as_they_look(path):
    x = nd.arange(6).reshape((2, 3))
    nd.save(path, {"row": x[1], "column": x[:, 1], "back": x[::-1], "turned": nd.from_torch(x.as_torch().T)})
    found = nd.load(path)
    assert {name: values(each) for name, each in found.items()} == {
        "row": [3, 4, 5],
        "column": [1, 4],
        "back": [[3, 4, 5], [0, 1, 2]],
        "turned": [[0, 3], [1, 4], [2, 5]],
    }


def test_recorded_and_attached_arrays_are_saved_as_values(path):
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        nd.save(path, {"x": x, "y": y})
    y.backward()
    found = nd.load(path)
    assert {name: values(each) for name, each in found.items()} == {"x": [1, 2], "y": [2, 4]}
    assert all(each.grad is None for each in found.values())
    assert values(x.grad) == [2, 2]


def test_arrays_of_any_cpu_load_on_the_first(path):
    nd.save(path, nd.ones(1, ctx=mx.cpu(1)))
    assert nd.load(path)[0].context == mx.cpu(0)


def test_loading_ignores_the_default_context(path):
    nd.save(path, nd.ones(1))
    with mx.cpu(1):
        assert nd.load(path)[0].context == mx.cpu(0)


def test_loaded_arrays_take_part_in_everything(path):
    nd.save(path, nd.array([1, 2, 3]))
    (x,) = nd.load(path)
    x.attach_grad()
    with autograd.record():
        y = x * x
    y.backward()
    assert values(x.grad) == [2, 4, 6]
    assert values(x[1:] + 1) == [3, 4]


# -- mapped files ---------------------------------------------------------------------------------------------------


def test_changing_loaded_arrays_does_not_change_the_file(large):
    path, array = large
    before = path.read_bytes()
    found = nd.load(path)["w"]
    found[:] = 7
    found += 1
    assert set(found.asnumpy().ravel()) == {8.0}
    assert path.read_bytes() == before
    assert np.array_equal(nd.load(path)["w"].asnumpy(), array.asnumpy())


def test_two_loads_are_independent(large):
    path, array = large
    first, second = nd.load(path)["w"], nd.load(path)["w"]
    first[:] = 0
    assert np.array_equal(second.asnumpy(), array.asnumpy())


def test_saving_over_the_file_that_is_loaded(large):
    path, array = large
    found = nd.load(path)["w"]
    nd.save(path, {"w": found + 1})
    assert np.array_equal(found.asnumpy(), array.asnumpy())
    assert np.array_equal(nd.load(path)["w"].asnumpy(), array.asnumpy() + 1)


def test_saving_loaded_arrays_to_their_own_file(large):
    path, array = large
    nd.save(path, nd.load(path))
    assert np.array_equal(nd.load(path)["w"].asnumpy(), array.asnumpy())


def test_arrays_outlive_their_file(large):
    path, array = large
    found = nd.load(path)["w"]
    path.unlink()
    assert np.array_equal(found.asnumpy(), array.asnumpy())


# -- bytes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_load_frombuffer(kind, tmp_path):
    nd.save(tmp_path / "a", {"x": nd.array([1, 2])})
    content = kind((tmp_path / "a").read_bytes())
    found = nd.load_frombuffer(content)["x"]
    assert values(found) == [1, 2]
    found += 1
    assert values(found) == [2, 3]


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_load_frombuffer_leaves_the_bytes_alone(kind, tmp_path):
    nd.save(tmp_path / "a", nd.array([1, 2]))
    saved = (tmp_path / "a").read_bytes()
    content = kind(saved)
    (found,) = nd.load_frombuffer(content)
    found[:] = 9
    assert content == saved


def test_load_frombuffer_wants_bytes():
    with pytest.raises(TypeError, match=r"\[nd.load_frombuffer\] received str; expected bytes"):
        nd.load_frombuffer("text")


def test_load_frombuffer_of_nonsense():
    with pytest.raises(
        FileFormatError, match=r"\[nd.load_frombuffer\] buffer, byte 0: received 3 bytes beginning with"
    ):
        nd.load_frombuffer(b"abc")


# -- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [3, None, "text", np.ones(2), {1, 2}])
def test_save_wants_arrays_or_containers(given, path):
    kind = f"{type(given).__module__}.{type(given).__name__}"
    with pytest.raises(
        ValueError, match=rf"\[nd.save\] received {kind}; expected an NDArray, or a list or dict of them"
    ):
        nd.save(path, given)
    assert not path.exists()


@pytest.mark.parametrize("given", [[3], {"a": np.ones(1)}, [nd.ones(1), None], [[nd.ones(1)]]])
def test_save_wants_arrays_in_containers(given, path):
    with pytest.raises(TypeError, match=r"\[nd.save\] received .*; expected an NDArray, or a list or dict of them"):
        nd.save(path, given)


def test_names_are_texts(path):
    with pytest.raises(TypeError, match=r"\[nd.save\] received the name 1; expected texts as the keys of a dict"):
        nd.save(path, {1: nd.ones(1)})


def test_a_refused_save_leaves_the_old_file(path):
    nd.save(path, nd.array([1, 2]))
    with pytest.raises(TypeError):
        nd.save(path, [nd.ones(1), 3])
    assert values(nd.load(path)[0]) == [1, 2]
    assert os.listdir(path.parent) == [path.name]


def test_load_of_a_missing_file(path):
    with pytest.raises(MXNetError, match=r"\[nd.load\] received '.*'; expected an existing file, and there is none"):
        nd.load(path)


def test_save_to_a_missing_folder(tmp_path):
    with pytest.raises(MXNetError, match=r"\[nd.save\] received '.*'; expected an existing folder"):
        nd.save(tmp_path / "none" / "a.params", nd.ones(1))


def test_load_of_a_truncated_file(path):
    nd.save(path, nd.ones(100))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FileFormatError, match=r"\[nd.load\]"):
        nd.load(path)


def test_an_empty_place_is_no_array():
    name, text = "none.params", "the file has an empty place instead of an array; it cannot be loaded"
    with pytest.raises(MXNetError, match=rf"^\[nd.load\] {text}"):
        nd.load(FILES / name)
    with pytest.raises(MXNetError, match=rf"^\[nd.load_frombuffer\] {text}"):
        nd.load_frombuffer((FILES / name).read_bytes())
