"""Small contributed operators: gradients of gradients, backward operators that MXNet's Python cannot call, errors."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from regluon.ops import registry
from regluon.ops.inference import infer
from tests.ops.base import check_bad_input

NAMES = mx.nd._internal


def _array(*shape: int) -> mx.nd.NDArray:
    return mx.nd.array(np.random.RandomState(7).randn(*shape), dtype="float64")


def test_backward_operators_are_the_gradients() -> None:
    data, new, head = _array(4, 2), _array(2, 2) + 9, _array(4, 2) * 3
    places = mx.nd.array([3, 1])
    for array in (data, new):
        array.attach_grad()
    with mx.autograd.record():
        result = mx.nd.contrib.quadratic(data, a=2, b=3, c=4)
    result.backward(head)
    by_operator = NAMES._contrib_backward_quadratic(head, data, a=2, b=3, c=4)
    np.testing.assert_allclose(by_operator.asnumpy(), data.grad.asnumpy())
    with mx.autograd.record():
        result = mx.nd.contrib.index_copy(data, places, new)
    result.backward(head)
    kept, nothing, taken = NAMES._contrib_backward_index_copy(head, data, places, new)
    np.testing.assert_array_equal(kept.asnumpy(), data.grad.asnumpy())
    np.testing.assert_array_equal(taken.asnumpy(), new.grad.asnumpy())
    assert not nothing.asnumpy().any()


@pytest.mark.parametrize(("squeeze", "indices", "sections"), [(False, (0, 1, 3), 0), (False, (), 3), (True, (0, 1), 0)])
def test_split_backward_puts_the_parts_together(squeeze: bool, indices: tuple[int, ...], sections: int) -> None:
    data = _array(3, 2 if squeeze else 5)
    params = {"indices": indices, "axis": 1, "squeeze_axis": squeeze, "sections": sections}
    parts = NAMES._split_v2(data, **params)
    np.testing.assert_array_equal(NAMES._split_v2_backward(*parts, **params).asnumpy(), data.asnumpy())


def test_multiplied_gradients_can_be_differentiated() -> None:
    data = mx.nd.array([1.0, 2.0])
    data.attach_grad()
    with mx.autograd.record():
        result = mx.nd.contrib.gradientmultiplier(data, scalar=3.0) ** 3
        (first,) = mx.autograd.grad(result, [data], create_graph=True)
    first.backward()
    np.testing.assert_allclose(first.asnumpy(), 9 * data.asnumpy() ** 2)
    np.testing.assert_allclose(data.grad.asnumpy(), 54 * data.asnumpy())


def test_float16_counts_in_fractions() -> None:
    """MXNet cuts off start and step there."""
    result = mx.nd.contrib.arange_like(mx.nd.zeros(3, dtype="float16"), start=0.25, step=0.5)
    np.testing.assert_array_equal(result.asnumpy(), np.array([0.25, 0.75, 1.25], "float16"))


def test_a_mask_has_no_shape_beforehand() -> None:
    dtype = mx.nd.ones(1).as_torch().dtype
    with pytest.raises(OpShapeError, match=r"the shape of the result depends on the data of index"):
        infer(registry.find("_contrib_boolean_mask"), [((3, 2), dtype), ((3,), dtype)], {})


def test_texts_of_errors() -> None:
    contrib, data = mx.nd.contrib, mx.nd.ones((3, 2))
    check_bad_input(lambda: contrib.arange_like(data, repeat=0), "repeat=0; expected at least 1", OpParamError)
    check_bad_input(lambda: contrib.arange_like(data, axis=2), "axis=2 is out of range", OpIndexError)
    check_bad_input(lambda: contrib.boolean_mask(data, mx.nd.ones(2), axis=1), "axis=1; expected 0", OpParamError)
    check_bad_input(
        lambda: contrib.boolean_mask(data, mx.nd.ones(2)), "expected index with one number for each", OpShapeError
    )
    check_bad_input(lambda: contrib.index_array(data, axes=(2,)), "axes=2 is out of range", OpIndexError)
    check_bad_input(lambda: contrib.index_copy(data, mx.nd.array([3]), mx.nd.ones((1, 2))), "out of", OpIndexError)
    check_bad_input(
        lambda: contrib.index_copy(data, mx.nd.array([1]), mx.nd.ones((2, 2))),
        r"expected new_tensor of shape \(1, 2\), got \(2, 2\)",
        OpShapeError,
    )
    check_bad_input(lambda: contrib.allclose(data, data.astype("float64")), "expected inputs of one dtype", OpTypeError)
    check_bad_input(
        lambda: NAMES._split_v2_backward(data, indices=(0, 1)), "expected gradients of 2 parts, got 1", OpShapeError
    )
    check_bad_input(
        lambda: NAMES._split_v2_backward(data, mx.nd.ones((2, 2)), indices=(0, 1)),
        r"expected every part of shape \(3, 2\), got \(2, 2\)",
        OpShapeError,
    )
