"""Run by test_declaration.py in a process of its own: uses the added operator everywhere, and prints what it found."""

import json
from typing import Any

import mxnet as mx
from mxnet import autograd, gluon, nd, sym
from regluon.ops.nn.dense import CALLS

X, W, G = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[1.0, -1.0], [0.5, 2.0]], [1, 0, 2]


def _inputs() -> list[nd.NDArray]:
    return [nd.array(X), nd.array(W), nd.array(G, dtype="int32")]


def _eager() -> dict[str, Any]:
    data, weight, gate = _inputs()
    for array in (data, weight):
        array.attach_grad()
    with autograd.record():
        result = nd.GatedDense(data, weight, gate, num_hidden=2)
    result.backward(nd.array([[1, 2], [3, 4], [5, 6]]))
    try:
        nd.GatedDense(data, weight, gate, num_hiden=2)
    except mx.MXNetError as error:
        refused = str(error)
    return {
        "result": result.asnumpy().tolist(),
        "alias": nd.gated_dense(data, weight, gate, num_hidden=2).asnumpy().tolist(),
        "data_grad": data.grad.asnumpy().tolist(),
        "weight_grad": weight.grad.asnumpy().tolist(),
        "refused": refused,
    }


def _graph() -> dict[str, Any]:
    net = sym.GatedDense(sym.var("x"), num_hidden=2, name="g")
    without = sym.gated_dense(sym.var("x"), num_hidden=2, keep_mask=False, name="g")
    CALLS.clear()
    shapes = net.infer_shape(x=(3, 4))
    by_rule = list(CALLS)
    loaded = sym.load_json(net.tojson())
    executor = loaded.bind(mx.cpu(), dict(zip(("x", "g_weight", "g_gate"), _inputs(), strict=True)))
    return {
        "arguments": net.list_arguments(),
        "shapes": shapes,
        "by_rule": by_rule,
        "partial": (net + sym.var("after", shape=(3, 2))).infer_shape_partial(x=(0, 4))[0][0],
        "dtypes": [str(dtype.__name__) for dtype in net.infer_type(x="float16")[0]],
        "outputs": net.list_outputs(),
        "row_ptr": [json.loads(each.tojson())["node_row_ptr"] for each in (net, without)],
        "init": net.attr_dict()["g_weight"]["__init__"],
        "same_json": loaded.tojson() == net.tojson(),
        "result": executor.forward()[0].asnumpy().tolist(),
    }


class _Net(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(2, 0), allow_deferred_init=True)

    def hybrid_forward(self, F: Any, x: Any, gate: Any, weight: Any) -> Any:
        return F.tanh(F.GatedDense(x, weight, gate, num_hidden=2))


def _trained(hybridized: bool) -> list[list[float]]:
    net = _Net()
    net.initialize(mx.init.Constant(0.125))
    if hybridized:
        net.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    data, _, gate = _inputs()
    for _ in range(4):
        with autograd.record():
            loss = net(data, gate).sum()
        loss.backward()
        trainer.step(3)
    weight: list[list[float]] = net.weight.data().asnumpy().tolist()
    return weight


def main() -> None:
    found = {"eager": _eager(), "graph": _graph(), "as_written": _trained(hybridized=False)}
    CALLS.clear()
    found["hybridized"] = _trained(hybridized=True)
    found["written_out"] = "gradient" in CALLS
    print(json.dumps(found))


main()
