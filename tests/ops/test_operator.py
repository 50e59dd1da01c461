"""The mechanism of the registry: declaring, binding, parsing, inferring, explaining. Its contents: test_registry.py."""

import copy

import numpy as np
import pytest
import torch
from torch import Tensor

from mxnet import nd, sym
from mxnet.base import MXNetError, _Null
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from regluon.ops import registry
from regluon.ops.inference import infer
from regluon.ops.params import Ctx, DType, Rng, Shape, Training
from regluon.ops.registry import REQUIRED, Operator, describe, explained, find


def blend(data: Tensor, weight: Tensor, bias: Tensor | None = None, *, size: int, alpha: float = 0.5, axes: Shape = ()):
    """Blends.

    More text.
    """
    return data * alpha + weight


def gather(*data: Tensor, dim: int = 1, training: Training, rng: Rng):
    """Gathers."""
    return torch.cat(data, dim)


def made(*, shape: Shape = (), ctx: Ctx = None, dtype: DType = torch.float32):
    """Makes."""
    return torch.zeros(shape, dtype=dtype, device=ctx.device)


@pytest.fixture
def blender():
    return Operator("Blend", ("blend",), blend)


@pytest.fixture
def gatherer():
    return Operator("Gather", (), gather, count_param="num_args")


# -- declaring ------------------------------------------------------------------------------------------------------


def test_copies_of_graphs_share_operators():
    operator = find("_plus_scalar")
    assert copy.deepcopy([operator]) == [operator]
    net = copy.deepcopy(sym.var("x") + 1)
    assert net.infer_type(x="int8")[1] == [np.int8]


def test_a_declaration_is_read_from_the_signature(blender):
    assert (blender.inputs, blender.num_required, blender.variadic) == (("data", "weight", "bias"), 2, False)
    assert list(blender.params) == ["size", "alpha", "axes"]
    assert blender.params["size"].default is REQUIRED
    assert blender.params["alpha"].default == 0.5
    assert blender.doc == "Blends.\n\nMore text."
    assert repr(blender) == "<operator Blend>"


def test_what_the_surroundings_supply_is_no_parameter(gatherer):
    assert gatherer.variadic
    assert (gatherer.needs_training, gatherer.needs_rng, gatherer.placed) == (True, True, False)
    assert list(gatherer.params) == ["dim"]
    assert Operator("Made", (), made).placed


def test_unknown_traits_are_a_mistake():
    with pytest.raises(AssertionError, match=r"\[Blend\] unknown traits \['colour'\]"):
        Operator("Blend", (), blend, colour="red")


def test_names_are_declared_once(monkeypatch):
    monkeypatch.setattr(registry, "_operators", {})
    declare = registry.operator("Blend", "blend")
    assert declare(blend) is blend
    assert find("Blend") is find("blend")
    assert dict(registry.names()) == {"Blend": find("Blend"), "blend": find("Blend")}
    with pytest.raises(AssertionError, match="blend is declared twice"):
        registry.operator("Other", "blend")(blend)


def test_unknown_operators_are_named_with_the_nearest():
    with pytest.raises(
        MXNetError, match=r"^\[operator\] there is no operator 'FullyConected'; the nearest are FullyConn"
    ):
        find("FullyConected")
    with pytest.raises(MXNetError, match=r"^\[operator\] there is no operator '@'.$"):
        find("@")


def test_number_of_outputs(blender):
    assert blender.num_outputs({}) == 1
    split = Operator("Split", (), blend, outputs=lambda params: params["size"] if params["alpha"] == 0.5 else 1)
    assert split.num_outputs({"size": 3}) == 3
    assert split.num_outputs({"size": 3, "alpha": 1.0}) == 1


def test_full_params(blender):
    assert blender.full_params({"size": 2}) == {"size": 2, "alpha": 0.5, "axes": ()}


# -- binding --------------------------------------------------------------------------------------------------------


def test_arguments_are_sorted(blender):
    expected = (["a", "b", "c"], {"size": 1, "alpha": 2.0})
    assert blender.bind(("a", "b", "c", 1, 2), {}) == expected
    assert blender.bind(("a", "b", "c"), {"size": 1, "alpha": 2}) == expected
    assert blender.bind(("a",), {"bias": "c", "weight": "b", "alpha": 2, "size": 1}) == expected
    assert blender.bind((), {"bias": "c", "size": 1}) == ([None, None, "c"], {"size": 1})
    assert blender.bind(("a", "b", None), {"bias": "c", "size": 1}) == (["a", "b", "c"], {"size": 1})


def test_parameters_not_given_are_left_out(blender):
    assert blender.bind(("a", "b"), {"size": 1, "alpha": _Null}) == (["a", "b"], {"size": 1})


def test_lists_of_inputs(gatherer):
    for args in (("a", "b"), (["a", "b"],), (("a", "b"),)):
        assert gatherer.bind(args, {"dim": 0, "num_args": 2}) == (["a", "b"], {"dim": 0})


def test_too_many_positional_arguments(blender):
    text = (
        r"^\[Blend\] received 7 positional arguments; expected at most 3 inputs \(data, weight, bias\) and 3 "
        r"parameters \(size, alpha, axes\)"
    )
    with pytest.raises(OpTypeError, match=text):
        blender.bind(("a", "b", "c", 1, 2, (), 7), {})


def test_arguments_given_twice(blender):
    with pytest.raises(OpTypeError, match=r"^\[Blend\] received size both by position and by name"):
        blender.bind(("a", "b", "c", 1), {"size": 1})
    with pytest.raises(OpTypeError, match=r"^\[Blend\] received input data both by position and by name"):
        blender.bind(("a",), {"data": "b", "size": 1})


# -- parsing --------------------------------------------------------------------------------------------------------


def test_required_parameters(blender):
    text = r"^\[Blend\] parameter size is required; give it by name, such as size=..., an integer"
    with pytest.raises(OpParamError, match=text):
        blender.parse({"alpha": 1})
    with pytest.raises(OpParamError, match=text):
        blender.parse({"size": _Null})


def test_values_that_do_not_fit(blender):
    with pytest.raises(OpParamError, match=r"^\[Blend\] parameter size: received 1.5 \(float\); expected an integer"):
        blender.parse({"size": 1.5})
    with pytest.raises(OpParamError, match=r"parameter axes: received \['a'\] \(list\); expected a tuple of integers"):
        blender.parse({"size": 1, "axes": ["a"]})


def test_unknown_parameters(blender, gatherer):
    text = (
        r"^\[Blend\] received an unknown parameter 'sice'; expected some of data, weight, bias, size, alpha, axes. "
        r"Did you mean size\?"
    )
    with pytest.raises(OpParamError, match=text):
        blender.parse({"sice": 1})
    with pytest.raises(OpParamError, match=r"^\[Gather\] received an unknown parameter 'zzz'; expected some of dim.$"):
        gatherer.parse({"zzz": 1})


def test_parsed_parameters_are_remembered(blender):
    first = blender.parse({"size": 1, "axes": (1, 2)})
    assert blender.parse({"size": 1, "axes": (1, 2)}) is first
    assert blender.parse({"size": 1, "axes": [1, 2]}) == first  # a list cannot be looked up


@pytest.mark.parametrize(("first", "second"), [(1, True), (1, 1.0), (0, False), (0.0, -0.0)])
def test_equal_values_of_different_kinds_are_told_apart(first, second):
    def typed(data: Tensor, *, value: str):
        return data

    operator = Operator("Typed", (), typed)
    assert operator.parse({"value": first}) == {"value": str(first)}
    assert operator.parse({"value": second}) == {"value": str(second)}


def test_refused_values_stay_refused_after_equal_ones(blender):
    blender.parse({"size": 1})
    with pytest.raises(OpParamError, match=r"received 1.0 \(float\)"):
        blender.parse({"size": 1.0})


def test_the_memory_of_parsed_parameters_is_limited(blender):
    for number in range(registry._CACHE_LIMIT * 2 + 5):
        blender.parse({"size": number})
    assert 0 < len(blender._parsed) <= registry._CACHE_LIMIT
    assert blender.parse({"size": 7}) == {"size": 7}


def test_values_inside_tuples_are_told_apart(blender):
    blender.parse({"size": 1, "axes": (1, 0)})
    with pytest.raises(OpParamError, match=r"parameter axes: received \(1.0, 0\) \(tuple\)"):
        blender.parse({"size": 1, "axes": (1.0, 0)})


def test_arrays_among_parameters_are_not_kept(blender):
    index = nd.array([3], dtype="int32")
    assert blender.parse({"size": index}) == {"size": 3}
    index[:] = 4
    assert blender.parse({"size": index}) == {"size": 4}
    assert blender.parse({"size": np.int64(4), "axes": np.array([1, 2])}) == {"size": 4, "axes": (1, 2)}
    assert not blender._parsed


# -- inferring and explaining ---------------------------------------------------------------------------------------


def test_infer_finds_shapes_and_dtypes_without_data(blender):
    specs = [((2, 3), torch.float16), ((1, 3), torch.float16), None]
    assert infer(blender, specs, {"size": 1}) == [((2, 3), torch.float16)]


def test_infer_supplies_the_surroundings(gatherer):
    specs = [((2, 3), torch.float32), ((2, 4), torch.float32)]
    assert infer(gatherer, specs, {"dim": 1}, training=True) == [((2, 7), torch.float32)]
    large = {"shape": (1 << 30, 1 << 10), "dtype": torch.int8}
    assert infer(Operator("Made", (), made), [], large) == [((1 << 30, 1 << 10), torch.int8)]


def test_infer_leaves_auxiliary_updates_out():
    def counting(data: Tensor, count: Tensor):
        return (data * 2, data.sum()), (count + 1,)

    operator = Operator("Counting", (), counting, auxiliary=("count",))
    assert operator.auxiliary == (1,)
    specs = [((2,), torch.float32), ((1,), torch.float32)]
    assert infer(operator, specs, {}) == [((2,), torch.float32), ((), torch.float32)]


def test_infer_explains(gatherer):
    specs = [((2, 3), torch.float32), ((5, 4), torch.float32)]
    with pytest.raises(
        OpShapeError, match=r"^\[Gather\] received data\[0\] float32\(2, 3\), data\[1\] float32\(5, 4\): "
    ):
        infer(gatherer, specs, {"dim": 1})


def test_describe_leaves_out_what_was_not_given(blender):
    tensors = [torch.zeros(2), None, torch.zeros(1, dtype=torch.complex64)]
    assert describe(blender, tensors) == "data float32(2,), bias torch.complex64(1,)"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (IndexError("out of range"), OpIndexError),
        (TypeError("bad"), OpTypeError),
        (RuntimeError("expected scalar type Float but found Long"), OpTypeError),
        (RuntimeError("expected dtype x"), OpTypeError),
        (RuntimeError("size mismatch"), OpShapeError),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), OpShapeError),
        (RuntimeError("something else"), MXNetError),
        (OpParamError("alpha is too large"), OpParamError),
    ],
    ids=repr,
)
def test_explained_chooses_the_kind_and_says_who(blender, error, kind):
    found = explained(blender, [torch.zeros(2), torch.zeros(3)], error)
    assert type(found) is kind
    assert str(found) == f"[Blend] received data float32(2,), weight float32(3,): {error}"


def test_explained_shows_the_first_line_only(blender):
    found = explained(blender, [], RuntimeError("what\nException raised from somewhere.cpp"))
    assert str(found) == "[Blend] received no inputs: what"
