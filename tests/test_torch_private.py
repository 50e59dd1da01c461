"""Torch's private interfaces are named in one place, and everything works without them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from regluon import torch_private

SOURCES = Path(torch_private.__file__).parent
PRIVATE = re.compile(
    r"\btorch(\.\w+)*\._[a-z]|\bfrom torch[\w.]* import .*\b_\w|\bfrom torch[\w.]*\._|\btorch\.ops\.(aten|mkldnn)\b"
    r"|\._(version|is_zerotensor|cdata)\b"
)
HEADER = re.compile(r"#include <(ATen|c10|torch)/(?!csrc/stable/|headeronly/)")


def test_no_other_file_names_them() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{number}: {line.strip()}"
        for path in sorted(SOURCES.rglob("*.py"))
        if path.name != "torch_private.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if PRIVATE.search(line)
    ]
    assert not found, "\n".join(found)


def test_no_other_file_includes_unstable_headers() -> None:
    files = [*SOURCES.rglob("*.cpp"), *SOURCES.rglob("*.h")]
    assert [path.name for path in files if HEADER.search(path.read_text(encoding="utf-8"))] == ["torch_private.h"]


# A program that uses most of them; prints numbers.
PROGRAM = """
import json
import numpy as np
import mxnet as mx
from mxnet import autograd, gluon, nd

draw = np.random.RandomState(0)
found = {}
for optimizer in ("sgd", "adam", "lamb", "adagrad", "ftrl", "adamax", "nag", "signum"):
    mx.random.seed(1)
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(8, 3, padding=1, use_bias=False), gluon.nn.BatchNorm())
    net.add(gluon.nn.Activation("relu"), gluon.nn.MaxPool2D())
    net.add(gluon.nn.Dense(16, activation="sigmoid"), gluon.nn.GELU(), gluon.nn.LayerNorm(), gluon.nn.Dense(4))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.01})
    x, y = nd.array(draw.randn(4, 3, 8, 8)), nd.array([0, 1, 2, 3])
    x.attach_grad()
    for _ in range(4):
        with autograd.record():
            value = loss(net(x), y)
        value.backward()
        trainer.step(4)
    found[optimizer] = [float(value.sum().asscalar()), float(x.grad.norm().asscalar()), float(net(x).sum().asscalar())]
    draw = np.random.RandomState(0)

layer = gluon.rnn.GRU(6, input_size=5)
mx.random.seed(2)
layer.initialize(mx.init.Uniform(0.5))
x = nd.array(draw.randn(3, 2, 5))
x.attach_grad()
with autograd.record():
    (gradient,) = autograd.grad((layer(x) ** 2).sum(), [x], create_graph=True)
    penalty = (gradient**2).sum()
penalty.backward()
found["second"] = [float(x.grad.norm().asscalar())]
count = nd.array([1, 2, 3], dtype="int32")
count.attach_grad()
with autograd.record():
    total = nd.concat(count * count, count, dim=0).sum()
total.backward()
found["integers"] = count.grad.asnumpy().tolist()
draws = nd.random.gamma(alpha=2.5, beta=1.5, shape=(20000,))
found["features"] = [int(mx.runtime.Features().is_enabled("LAPACK"))]
print(json.dumps([found, float(draws.mean().asscalar()), float((draws**2).mean().asscalar())]))
"""


def _numbers(**settings: str) -> list:
    environment = {**os.environ, **settings}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def test_programs_run_without_them() -> None:
    expected, found = _numbers(), _numbers(MXNET_TORCH_PRIVATE="0")
    assert expected[0].keys() == found[0].keys()
    for name, numbers in expected[0].items():
        np.testing.assert_allclose(found[0][name], numbers, rtol=2e-4, err_msg=name)
    for _, mean, square in (expected, found):
        assert mean == pytest.approx(2.5 * 1.5, rel=0.03)
        assert square - mean**2 == pytest.approx(2.5 * 1.5**2, rel=0.1)


CALLS = {
    "add": (("b",), {"alpha": 2}),
    "mul_": (([2.0, 3.0],), {}),
    "addcmul_": (("b", "c"), {"value": -2}),
    "addcdiv_": (("b", "c", [0.5, 2.0]), {}),
    "maximum_": (("b",), {}),
    "norm": ((), {}),
    "clamp_max": ((0.1,), {}),
    "copy_": (("b",), {}),
    "sqrt": ((), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_lists_one_by_one(name: str) -> None:
    positional, options = CALLS[name]

    def lists() -> dict[str, list[torch.Tensor]]:
        draw = torch.Generator().manual_seed(0)
        return {each: [torch.rand(n, generator=draw) + 0.5 for n in (3, 4)] for each in "abc"}

    results = []
    for function in (getattr(torch_private.foreach, name), torch_private._one_by_one(name)):
        made = lists()
        arguments = [made.get(each, each) if isinstance(each, str) else each for each in positional]
        found = function(made["a"], *arguments, **options)
        results.append(made["a"] if found is None else list(found))
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("tree", [1, [], (1, [2, 3]), ((1,), {"a": [2], "b": 3}), ([], {})], ids=str)
def test_trees(tree: object) -> None:
    leaves, structure = torch_private._flatten_here(tree)
    assert leaves == torch.utils._pytree.tree_flatten(tree)[0]
    assert torch_private._unflatten_here(leaves, structure) == tree


@pytest.mark.parametrize("alpha", [0.05, 0.7, 1.0, 3.0, 80.0])
def test_gamma_distribution(alpha: float) -> None:
    draws = torch_private._gamma_here(torch.full((40000,), alpha), torch.Generator().manual_seed(0)).double()
    assert draws.mean().item() == pytest.approx(alpha, rel=0.05)
    assert draws.var().item() == pytest.approx(alpha, rel=0.1)


def test_gradients_of_softmax() -> None:
    data = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    for function, ours in (
        (torch.softmax, torch_private._softmax_backward_here),
        (torch.log_softmax, torch_private._log_softmax_backward_here),
    ):
        result = function(data, 1)
        grad = torch.randn_like(result)
        (expected,) = torch.autograd.grad(result, data, grad)
        torch.testing.assert_close(ours(grad, result.detach(), 1, result.dtype), expected)
