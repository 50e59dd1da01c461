"""The networks of the model zoo, parameters for them that follow from their names, and what is recorded of them.

Runs with a real MXNet and with this library alike: the recorder and the tests share it.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import zlib
from typing import Any

import numpy as np

import mxnet as mx
from mxnet.gluon.model_zoo import vision

CLASSES = (10, 1000)

# Every name of `get_model`, and the side of the smallest images that take each layer to more than one pixel.
MODELS = {
    "alexnet": 127,
    "densenet121": 224,
    "densenet161": 224,
    "densenet169": 224,
    "densenet201": 224,
    "inceptionv3": 299,
    "mobilenet0.25": 64,
    "mobilenet0.5": 64,
    "mobilenet0.75": 64,
    "mobilenet1.0": 64,
    "mobilenetv2_0.25": 64,
    "mobilenetv2_0.5": 64,
    "mobilenetv2_0.75": 64,
    "mobilenetv2_1.0": 64,
    "resnet18_v1": 64,
    "resnet34_v1": 64,
    "resnet50_v1": 64,
    "resnet101_v1": 64,
    "resnet152_v1": 64,
    "resnet18_v2": 64,
    "resnet34_v2": 64,
    "resnet50_v2": 64,
    "resnet101_v2": 64,
    "resnet152_v2": 64,
    "squeezenet1.0": 224,
    "squeezenet1.1": 224,
    "vgg11": 64,
    "vgg11_bn": 64,
    "vgg13": 64,
    "vgg13_bn": 64,
    "vgg16": 64,
    "vgg16_bn": 64,
    "vgg19": 64,
    "vgg19_bn": 64,
}

# Networks that take other arguments than the classes.
PROGRAMS = {
    "thumbnail_v1": ("vision.resnet18_v1(thumbnail=True, classes=10)", 32),
    "thumbnail_v2": ("vision.resnet50_v2(thumbnail=True, classes=10)", 32),
    "three_stages": ("vision.ResNetV1(vision.BottleneckV1, [1, 2, 1], [8, 16, 24, 32], classes=3)", 32),
    "three_stages_v2": ("vision.ResNetV2(vision.BasicBlockV2, [1, 2, 1], [8, 8, 16, 32], 3, prefix='mine_')", 32),
    "small_vgg": ("vision.VGG([1, 2], [4, 8], classes=3, batch_norm=True)", 16),
    "dropout": ("vision.DenseNet(8, 4, [2, 2], bn_size=2, dropout=0.2, classes=3)", 64),
    "wide_mobilenet": ("vision.get_mobilenet(1.5, classes=3, prefix='wide_')", 32),
    "wide_mobilenet_v2": ("vision.get_mobilenet_v2(1.3, classes=3)", 32),
    "basic_block": ("vision.BasicBlockV1(4, 2, downsample=True, in_channels=3)", 16),
    "bottleneck": ("vision.BottleneckV2(8, 2, downsample=True)", 16),
}

# Of these, what a training step makes of the gradients and the running averages is recorded too.
TRAINED = ("thumbnail_v1", "three_stages_v2", "wide_mobilenet", "small_vgg")

# What all parameters are cut from; long, and a prime number, so that neighbouring parts of an array differ.
_PERIOD = 65521
_NORMAL = np.random.RandomState(0).standard_normal(_PERIOD).astype("float32")
_UNIFORM = np.random.RandomState(1).uniform(0.7, 1.3, _PERIOD).astype("float32")


def make(program: str) -> Any:
    """A network, named as the first one of a program."""
    with mx.name.NameManager():
        return eval(program, {"vision": vision})


def model(name: str, classes: int) -> str:
    return f"vision.get_model({name!r}, classes={classes})"


def images(side: int, batch: int = 1) -> Any:
    values = np.random.RandomState(side).uniform(-1, 1, (batch, 3, side, side))
    return mx.nd.array(values.astype("float32"))


def values(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers of a parameter: they keep the size of what passes through a layer about the same."""
    kind = name.rpartition(".")[2]
    pattern = np.roll(_UNIFORM if kind in ("gamma", "running_var") else _NORMAL, zlib.crc32(name.encode()) % _PERIOD)
    drawn = np.resize(pattern, shape)
    if kind == "weight":
        drawn *= np.sqrt(2 / np.prod(shape[1:]))
    elif kind in ("bias", "beta", "running_mean"):
        drawn *= 0.1
    return drawn


def fill(net: Any, data: Any) -> None:
    """Gives all parameters their numbers."""
    net.infer_shape(data)
    for name, parameter in net._collect_params_with_prefix().items():
        parameter.initialize(init="zeros")
        parameter.set_data(mx.nd.array(values(name, parameter.shape)))


def parameters(net: Any, side: int) -> list[list[Any]]:
    """Attributes that lead to a parameter, its name and its shape for images of this side."""
    net.infer_shape(mx.nd.zeros((1, 3, side, side)))
    return [[path, each.name, list(each.shape)] for path, each in net._collect_params_with_prefix().items()]


def described(net: Any) -> dict[str, str]:
    """Hashes of the printed form, of the names of all blocks inside, and of the graph."""
    names: list[str] = []
    net.apply(lambda block: names.append(block.name))
    with mx.name.NameManager():
        nodes = json.loads(net(mx.sym.var("data")).tojson())["nodes"]
    return {
        "name": net.name,
        "repr": _hash(repr(net)),
        "blocks": _hash("\n".join(names)),
        "graph": _hash(json.dumps(nodes, sort_keys=True)),
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def output(net: Any, side: int) -> list[float]:
    """The first numbers of a result, and the sum of the sizes of all."""
    data = images(side)
    fill(net, data)
    result = net(data).asnumpy().astype("float64").ravel()
    return [*result[:10].tolist(), float(np.abs(result).sum())]


def trained(net: Any, side: int) -> dict[str, float]:
    """The sizes of all gradients and running averages after a step in training mode."""
    data = images(side, batch=4)
    fill(net, data)
    data.attach_grad()  # or MXNet would not move the averages of a first layer that learns nothing
    net.apply(_without_dropout)
    with mx.autograd.record():
        result = net(data)
        loss = (result * mx.nd.array(np.random.RandomState(1).uniform(-1, 1, result.shape))).sum()
    loss.backward()
    sizes = {"data": float(np.abs(data.grad.asnumpy().astype("float64")).sum())}
    for name, each in net._collect_params_with_prefix().items():
        if each.grad_req == "null" and "running" not in name:
            continue  # fixed: MXNet writes 1 into a gamma that counts as 1, this library leaves it alone
        array = each.data() if each.grad_req == "null" else each.grad()
        sizes[name] = float(np.abs(array.asnumpy().astype("float64")).sum())
    return sizes


def _without_dropout(block: Any) -> None:
    if type(block).__name__ == "Dropout":
        block._rate = 0


def surface() -> dict[str, list[list[str]]]:
    """The public names, and the parameters of all functions and constructors."""
    here = os.path.join(mx.base.data_dir(), "models")
    public = {name: each for name, each in vars(vision).items() if name[0] != "_" and callable(each)}
    signatures = {}
    for name in sorted(public):
        called = inspect.signature(public[name]).parameters.values()
        signatures[name] = [
            [each.name, each.kind.name, "" if each.default is each.empty else repr(each.default).replace(here, "ROOT")]
            for each in called
        ]
    return signatures
