"""`mx.util`: switches for NumPy behaviour, and helpers that MXNet programs import from there."""

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet import util
from mxnet.base import MXNetError
from tools.oracle.switch_programs import programs, run


def switches():
    return util.is_np_shape(), util.is_np_array()


@pytest.fixture(autouse=True)
def untouched():
    yield
    assert switches() == (False, False)


def test_blocks_set_and_restore():
    with util.np_shape():
        assert switches() == (True, False)
        with util.np_array():
            assert switches() == (True, True)
            with util.np_array(False), util.np_shape(False):
                assert switches() == (False, False)
            assert switches() == (True, True)
        assert switches() == (True, False)


def test_an_exception_restores():
    with pytest.raises(KeyError), util.np_shape(), util.np_array():
        raise KeyError


def test_set_np_shape_returns_what_was():
    assert util.set_np_shape(True) is False
    assert util.set_np_shape(False) is True


def test_set_np_and_reset_np():
    util.set_np()
    assert switches() == (True, True)
    util.set_np(shape=True, array=False)
    assert switches() == (True, False)
    util.reset_np()


def test_arrays_need_shapes():
    with pytest.raises(ValueError, match=r"\[set_np\] received shape=False, array=True; .*pass shape=True"):
        util.set_np(shape=False, array=True)


ORDERS = json.loads((Path(__file__).parent / "fixtures" / "switches" / "orders.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("first", sorted({name.split(",")[0] for name in ORDERS}))
def test_every_order_of_switches_is_that_of_mxnet(first):
    found = {name: run(*steps) for name, steps in programs().items() if name.split(",")[0] == first}
    assert found
    assert found == {name: ORDERS[name] for name in found}


def test_shapes_stay_on_while_arrays_are():
    text = r"\[np_shape\] received False while NumPy arrays are on.*Call npx\.reset_np\(\)"
    with util.np_shape(), util.np_array():
        for switch in (lambda: util.set_np_shape(False), lambda: util.np_shape(False).__enter__()):
            with pytest.raises(ValueError, match=text):
                switch()
            assert switches() == (True, True)
    with pytest.raises(ValueError, match=text), util.np_shape():
        util.set_np()
    util.reset_np()


def test_a_scope_can_be_entered_again():
    scope = util.np_shape()
    for _ in range(2):
        with scope:
            assert switches() == (True, False)
        assert switches() == (False, False)


def test_switches_belong_to_a_thread():
    with util.np_shape(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(util.is_np_shape).result() is False


@pytest.mark.parametrize(
    ("decorate", "expected"),
    [(util.use_np_shape, (True, False)), (util.use_np_array, (False, True)), (util.use_np, (True, True))],
)
def test_decorated_functions_and_classes(decorate, expected):
    @decorate
    def function(value):
        """Kept."""
        return value, switches()

    assert function(7) == (7, expected)
    assert (function.__name__, function.__doc__) == ("function", "Kept.")

    @decorate
    class Thing:
        def __init__(self):
            self.seen = [switches()]

        @property
        def shown(self):
            return switches()

        @shown.setter
        def shown(self, value):
            self.seen.append(switches())

        def method(self):
            return switches()

    thing = Thing()
    thing.shown = 1
    assert [*thing.seen, thing.shown, thing.method()] == [expected] * 4
    assert thing.__class__.__name__ == "Thing"


def test_decorated_functions_restore_after_an_exception():
    @util.use_np
    def failing():
        raise KeyError

    with pytest.raises(KeyError):
        failing()


def test_only_functions_and_classes_can_be_decorated():
    with pytest.raises(TypeError, match=r"\[use_np\] received int; expected a function or a class"):
        util.use_np(3)


def test_numpy_shapes_make_scalars_and_empty_arrays():
    with util.np_shape():
        assert mx.nd.zeros(()).shape == ()
        assert mx.nd.zeros((0, 3)).shape == (0, 3)
        assert mx.nd.ones(3)[0].shape == ()
    assert mx.nd.ones(3)[0].shape == (1,)


def test_set_module():
    @util.set_module("mxnet.elsewhere")
    def function():
        pass

    assert function.__module__ == "mxnet.elsewhere"
    assert util.set_module(None)(len) is len


@pytest.mark.parametrize(
    ("key", "value", "legal"),
    [
        ("where", 3, True),
        ("casting", "same_kind", True),
        ("casting", "x", False),
        ("order", "K", True),
        ("order", 1, False),
        ("dtype", "float32", True),
        ("dtype", np.int8, True),
        ("dtype", "int16", False),
        ("subok", True, True),
        ("subok", 1, False),
        ("other", 1, False),
    ],
)
def test_options_of_universal_functions(key, value, legal):
    assert util.np_ufunc_legal_option(key, value) is legal


@util.wrap_np_unary_func
def unary(x, out=None):
    return x, out


@util.wrap_np_binary_func
def binary(x1, x2, out=None):
    return x1, x2, out


def test_wrapped_functions_pass_arguments_on():
    assert unary(1, out=2, where=True, casting="same_kind", order="K", dtype=None, subok=True) == (1, 2)
    assert binary(1, 2, where=True) == (1, 2, None)
    assert unary.__name__ == "unary"


@pytest.mark.parametrize("options", [{"other": 1}, {"casting": "x"}, {"order": 1}, {"dtype": "int16"}])
def test_wrapped_functions_refuse_what_numpy_does_not_know(options):
    (key,) = options
    with pytest.raises(TypeError, match=rf"\[unary\] received {key}=.*, which NumPy does not know for this function"):
        unary(1, **options)
    with pytest.raises(TypeError, match=r"\[binary\] received"):
        binary(1, 2, **options)


@pytest.mark.parametrize("options", [{"where": False}, {"casting": "no"}, {"order": "C"}, {"subok": False}])
def test_wrapped_functions_refuse_what_they_do_not_have(options):
    with pytest.raises(NotImplementedError, match=r"\[unary\] received .*; only .* is available"):
        unary(1, **options)


def test_environment():
    util.setenv("MXNET_UTIL_PROBE", "1")
    assert util.getenv("MXNET_UTIL_PROBE") == os.environ["MXNET_UTIL_PROBE"] == "1"
    util.setenv("MXNET_UTIL_PROBE", None)
    util.setenv("MXNET_UTIL_PROBE", None)
    assert util.getenv("MXNET_UTIL_PROBE") is None


def test_gpu_helpers():
    assert util.get_gpu_count() == mx.num_gpus()
    with pytest.raises(MXNetError, match=r"\[get_cuda_compute_capability\] received cpu\(0\); expected a CUDA device"):
        util.get_cuda_compute_capability(mx.cpu())


def test_numpy_shapes_for_all_threads() -> None:
    seen = []
    for mode in (2, 0):
        util.set_np_shape(mode)
        thread = threading.Thread(target=lambda: seen.append(util.is_np_shape()))
        thread.start()
        thread.join()
    assert seen == [True, False]


def test_the_scope_of_numpy_arrays_has_its_former_name() -> None:
    assert isinstance(util.np_array(True), util._NumpyArrayScope)
    with util.np_array(True):
        assert util._NumpyArrayScope._current.value._is_np_array
    assert not util._NumpyArrayScope._current.value._is_np_array


def test_decorated_classes_run_inherited_methods_inside_too():
    class Base:
        def public(self):
            return util.is_np_array()

        def _private(self):
            return util.is_np_array()

        def __call__(self):
            return util.is_np_array()

        @staticmethod
        def static(value):
            return value

    @util.use_np
    class Derived(Base):
        pass

    assert Derived().public()
    assert Derived()()
    assert not Derived()._private()
    assert Derived().static(3) == 3
    assert not Base().public()


def test_parameters_of_a_decorated_block_are_initialized_as_numpy_arrays():
    @util.use_np
    class Net(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.weight = self.params.get("weight", shape=(3, 2))

        def hybrid_forward(self, F, x, weight):
            return F.np.dot(x, weight)

    net = Net()
    net.initialize()
    assert type(net.weight.data()) is mx.np.ndarray
    assert type(net(mx.np.ones((4, 3)))) is mx.np.ndarray
