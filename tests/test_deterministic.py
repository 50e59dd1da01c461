"""`mx.util.deterministic`: the same bits in every run, with kernels in C++ and without timing."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import mxnet as mx
from mxnet.test_utils import environment
from regluon.config import process
from regluon.kernels import tuning
from tests.compiled_kernels import REQUEST, compiled_library

TRAINING = """
import hashlib, sys
import torch
torch.set_num_threads(int(sys.argv[1]))
import mxnet as mx
from mxnet import autograd, gluon
from mxnet.gluon import nn

class Residual(nn.HybridBlock):
    def __init__(self, channels):
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(nn.Conv2D(channels, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"),
                          nn.Conv2D(channels, 3, padding=1), nn.BatchNorm())

    def hybrid_forward(self, F, x):
        return F.relu(x + self.body(x))

mx.random.seed(7)
net = nn.HybridSequential()
net.add(nn.Conv2D(16, 5), nn.MaxPool2D(2), nn.Activation("relu"), Residual(16), nn.GlobalAvgPool2D(), nn.Flatten(),
        nn.Dense(32, activation="relu"), nn.Dropout(0.2), nn.Dense(10))
net.initialize(mx.init.Xavier())
net.hybridize()
loss = gluon.loss.SoftmaxCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.003})
x, y = mx.nd.random.normal(shape=(16, 3, 32, 32)), mx.nd.random.randint(0, 10, shape=(16,)).astype("float32")
for step in range(30):
    with autograd.record():
        error = loss(net(x), y)
    error.backward()
    trainer.step(16)
digest = hashlib.sha256()
for value in [*(parameter.data() for parameter in net.collect_params().values()), net(x)]:
    digest.update(value.asnumpy().tobytes())
print(digest.hexdigest(), mx.runtime.Features().is_enabled("NATIVE_KERNELS"))
"""


def train(home: Path, threads: int, kernels: str) -> list[str]:
    settings = {
        **os.environ,
        "MXNET_HOME": str(home),
        "MXNET_DETERMINISTIC": "1",
        "MXNET_AUTOTUNE": "1",
        "MXNET_NATIVE": kernels,
    }
    command = [sys.executable, "-c", TRAINING, str(threads)]
    return subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("threads", [1, 2])
def test_processes_train_to_the_same_bits(threads: int) -> None:
    compiled_library()  # skips the test where there is none
    home = os.environ.get("MXNET_HOME") or os.path.expanduser("~/.mxnet")
    first, second = (train(Path(home), threads, REQUEST) for _ in range(2))
    assert first == second
    assert first[1] == "True"


@pytest.fixture
def tuned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A tuner that has chosen the second of two candidates."""
    monkeypatch.setenv("MXNET_AUTOTUNE", "1")
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    found = tuning._Tuner()
    found._chosen["work"] = 1
    return found


WAYS = ("first", lambda: "first"), ("second", lambda: "second")


def test_choices_by_timing_are_ignored(tuned: Any) -> None:
    assert tuned.run("work", WAYS) == "second"
    with mx.util.deterministic():
        assert tuned.run("work", WAYS) == "first"
        assert tuned.choice("work", ("first", "second")) == 0
        assert tuned.run("other", WAYS) == "first"
        assert tuned._trials == {}
    assert tuned.run("work", WAYS) == "second"


def test_a_switch_and_a_scope() -> None:
    assert not process.deterministic
    mx.util.deterministic()
    assert process.deterministic
    with mx.util.deterministic(False):
        assert not process.deterministic
        with pytest.raises(KeyError), mx.util.deterministic():
            raise KeyError
        assert not process.deterministic
    assert process.deterministic
    mx.util.deterministic(False)
    assert not process.deterministic


def test_compiled_networks_are_compiled_again() -> None:
    """A program keeps the kernels that were chosen for it."""
    x = mx.sym.Variable("x")
    compiled = mx.nd.CachedOp(x + 1)
    compiled(mx.nd.ones(3))
    tensors = [torch.ones(3)]
    before = compiled.program(False, False, tensors)
    with mx.util.deterministic():
        assert compiled.program(False, False, tensors) is not before
    assert compiled.program(False, False, tensors) is before


def test_gpus_follow_torchs_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[bool] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch, "use_deterministic_algorithms", calls.append)
    with environment("CUBLAS_WORKSPACE_CONFIG", None):  # it stays set afterwards
        with mx.util.deterministic():
            assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
        assert calls == [True, False]
