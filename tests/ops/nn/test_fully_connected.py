"""The fully connected layer, beyond the recorded cases."""

import mxnet as mx
from regluon.ops import registry
from tests.ops.base import check_bad_input


def test_completes_weight_and_bias() -> None:
    operator = registry.find("FullyConnected")
    params = operator.full_params(operator.parse({"num_hidden": 4}))
    assert operator.completes((2, 3, 5), **params) == {"weight": (4, 15), "bias": (4,)}
    params = operator.full_params(operator.parse({"num_hidden": 4, "flatten": False, "no_bias": True}))
    assert operator.completes((2, 3, 5), **params) == {"weight": (4, 5)}


def test_refusals() -> None:
    data, weight, bias = mx.nd.ones((2, 3)), mx.nd.ones((4, 3)), mx.nd.ones((4,))
    call = mx.nd.FullyConnected
    check_bad_input(lambda: call(data, weight, num_hidden=4), "bias is missing")
    check_bad_input(lambda: call(data, weight, bias, num_hidden=4, no_bias=True), "although no_bias=True")
    check_bad_input(lambda: call(data, weight, bias, num_hidden=5), r"expected weight of shape \(5, 3\), got \(4, 3\)")
    check_bad_input(lambda: call(data, weight, bias, num_hidden=0), "num_hidden=0")
    check_bad_input(lambda: call(data.astype("int32"), weight, bias, num_hidden=4), "data of int32")


def test_a_wrong_width_says_how_many_features_a_sample_has() -> None:
    weight = mx.nd.ones((4, 3))

    def call(shape: tuple[int, ...], flatten: bool = True) -> mx.nd.NDArray:
        return mx.nd.FullyConnected(mx.nd.ones(shape), weight, num_hidden=4, no_bias=True, flatten=flatten)

    check_bad_input(lambda: call((2, 5)), r"weight float32\(4, 3\): expects 3 features per sample, received 5$")
    check_bad_input(
        lambda: call((2, 1, 5)), r"received 5: flatten=True joins the axes \(1, 5\) of each sample, flatten"
    )
    check_bad_input(lambda: call((2, 3, 5), False), r"3 features per sample, received 5: flatten=False takes the last")
    check_bad_input(lambda: call((5,)), r"received 1: each element is a sample, and .* one sample of 5 features$")
