"""Parameters: initialization in every order, gradients, contexts, dtypes."""

import builtins
import copy
import gc
import pickle
import weakref
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import Constant, DeferredInitializationError, Parameter, nn
from mxnet.gluon.parameter import ParameterError
from tests.gluon.programs import check, group, recorded, run

TWO = [mx.cpu(0), mx.cpu(1)]


@group("values")
def test_values_as_in_mxnet(case: dict[str, Any]) -> None:
    check(case)


REFUSED = recorded("refused")


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_refused_as_in_mxnet(case: dict[str, Any]) -> None:
    """The `except` that catches MXNet's error catches ours."""
    with pytest.raises(getattr(builtins, case["error"])) as caught:
        run(case["program"])
    assert str(caught.value), "an error needs a text"


def ready(shape: Any = (2, 3), ctx: Any = None, **kwargs: Any) -> Parameter:
    parameter = Parameter("w", shape=shape, **kwargs)
    parameter.initialize(mx.init.One(), ctx=ctx)
    return parameter


def waiting(**kwargs: Any) -> Parameter:
    parameter = Parameter("w", shape=(2, 0), allow_deferred_init=True, **kwargs)
    parameter.initialize(mx.init.One())
    return parameter


# -- reading too early ----------------------------------------------------------------------------------------------


def test_read_before_initialize() -> None:
    layer = nn.Dense(2, in_units=3, prefix="fc_")
    with pytest.raises(mx.MXNetError, match=r"\[Parameter fc_weight\] of Dense fc has not been initialized") as caught:
        layer.weight.data()
    assert "Call initialize() on the network" in str(caught.value)
    assert not isinstance(caught.value, DeferredInitializationError)
    for read in (layer.weight.list_data, layer.weight.grad, layer.weight.list_grad, layer.weight.list_ctx):
        with pytest.raises(RuntimeError, match="has not been initialized"):
            read()


def test_read_before_data() -> None:
    layer = nn.Dense(2, prefix="fc_")
    layer.initialize()
    for read in (layer.weight.data, layer.weight.list_data, layer.weight.grad, layer.weight.list_grad):
        with pytest.raises(
            DeferredInitializationError, match=r"\[Parameter fc_weight\] of Dense fc has the shape \(2, 0\)"
        ) as caught:
            read()
        text = str(caught.value)
        assert "call the network once on a batch" in text
        assert "in_units" in text
    assert layer.weight.list_ctx() == [mx.cpu(0)]
    assert layer.bias.data().shape == (2,)


def test_unknown_shape_without_deferral() -> None:
    with pytest.raises(ParameterError, match=r"cannot be initialized with the shape \(0, 3\): 0 is an unknown length"):
        Parameter("w", shape=(0, 3)).initialize()


def test_finishing_too_early_keeps_waiting() -> None:
    parameter = waiting()
    with pytest.raises(ParameterError, match=r"its shape \(2, 0\) has unknown lengths \(0\)\. Give in_units"):
        parameter._finish_deferred_init()
    parameter.shape = (2, 3)
    parameter._finish_deferred_init()
    assert parameter.data().asnumpy().tolist() == [[1, 1, 1]] * 2


def test_an_initializer_that_fails_can_be_tried_again() -> None:
    class Picky(mx.init.Initializer):
        fails = True

        def _init_weight(self, name: str, arr: nd.NDArray) -> None:
            if self.fails:
                raise ZeroDivisionError
            arr[:] = 5

    init = Picky()
    layer = nn.Dense(1, use_bias=False)
    layer.initialize(init)
    with pytest.raises(ZeroDivisionError):
        layer(nd.ones((1, 2)))
    init.fails = False
    assert layer(nd.ones((1, 2))).asscalar() == 10


# -- while deferred -------------------------------------------------------------------------------------------------


def test_set_data_while_deferred() -> None:
    layer = nn.Dense(2, use_bias=False)
    layer.initialize()
    layer.weight.set_data(np.ones((2, 3)) * 4)
    assert layer.weight.shape == (2, 3)
    assert layer(nd.ones((1, 3))).asnumpy().tolist() == [[12, 12]]
    assert layer.weight.data().dtype == np.float32


def test_set_data_of_another_dtype_while_deferred() -> None:
    layer = nn.Dense(2, use_bias=False)
    layer.initialize()
    layer.weight.set_data(nd.ones((2, 3), dtype="float64"))
    assert layer(nd.ones((1, 3))).dtype == np.float32


def test_set_data_that_contradicts() -> None:
    parameter = waiting()
    with pytest.raises(ParameterError, match=r"received the shape \(3, 3\); expected one that agrees with \(2, 0\)"):
        parameter.set_data(nd.ones((3, 3)))
    assert parameter.shape == (2, 0)


def test_set_data_uninitialized_changes_nothing() -> None:
    parameter = Parameter("w", shape=(2, 0), allow_deferred_init=True)
    with pytest.raises(ParameterError, match="has not been initialized"):
        parameter.set_data(nd.ones((2, 5)))
    assert parameter.shape == (2, 0)


def test_moved_cast_and_frozen_while_deferred() -> None:
    layer = nn.Dense(2)
    layer.initialize()
    layer.collect_params().reset_ctx(TWO)
    layer.cast("float64")
    layer.weight.grad_req = "add"
    layer.bias.grad_req = "null"
    y = layer(nd.ones((1, 3), ctx=mx.cpu(1), dtype="float64"))
    assert y.dtype == np.float64
    assert layer.weight.list_ctx() == TWO
    assert [data.context for data in layer.weight.list_data()] == TWO
    assert layer.weight.grad(mx.cpu(1)).dtype == np.float64
    with pytest.raises(mx.MXNetError, match="has no gradient because grad_req='null'"):
        layer.bias.grad(mx.cpu(0))
    for _ in range(2):
        with autograd.record():
            y = layer(nd.ones((1, 3), ctx=mx.cpu(1), dtype="float64"))
        y.backward()
    assert layer.weight.grad(mx.cpu(1)).asnumpy().tolist() == [[2, 2, 2]] * 2
    assert layer.weight.grad(mx.cpu(0)).asnumpy().sum() == 0


def test_initialized_again_while_deferred() -> None:
    layer = nn.Dense(1, use_bias=False)
    layer.initialize(mx.init.Zero())
    layer.initialize(mx.init.One())
    assert layer(nd.ones((1, 2))).asscalar() == 2


def test_shape_given_by_hand_while_deferred() -> None:
    parameter = waiting()
    parameter.shape = (2, 5)
    with pytest.raises(DeferredInitializationError):
        parameter.data()
    parameter._finish_deferred_init()
    assert parameter.data().shape == (2, 5)


def test_loaded_while_deferred() -> None:
    parameter = waiting()
    parameter._load_init(nd.ones((2, 4)) * 3, None)
    assert parameter.shape == (2, 4)
    assert parameter.data().asnumpy().max() == 3
    assert not parameter._deferred_init


# -- initialize -----------------------------------------------------------------------------------------------------


def test_own_initializer_goes_first() -> None:
    parameter = Parameter("w", shape=(2,), init="ones")
    parameter.initialize(default_init=mx.init.Zero())
    assert parameter.data().asnumpy().tolist() == [1, 1]
    parameter.initialize(init=mx.init.Constant(3), force_reinit=True)
    assert parameter.data().asnumpy().tolist() == [3, 3]


def test_initialized_already() -> None:
    parameter = ready()
    parameter.data()[:] = 7
    with pytest.warns(UserWarning, match=r"Parameter 'w' is already initialized, ignoring. Set force_reinit=True"):
        parameter.initialize()
    assert parameter.data().asnumpy().max() == 7
    parameter.initialize(mx.init.One(), force_reinit=True)
    assert parameter.data().asnumpy().max() == 1


def test_current_context_is_the_default() -> None:
    with mx.cpu(1):
        parameter = ready()
    assert parameter.list_ctx() == [mx.cpu(1)]
    assert parameter.data().context == mx.cpu(1)


@pytest.mark.parametrize("ctx", ["cpu", [], [mx.cpu(), "cpu"], 0])
def test_contexts_that_are_none(ctx: Any) -> None:
    parameter = ready()
    for call in (lambda: parameter.initialize(ctx=ctx, force_reinit=True), lambda: parameter.reset_ctx(ctx)):
        with pytest.raises(TypeError, match=r"\[Parameter\] ctx: received .*; expected a Context such as mx\.cpu\(\)"):
            call()
    assert parameter.data().asnumpy().all()


@pytest.mark.parametrize(("shape", "known"), [(3, (3,)), ([2, 3], (2, 3)), ((2,), (2,)), (None, None)])
def test_shapes_in_any_form(shape: Any, known: Any) -> None:
    assert Parameter("w", shape=shape).shape == known


def test_unknown_lengths_with_numpy_shapes() -> None:
    parameter = Parameter("w", shape=(2, 0), allow_deferred_init=True)
    with mx.np_shape(True):
        assert parameter.shape == (2, -1)
        parameter.initialize()
        assert parameter._data is None
    assert parameter.shape == (2, 0)


def test_unknown_storage_is_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"\[Parameter w\] stype: received 'coo'; must be one of 'default', 'row_sp"
    ):
        Parameter("w", stype="coo")
    with pytest.raises(ParameterError, match=r"\[Parameter w\] grad_stype: received 'coo'"):
        Parameter("w", grad_stype="coo")


# -- several contexts -----------------------------------------------------------------------------------------------


def test_a_copy_for_each_context() -> None:
    parameter = ready(ctx=TWO)
    assert parameter.list_ctx() == TWO
    assert parameter.data(mx.cpu(1)) is parameter.list_data()[1]
    assert parameter.data() is parameter.list_data()[0]
    with mx.cpu(1):
        assert parameter.data().context == mx.cpu(1)
    parameter.data(mx.cpu(0))[:] = 5
    assert parameter.data(mx.cpu(1)).asnumpy().max() == 1
    parameter.set_data(nd.ones((2, 3)) * 2)
    assert [data.asnumpy().max() for data in parameter.list_data()] == [2, 2]


def test_foreign_context() -> None:
    with pytest.raises(mx.MXNetError, match=r"was not initialized on cpu\(3\); it is on \[cpu\(0\), cpu\(1\)\]"):
        ready(ctx=TWO).data(mx.cpu(3))


@pytest.mark.parametrize("kind", ["cpu_shared", "cpu_pinned"])
@pytest.mark.parametrize("hybridized", [False, True])
def test_data_in_other_memory_of_the_processor_meet_parameters(kind: str, hybridized: bool) -> None:
    parameter = ready(ctx=TWO)
    assert parameter.data(mx.Context(kind, 1)) is parameter.list_data()[1]
    assert parameter.grad(mx.Context(kind, 0)) is parameter.list_grad()[0]
    with pytest.raises(mx.MXNetError, match=rf"was not initialized on {kind}\(3\)"):
        parameter.data(mx.Context(kind, 3))
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(4), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(2))
    net.initialize(mx.init.One())
    net.hybridize(hybridized)
    with mx.autograd.record():
        loss = net(nd.ones((2, 3), ctx=mx.Context(kind, 0))).sum()
    loss.backward()
    assert net[2].bias.grad().asnumpy().tolist() == [2, 2]


def test_moving() -> None:
    parameter = ready()
    parameter.reset_ctx(TWO)
    assert parameter.list_ctx() == TWO
    parameter.data(mx.cpu(1))[:] = 3
    parameter.reset_ctx(mx.cpu(2))
    assert parameter.data().asnumpy().tolist() == [[2, 2, 2]] * 2  # the mean of the copies
    assert parameter.grad().context == mx.cpu(2)
    with mx.cpu(4):
        parameter.reset_ctx(None)
    assert parameter.list_ctx() == [mx.cpu(4)]
    with pytest.raises(ParameterError, match=r"\[Parameter w\] has not been initialized"):
        Parameter("w", shape=(1,)).reset_ctx(mx.cpu())


# -- gradients ------------------------------------------------------------------------------------------------------


def backward_through(parameter: Parameter) -> None:
    with autograd.record():
        y = parameter.data() * 3
    y.backward()


def test_grad_req() -> None:
    parameter = ready((2,))
    backward_through(parameter)
    backward_through(parameter)
    assert parameter.grad().asnumpy().tolist() == [3, 3]
    parameter.grad_req = "add"
    assert not parameter.data()._fresh_grad
    backward_through(parameter)
    backward_through(parameter)
    assert parameter.grad().asnumpy().tolist() == [6, 6]
    parameter.zero_grad()
    assert parameter.grad().asnumpy().tolist() == [0, 0]
    values = parameter.data()
    values[:] = 4
    parameter.grad_req = "null"
    assert parameter.data().asnumpy().tolist() == [4, 4]
    with pytest.raises(mx.MXNetError, match=r"\[Parameter w\] has no gradient because grad_req='null'"):
        parameter.grad()
    with pytest.raises(mx.MXNetError, match="grad_req='null'"):
        parameter.list_grad()
    parameter.zero_grad()
    with autograd.record():
        y = parameter.data() * 2
    with pytest.raises(mx.MXNetError, match="not part of a recorded graph"):
        y.backward()
    parameter.grad_req = "write"
    backward_through(parameter)
    assert parameter.grad().asnumpy().tolist() == [3, 3]


def test_unknown_grad_req() -> None:
    with pytest.raises(ParameterError, match=r"grad_req: received 'plus'; expected 'write', 'add' or 'null'"):
        Parameter("w", grad_req="plus")


def test_what_is_not_differentiable_stays_so() -> None:
    parameter = ready(differentiable=False)
    assert parameter.grad_req == "null"
    parameter.grad_req = "add"
    assert parameter.grad_req == "null"


def test_set_data_keeps_the_gradient() -> None:
    parameter = ready((2,))
    backward_through(parameter)
    parameter.set_data(nd.array([8, 9], ctx=mx.cpu(0)))
    assert parameter.grad().asnumpy().tolist() == [3, 3]
    backward_through(parameter)
    assert parameter.data().asnumpy().tolist() == [8, 9]


# -- dtypes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "float64", np.float16])
def test_cast_there_and_back(dtype: Any) -> None:
    layer = nn.Dense(2, in_units=3)
    layer.initialize(mx.init.Constant(0.5))
    layer.cast(dtype)
    y = layer(nd.ones((1, 3), dtype=dtype))
    assert y.dtype == np.dtype(dtype).type
    with autograd.record():
        y = layer(nd.ones((1, 3), dtype=dtype))
    y.backward()
    assert layer.weight.grad().asnumpy().tolist() == [[1, 1, 1]] * 2
    layer.weight.dtype = "float32"
    layer.bias.dtype = "float32"
    assert layer(nd.ones((1, 3))).asnumpy().tolist() == [[1.5, 1.5]]
    assert layer.weight.grad().asnumpy().tolist() == [[1, 1, 1]] * 2


def test_cast_without_gradient() -> None:
    parameter = ready(grad_req="null")
    parameter.cast("float64")
    assert parameter.data().dtype == np.float64
    assert parameter._grad is None


# -- loading --------------------------------------------------------------------------------------------------------


def test_load_checks() -> None:
    parameter = ready()
    with pytest.raises(ParameterError, match=r"\[Parameter w\] has shape \(2, 3\); the file has \(2, 4\)"):
        parameter._load_init(nd.ones((2, 4)), None)
    half = nd.ones((2, 3), dtype="float16") * 2
    with pytest.raises(ParameterError, match=r"has dtype float32; the file has float16. Pass cast_dtype=True"):
        parameter._load_init(half, None)
    with pytest.raises(ParameterError, match=r"is on \[cpu\(0\)\]; cannot load it to \[cpu\(1\)\]. Use reset_ctx"):
        parameter._load_init(nd.ones((2, 3)), mx.cpu(1))
    with pytest.raises(ParameterError, match="dtype_source: received 'mine'; expected 'current' or 'saved'"):
        parameter._load_init(half, None, cast_dtype=True, dtype_source="mine")
    assert parameter.data().asnumpy().max() == 1
    parameter._load_init(half, None, cast_dtype=True)
    assert parameter.data().dtype == np.float32
    parameter._load_init(half, None, cast_dtype=True, dtype_source="saved")
    assert parameter.data().dtype == np.float16
    assert parameter.dtype == np.float16
    assert parameter.grad().dtype == np.float16
    assert parameter.data().asnumpy().max() == 2


# -- constants ------------------------------------------------------------------------------------------------------


def test_constant() -> None:
    constant = Constant("c", [[1, 2]])
    constant.initialize(ctx=TWO)
    assert constant.data(mx.cpu(1)).asnumpy().tolist() == [[1, 2]]
    with pytest.warns(UserWarning, match=r'Constant parameter "c" does not support grad_req other than "null"'):
        constant.grad_req = "add"
    assert constant.grad_req == "null"
    constant.grad_req = "null"
    constant.set_data(nd.array([[5, 6]]))
    assert constant.data(mx.cpu(0)).asnumpy().tolist() == [[5, 6]]
    constant.initialize(mx.init.Zero(), force_reinit=True)
    constant.initialize(force_reinit=True)
    assert constant.data().asnumpy().tolist() == [[1, 2]]
    with pytest.raises(mx.MXNetError, match="no gradient"):
        constant.grad()


def test_constants_take_no_part_in_training() -> None:
    class Shift(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.by = self.params.get_constant("by", nd.array([10.0]))
            self.factor = self.params.get("factor", shape=(1,), init="ones")

        def hybrid_forward(self, F: Any, x: Any, by: Any, factor: Any) -> Any:
            return F.broadcast_add(F.broadcast_mul(x, factor), by)

    net = Shift()
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "wd": 0.1})
    with autograd.record():
        y = net(nd.ones((2, 1)))
    y.backward()
    trainer.step(1)
    assert net.by.data().asscalar() == 10
    assert net.factor.data().asscalar() != 1


# -- what waits for other parts -------------------------------------------------------------------------------------


def test_its_variable() -> None:
    parameter = gluon.Parameter("w", shape=(2, 0), lr_mult=2, init="ones")
    symbol = parameter.var()
    assert symbol.name == "w"
    expected = {"__shape__": "(2, 0)", "__dtype__": "0", "__lr_mult__": "2", "__wd_mult__": "1.0", "__init__": "ones"}
    assert expected.items() <= symbol.list_attr().items()
    assert parameter.var() is symbol


# -- copies and memory ----------------------------------------------------------------------------------------------


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
def test_copies_can_be_trained(duplicate: Any) -> None:
    """MXNet copies the values, and forgets that they have gradients."""
    net = nn.Dense(2, in_units=3)
    net.initialize(ctx=TWO)
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    twin = duplicate(net)
    assert twin.weight._trainer is None
    assert net.weight._trainer is trainer
    assert twin.weight.list_ctx() == TWO
    assert [data.context for data in twin.weight.list_data()] == TWO
    x = nd.ones((1, 3), ctx=mx.cpu(1))
    assert (twin(x) == net(x)).asnumpy().all()
    with autograd.record():
        y = twin(x)
    y.backward()
    assert twin.weight.grad(mx.cpu(1)).asnumpy().tolist() == [[1, 1, 1]] * 2
    assert net.weight.grad(mx.cpu(1)).asnumpy().sum() == 0
    twin.weight.set_data(nd.zeros((2, 3)))
    assert net.weight.data(mx.cpu(0)).asnumpy().any()


def test_copy_while_deferred() -> None:
    net = nn.Dense(2)
    net.initialize(mx.init.One())
    twin = copy.deepcopy(net)
    assert twin(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]
    assert net.weight.shape == (2, 0)


def test_nothing_keeps_a_network_alive() -> None:
    """Networks, trainers and arrays go at once, without the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        net = nn.HybridSequential()
        with net.name_scope():
            net.add(nn.Dense(2), nn.Dense(1))
        net.initialize()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
        with autograd.record():
            loss = net(nd.ones((1, 3)))
        loss.backward()
        trainer.step(1)
        layer, parameter = net[0], net[0].weight
        watched = [weakref.ref(thing) for thing in (net, layer, parameter, trainer, parameter.data()._t, loss._t)]
        del net, layer, parameter, trainer, loss
        assert [reference() for reference in watched] == [None] * len(watched)
    finally:
        gc.enable()


class Doubled(Parameter):
    """A parameter made of another one, with its memory, that networks see doubled: as gluon-nlp's dropped weights."""

    def __init__(self, other: Parameter) -> None:
        self._deferred_init = other._deferred_init
        super().__init__(other.name, other.grad_req, other._shape, other.dtype, init=other.init)
        self._var, self._data, self._grad = other._var, other._data, other._grad
        self._ctx_list, self._ctx_map, self._trainer = other._ctx_list, other._ctx_map, other._trainer

    def data(self, ctx: Any = None) -> nd.NDArray:
        return self._check_and_get(self._data, ctx) * 2


@pytest.mark.parametrize("is_hybrid", [False, True])
def test_a_subclass_takes_over_what_another_parameter_has(is_hybrid: bool) -> None:
    net = nn.Dense(2, in_units=3, use_bias=False)
    net.initialize(mx.init.One(), ctx=TWO)
    assert net.weight._ctx_map == [[], [0, 1]]
    doubled = Doubled(net.weight)
    assert doubled._ctx_map == [[], [0, 1]]
    net._params._params[doubled.name] = net._reg_params["weight"] = doubled
    net.hybridize(is_hybrid)
    for context in TWO:
        assert net(nd.ones((1, 3), ctx=context)).asnumpy().tolist() == [[6.0, 6.0]]
    assert Parameter("fresh", shape=(1,))._ctx_map is None


def test_kinds_of_tensors() -> None:
    """GluonTS's LSTNet tells one tensor from a list of them."""
    assert gluon.tensor_types == gluon.parameter.tensor_types == (mx.sym.Symbol, nd.NDArray)
    assert isinstance(mx.sym.var("x"), gluon.tensor_types)


def test_initialized_arrays_are_nobody_elses() -> None:
    """Values are computed in the array that keeps them, and given ones are copied."""
    parameter = gluon.Parameter("weight", shape=(2, 2), allow_deferred_init=True)
    parameter.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    first, second = parameter.list_data()
    assert first._t.data_ptr() != second._t.data_ptr()
    given = nd.ones((2, 2))
    other = gluon.Parameter("weight", shape=(0, 2), allow_deferred_init=True)
    other.initialize()
    other.set_data(given)
    other._finish_deferred_init()
    other.data()[:] = 5
    assert given.asnumpy().max() == 1
