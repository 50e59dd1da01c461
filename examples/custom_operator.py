"""An operator of your own with a gradient of your own, in Python: called on arrays, in a hybridized block, in a graph.

It rounds to steps, as weights of small devices are. Rounding has no useful gradient, so `backward` passes on what comes
wherever the input was in range: the straight-through estimator.
"""

from typing import Any

import mxnet as mx
from mxnet import autograd, gluon, nd


class Quantize(mx.operator.CustomOp):
    """What it computes."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps = steps

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        clipped = nd.clip(in_data[0], -1, 1)
        self.assign(out_data[0], req[0], nd.round(clipped * self.steps) / self.steps)

    def backward(self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> None:
        self.assign(in_grad[0], req[0], out_grad[0] * (nd.abs(in_data[0]) <= 1))


@mx.operator.register("quantize_weight")
class QuantizeProp(mx.operator.CustomOpProp):
    """What it is: its inputs, outputs and shapes are the default ones. Parameters arrive as text."""

    def __init__(self, steps: str = "8") -> None:
        super().__init__()
        self.steps = int(steps)

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Quantize:
        return Quantize(self.steps)


class QuantizedDense(gluon.HybridBlock):
    """A layer that computes with rounded weights and learns the exact ones."""

    def __init__(self, units: int, in_units: int, steps: int = 4) -> None:
        super().__init__()
        self._units, self._steps = units, steps
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(units, in_units))

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        rounded = F.Custom(weight, op_type="quantize_weight", steps=self._steps)
        return F.FullyConnected(x, rounded, no_bias=True, num_hidden=self._units)


def main(steps: int = 100) -> float:
    mx.random.seed(9)
    x = nd.array([-2, -0.6, -0.1, 0.3, 2])
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="quantize_weight", steps=2)
    y.backward()
    print("rounded to halves:", y.asnumpy(), "gradient:", x.grad.asnumpy())

    net = QuantizedDense(1, in_units=3)
    net.initialize(mx.init.Uniform(0.5))
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    truth = nd.array([[0.25, -0.75, 1]])
    for _ in range(steps):
        data = nd.random.normal(shape=(32, 3))
        with autograd.record():
            loss = (net(data) - nd.dot(data, truth.T)) ** 2
        loss.backward()
        trainer.step(32)
    print("exact weights:", net.weight.data().asnumpy(), "loss:", loss.mean().asscalar())
    print("as a graph:", net(mx.sym.var("data")).get_internals().list_outputs())
    return loss.mean().asscalar()


if __name__ == "__main__":
    main()
