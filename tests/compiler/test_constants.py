"""What depends on parameters alone is computed once, and stays as it is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mxnet import gluon, nd

# A value that rests on the parameter alone, and is read by what does not: before, after and while others rest on it.
FUNCTIONS: dict[str, tuple[Callable[..., Any], list[float]]] = {
    "written over by a sum": (lambda F, x, w: F.elemwise_add(w * 2, x), [-1, 7]),
    "written over by relu": (lambda F, x, w: F.elemwise_add(F.elemwise_mul(x, z := w * 2), F.relu(z)), [-2, 12]),
    "dropped after the last use": (
        lambda F, x, w: F.elemwise_add(F.elemwise_mul(x, z := w * 2), F.square(z) - F.square(z) * 0.5),
        [0, 24],
    ),
    "a constant of two layers": (
        lambda F, x, w: F.elemwise_add(F.elemwise_mul(x, z := F.ones((2,))), F.elemwise_mul(F.relu(z), w)),
        [0, 4],
    ),
}


class _Net(gluon.HybridBlock):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        with self.name_scope():
            self.w = self.params.get("w", shape=(2,))

    def hybrid_forward(self, F: Any, x: Any, w: Any) -> Any:
        return self.function(F, x, w)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_that_others_read_are_kept_for_the_next_run(name: str) -> None:
    function, expected = FUNCTIONS[name]
    net = _Net(function)
    net.initialize()
    net.w.set_data(nd.array([-1.0, 3.0]))
    net.hybridize()
    for _ in range(3):
        np.testing.assert_array_equal(net(nd.ones((2,))).asnumpy(), expected)
    net.w.set_data(nd.array([0.0, 0.0]))
    np.testing.assert_array_equal(net(nd.ones((2,))).asnumpy(), net.function(nd, nd.ones((2,)), net.w.data()).asnumpy())
