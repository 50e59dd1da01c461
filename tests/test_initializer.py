"""`mx.init`, against what a real MXNet did (tools/oracle/record_initializers.py) and by statistics."""

import json
import logging
import math
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet import initializer as init
from mxnet import nd
from mxnet.initializer import InitDesc

FIXTURE = json.loads(
    (Path(__file__).parent / "fixtures" / "initializers" / "initializers.json").read_text(encoding="utf-8")
)


class Package:
    """Stands for `mx` in the recorded expressions."""

    init = init
    nd = nd


def make(expression):
    return eval(f"mx.init.{expression}", {"mx": Package, "np": np})


def fill(made, name="a_weight", shape=(3, 4), attrs=None, **kwargs):
    array = nd.full(shape, -9, **kwargs)
    made(InitDesc(name, attrs), array)
    return array.asnumpy()


def by_init(case):
    return f"{case['init']}-{case.get('name', '')}"


@pytest.mark.parametrize("case", FIXTURE["filled"], ids=by_init)
def test_values_as_mxnet(case):
    attrs = dict(case["attrs"])
    if attrs.get("__init__", "").startswith("FusedRNN"):
        attrs["__init__"] = make(attrs["__init__"])
    got = fill(make(case["init"]), case["name"], tuple(case["shape"]), attrs)
    assert got.tolist() == case["values"]
    assert got.dtype == np.float32


@pytest.mark.parametrize("case", FIXTURE["old_names"], ids=lambda case: case["name"])
def test_plain_names_as_mxnet(case):
    array = nd.full(np.shape(case["values"]), -9)
    with pytest.warns(DeprecationWarning, match=r"\[init\] called with a plain name") as caught:
        init.Constant(7)(case["name"], array)
    assert caught[0].filename == __file__
    assert array.asnumpy().tolist() == case["values"]


@pytest.mark.parametrize("case", FIXTURE["drawn"], ids=lambda case: f"{case['init']}-{case['shape']}")
def test_spread_as_mxnet(case):
    mx.random.seed(3)
    values = fill(make(case["init"]), shape=tuple(case["shape"]))
    assert values.std() == pytest.approx(case["std"], rel=0.03)
    assert abs(values.mean()) < case["std"] / 30
    is_bounded = not any(name in case["init"] for name in ("Normal", "gaussian", "MSRA", "Orthogonal"))
    assert np.abs(values).max() == pytest.approx(case["largest"], rel=1e-3 if is_bounded else 0.4)


@pytest.mark.parametrize("case", FIXTURE["dumped"], ids=by_init)
def test_texts_as_mxnet(case):
    made = make(case["init"])
    assert made.dumps() == case["text"]
    assert made.dumps() == case["text"]  # writing it down changes nothing
    again = init.create(case["text"])
    assert type(again) is type(made)
    assert again.dumps() == case["text"]


@pytest.mark.parametrize("value", [nd.array([[1, 2]]), np.array([[1.0, 2.0]])])
def test_after_dumps_the_keyword_arguments_hold_lists(value):
    made = init.Constant(value)
    assert made._kwargs["value"] is value
    text = made.dumps()
    assert text == json.dumps(["constant", made._kwargs]) == '["constant", {"value": [[1.0, 2.0]]}]'
    assert fill(made, shape=(1, 2)).tolist() == [[1, 2]]


@pytest.mark.parametrize("case", FIXTURE["refused"], ids=lambda case: case["why"])
def test_refused_as_by_mxnet(case):
    builtin = {"ValueError": ValueError, "NotImplementedError": NotImplementedError}[case["error"]]
    with pytest.raises(builtin, match=rf"^\[\w+\] ({case['name']}: |received \w+=)"):
        fill(make(case["init"]), case["name"], tuple(case["shape"]))


# Fans, in our own words: what a layer receives and what it feeds.
FANS = {(30, 50): (50, 30), (16, 8, 3, 3): (72, 144), (8, 16, 5): (80, 40)}


@pytest.mark.parametrize("shape", FANS)
@pytest.mark.parametrize("factor", ["in", "out", "avg"])
def test_xavier_bound(shape, factor):
    fan_in, fan_out = FANS[shape]
    bound = math.sqrt(3 / {"in": fan_in, "out": fan_out, "avg": (fan_in + fan_out) / 2}[factor])
    values = fill(init.Xavier(factor_type=factor), shape=shape)
    assert np.abs(values).max() <= bound
    assert np.abs(values).max() > 0.95 * bound


def test_xavier_of_nothing():
    with mx.util.np_shape():
        assert fill(init.Xavier(factor_type="in"), shape=(3, 0)).shape == (3, 0)


@pytest.mark.parametrize("shape", [(6, 6), (4, 9), (9, 4), (4, 3, 3), (5,)])
@pytest.mark.parametrize("rand_type", ["uniform", "normal"])
def test_orthogonal(shape, rand_type):
    matrix = fill(init.Orthogonal(scale=2, rand_type=rand_type), shape=shape).reshape(shape[0], -1)
    matrix = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    assert np.allclose(matrix @ matrix.T, 4 * np.eye(len(matrix)), atol=1e-5)


def test_orthogonal_refuses_other_distributions():
    with pytest.raises(ValueError, match=r"\[Orthogonal\] a_weight: received rand_type='other'; expected 'uniform'"):
        fill(init.Orthogonal(rand_type="other"))


@pytest.mark.parametrize(
    "made",
    [init.Uniform(), init.Normal(), init.Xavier(), init.MSRAPrelu(), init.Orthogonal()],
    ids=lambda made: type(made).__name__,
)
def test_random_numbers_follow_the_seed(made):
    mx.random.seed(11)
    first, second = fill(made), fill(made)
    mx.random.seed(11)
    assert (fill(made) == first).all()
    assert (first != second).all()


@pytest.mark.parametrize(
    "made", [init.Uniform(1), init.Normal(1), init.Xavier(), init.Constant(0.5), init.Orthogonal()]
)
@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_types_and_places_are_kept(made, dtype):
    array = nd.full((3, 4), -9, dtype=dtype, ctx=mx.cpu(1))
    made(InitDesc("a_weight"), array)
    assert array.dtype == np.dtype(dtype)
    assert array.context == mx.cpu(1)
    assert (np.abs(array.asnumpy()) < 5).all()


def test_variables_keep_their_gradient_buffers():
    array = nd.zeros((3, 4))
    array.attach_grad()
    buffer = array.grad
    init.Xavier()(InitDesc("a_weight"), array)
    with mx.autograd.record():
        loss = (array * 2).sum()
    loss.backward()
    assert array.grad is buffer
    assert (buffer.asnumpy() == 2).all()


def test_quantized_weights():
    values = fill(init.Zero(), "a_weight_quantize", (40, 50), dtype="int8")
    assert values.dtype == np.int8
    assert values.min() >= -127
    assert values.max() <= 126
    assert len(np.unique(values)) > 200


def test_your_own():
    class MyInit(init.Initializer):
        def _init_weight(self, name, data):
            data[:] = nd.random.uniform(low=5, high=10, shape=data.shape)

        def _init_bias(self, name, data):
            data[:] = 3

    weight = fill(MyInit())
    assert (weight >= 5).all()
    assert (weight < 10).all()
    assert (fill(MyInit(), "a_bias", (2,)) == 3).all()
    assert (fill(MyInit(), "a_gamma", (2,)) == 1).all()


def test_your_own_by_name():
    @init.register
    @init.alias("halves")
    class TestHalf(init.Initializer):
        def __init__(self, value=0.5):
            super().__init__(value=value)
            self.value = value

        def _init_weight(self, name, arr):
            arr[:] = self.value

    assert type(init.create("TestHalf")) is TestHalf
    assert init.create("halves", value=2).value == 2
    attrs = {"__init__": TestHalf(4).dumps()}
    assert (fill(init.Zero(), "whatever", (2,), attrs) == 4).all()


def test_the_description():
    desc = InitDesc("a_weight")
    assert desc == "a_weight"
    assert (desc.attrs, desc.global_init) == ({}, None)
    made = init.Zero()
    made(desc, nd.zeros(1))
    assert desc.global_init is made
    desc = InitDesc("b", {"__init__": "ones"}, made)
    init.One()(desc, nd.zeros(1))
    assert desc.global_init is made


def test_equality():
    assert init.Xavier() == init.Xavier()
    assert init.Xavier() != init.Xavier(magnitude=2)
    assert init.Zero() != init.One()
    assert init.Zero() != "zero"
    assert init.Constant(nd.array([1, 2])) == init.Constant(np.array([1.0, 2.0]))
    assert init.Constant(nd.array([1, 2])) != init.Constant(nd.array([1, 3]))
    with pytest.raises(TypeError, match="unhashable"):
        hash(init.Zero())


def test_verbosity(caplog):
    with caplog.at_level(logging.INFO):
        fill(init.Constant(2))
        assert not caplog.messages
        fill(init.Constant(2).set_verbosity(True))
        fill(init.Constant(2).set_verbosity(True, lambda arr: f"of shape {arr.shape}"), "b_bias", (2,))
        fill(init.Zero().set_verbosity(True), "c", (4,), {"__init__": "ones"})
    assert caplog.messages == [
        "Initialized a_weight as weight: 2.0",
        "Initialized b_bias as bias: of shape (2,)",
        "Initialized c as ones: 1.0",
    ]


@pytest.mark.filterwarnings("ignore:.*plain name:DeprecationWarning")
def test_plain_names_want_a_name_and_an_array():
    with pytest.raises(TypeError, match=r"\[init\] name: received 3; expected a str"):
        init.Zero()(3, nd.zeros(1))
    with pytest.raises(TypeError, match=r"\[init\] a_weight: received int; expected an NDArray"):
        init.Zero()("a_weight", 3)
    with pytest.raises(ValueError, match=r"\[init\] stn_loc_bias: received shape \(5,\); expected \(6,\)"):
        init.Zero()("stn_loc_bias", nd.zeros(5))


def test_bilinear_wants_four_axes():
    with pytest.raises(ValueError, match=r"\[Bilinear\] a_weight: received shape \(3, 4\); expected 4 axes"):
        fill(init.Bilinear())


def test_load(tmp_path, caplog):
    file = str(tmp_path / "a.params")
    nd.save(file, {"arg:w": nd.array([1, 2]), "aux:m": nd.array([3])})
    made = init.Load(file, default_init=init.One(), verbose=True)
    with caplog.at_level(logging.INFO):
        assert fill(made, "w", (2,)).tolist() == [1, 2]
        assert fill(made, "m", (1,)).tolist() == [3]
        assert fill(made, "b_weight", (2,)).tolist() == [1, 1]
    assert caplog.messages[1:] == ["Initialized m by loading", "Initialized b_weight by default"]
    with pytest.raises(ValueError, match=r"\[Load\] w: received a stored shape of \(2,\); expected \(3,\)"):
        fill(made, "w", (3,))
    with pytest.raises(ValueError, match=r"\[Load\] v: is not among the loaded arrays; give default_init"):
        fill(init.Load({"w": nd.zeros(2)}), "v", (2,))
    with pytest.raises(TypeError, match=r"\[Load\] received list; expected arrays with names"):
        init.Load([nd.zeros(2)])


def test_mixed():
    made = init.Mixed(["a.*", ".*_bias", ".*"], [init.One(), init.Constant(3), init.Zero()])
    assert (fill(made) == 1).all()
    assert (fill(made, "b_weight") == 0).all()
    with pytest.raises(ValueError, match="received 1 patterns and 2 initializers; expected as many"):
        init.Mixed([".*"], [init.Zero(), init.One()])
    with pytest.raises(ValueError, match=r'\[Mixed\] b: fits none of the patterns; add "\.\*"'):
        fill(init.Mixed(["a"], [init.Zero()]), "b")


def test_fused_rnn_draws_for_each_part():
    made = init.FusedRNN("xavier", 5, 2, "gru", bidirectional=True)
    size = 2 * 3 * 5 * (4 + 5 + 2) + 2 * 3 * 5 * (10 + 5 + 2)
    values = fill(made, shape=(size,))
    weights = 2 * 3 * 5 * (4 + 5) + 2 * 3 * 5 * (10 + 5)
    assert len(np.unique(values[:weights])) > 0.95 * weights
    assert np.abs(values[:20]).max() <= math.sqrt(3 / 4.5)  # 5 x 4
    assert (values[weights:] == 0).all()


def test_fused_rnn_refusals():
    with pytest.raises(ValueError, match=r"\[FusedRNN\] mode: received 'other'; expected one of rnn_relu"):
        init.FusedRNN(None, 2, 1, "other")
    with pytest.raises(ValueError, match=r"\[FusedRNN\] a_weight: received 13 elements, which make no such layers"):
        fill(init.FusedRNN(init.Zero(), 2, 1, "lstm"), shape=(13,))
    with pytest.raises(ValueError, match="there is no initializer for the parts; give FusedRNN one"):
        init.FusedRNN(None, 2, 1, "lstm")._init_weight("a_weight", nd.zeros(64))


def test_names():
    for name in init.__all__:
        assert hasattr(init, name)
    assert init.NDArray is nd.NDArray
    assert init.load is nd.load


@pytest.mark.parametrize("name", ["xavier", "msraprelu", "uniform", "normal", "orthogonal"])
def test_sparse_weights_are_drawn(name):
    weight = nd.zeros((6, 4), stype="row_sparse")
    init.create(name)(InitDesc("weight"), weight)
    assert weight.stype == "row_sparse"
    assert len(np.unique(weight.asnumpy())) == 24
