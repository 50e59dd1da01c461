"""Sound files to begin with, made by our own writers and taken from the fixtures of the tests."""

import json
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from safetensors.numpy import save as save_tensors

import mxnet as mx
from mxnet import nd
from mxnet.base import MXNetError
from regluon.convert.onnx.onnx2mx.importers import IMPORTS
from regluon.dtypes import FLAG_OF_NAME
from regluon.formats import images
from regluon.formats.idx import encode as encode_idx
from regluon.formats.symbol_json import GraphRecord, NodeRecord, write_symbol_json
from regluon.ops import registry
from tools.oracle import case as cases

FIXTURES = Path(__file__).parents[2] / "tests" / "fixtures"
_LARGEST = 12_000  # bytes; larger seeds only make inputs slower
_IMAGES = (".jpg", ".png", ".bmp", ".webp", ".tiff", ".pgm", ".gif", ".hdr", ".sr", ".jp2", ".avif")


def files(folder: str, *patterns: str, largest: int = _LARGEST) -> list[bytes]:
    """Fixtures of the tests that are small enough."""
    found = sorted(path for pattern in patterns for path in (FIXTURES / folder).glob(pattern))
    return [path.read_bytes() for path in found if path.is_file() and 0 < path.stat().st_size <= largest]


def params() -> list[bytes]:
    """`.params` of every version, dense and sparse."""
    return files("files", "*.params") + files("exports", "*.params")


@cache
def symbols() -> list[bytes]:
    """Graphs of networks, of old versions, with control flow, and of single operators."""
    whole = files("exports", "*-symbol.json") + files("symbols/old", "*.json")
    return [data for data in whole if b'"nodes"' in data] + list(_control_flow()) + list(_single_operators())


def _control_flow() -> Iterator[bytes]:
    recorded = json.loads((FIXTURES / "symbols" / "control.json").read_text())
    for each in recorded:
        value = each.get("value")
        if isinstance(value, str) and '"nodes"' in value:
            yield value.encode()


def _single_operators() -> Iterator[bytes]:
    """For each operator the graphs of its first cases, with the shapes and dtypes of the inputs written down."""
    counts: dict[str, int] = {}
    for family in cases.family_names():
        for case in cases.load_family(family):
            counts[case.op] = counts.get(case.op, 0) + 1
            if counts[case.op] <= 2 and not case.error:
                try:
                    yield _graph_of(case.op, case.params, case.arrays(), len(case.inputs), list(case.named))
                except (MXNetError, KeyError, ValueError, TypeError):
                    continue  # a case that only arrays can express


def _graph_of(op: str, given: dict[str, Any], arrays: list[np.ndarray], positional: int, named: list[str]) -> bytes:
    operator = registry.find(op)
    attrs = {name: operator.params[name].kind.format(operator.parse(given)[name]) for name in given}
    names = operator.inputs if not operator.variadic else [f"arg{place}" for place in range(len(arrays))]
    labels = [*names[:positional], *named]
    if operator.count_param:
        attrs[operator.count_param] = str(len(arrays))
    variables = [
        NodeRecord(
            "null",
            label,
            {"__shape__": str(array.shape), "__dtype__": str(FLAG_OF_NAME[str(array.dtype)])},
        )
        for label, array in zip(labels, arrays, strict=True)
    ]
    order = [labels.index(name) for name in names if name in labels]
    node = NodeRecord(operator.name, "op", attrs, [(place, 0) for place in order])
    return write_symbol_json(GraphRecord([*variables, node], [(len(variables), 0)])).encode()


@cache
def images_() -> list[bytes]:
    """Images of every kind that OpenCV writes, and those of the fixtures."""
    random = np.random.RandomState(0)
    out = []
    for suffix in _IMAGES:
        for shape in [(9, 7)] if suffix == ".pgm" else [(9, 7, 3), (9, 7), (33, 20, 3)]:
            pixels = random.randint(0, 256, shape).astype(np.float32 if suffix == ".hdr" else np.uint8)
            try:
                out.append(images.encode(pixels, 9, suffix))
            except MXNetError:
                continue  # not every kind takes every number of channels, nor has every OpenCV every kind
    out.append(images.encode(random.randint(0, 256, (5, 6, 4)).astype(np.uint8), 9, ".png"))
    out.append(images.encode(random.randint(0, 65536, (5, 6)).astype(np.uint16), 9, ".png"))
    return out + files("image", "*.png") + files("image", "*.jpg", largest=40_000)


def records() -> list[bytes]:
    """`.rec` files."""
    return files("recordio", "*.rec") + files("io", "*.rec", largest=60_000)


def indices() -> list[bytes]:
    """`.idx` files beside `.rec` files."""
    return files("recordio", "*.idx") + files("io", "*.idx")


@cache
def image_records() -> list[bytes]:
    """Single records of images, with one label and with several."""
    header = mx.recordio.IRHeader(0, 3.0, 1, 0)
    several = mx.recordio.IRHeader(0, [1.0, 2.0, 3.0], 2, 0)
    return [mx.recordio.pack(each, data) for data in images_()[:12] for each in (header, several)]


_OPTIMIZERS = {
    "sgd": {"momentum": 0.9},
    "nag": {"momentum": 0.9},
    "adam": {},
    "adagrad": {},
    "rmsprop": {"centered": True},
    "adadelta": {},
    "ftrl": {},
    "ftml": {},
    "adamax": {},
    "nadam": {},
    "signum": {"momentum": 0.9},
    "lamb": {},
    "dcasgd": {"momentum": 0.9},
    "lars": {"momentum": 0.9},
}


@cache
def states() -> list[bytes]:
    """Optimizer states of ours with and without the optimizer, and pickles of MXNet's."""
    out = []
    for name, options in _OPTIMIZERS.items():
        for dump in (False, True):
            scheduler = {"lr_scheduler": mx.lr_scheduler.FactorScheduler(10, 0.9)} if dump else {}
            updater = mx.optimizer.get_updater(mx.optimizer.create(name, **options, **scheduler))
            weight = nd.ones((2, 3))
            updater(0, nd.ones((2, 3)), weight)
            out.append(updater.get_states(dump_optimizer=dump))
    return out + files("optimizers", "*.states")


def tensors() -> list[bytes]:
    """`.safetensors` files."""
    random = np.random.RandomState(0)
    one = {"a": random.rand(2, 3).astype(np.float32), "b": np.arange(4), "c": np.zeros((0, 2), np.float16)}
    return [save_tensors(one), save_tensors({"0": one["a"]}, {"mxnet.container": "list"})]


@cache
def onnx_models() -> list[bytes]:
    """Networks of the fixtures, exported, and single nodes of all the operators that are imported."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((FIXTURES / "exports").glob("*-symbol.json")):
            values = FIXTURES / "exports" / path.name.replace("-symbol.json", "-0000.params")
            if path.stat().st_size > _LARGEST or not values.exists():
                continue
            target = f"{folder}/net.onnx"
            try:
                symbol = mx.sym.load(str(path))
                loaded = nd.load(str(values))
                known = {name.split(":", 1)[1]: value for name, value in dict(loaded).items()}
                inputs = [name for name in symbol.list_inputs() if name not in known]
                shapes = [(2, 3, 16, 16) if len(inputs) == 1 else (2, 4)] * len(inputs)
                mx.contrib.onnx.export_model(symbol, known, shapes, [np.float32] * len(inputs), target)
            except Exception:
                continue  # networks that ONNX cannot express, or that take other shapes
            data = Path(target).read_bytes()
            if len(data) <= 20_000:
                out.append(data)
    return out + [_onnx_node(op) for op in sorted(IMPORTS)]


def _onnx_node(op: str) -> bytes:
    """A graph of one node with the attributes that the operator usually has."""
    helper = onnx.helper
    numbers = onnx.numpy_helper.from_array
    constants = {
        "Conv": [np.ones((4, 3, 3, 3), np.float32)],
        "ConvTranspose": [np.ones((3, 4, 3, 3), np.float32)],
        "Gemm": [np.ones((4, 8), np.float32), np.ones(8, np.float32)],
        "MatMul": [np.ones((8, 4), np.float32)],
        "Reshape": [np.array([0, -1])],
        "Expand": [np.array([2, 3, 8, 8])],
        "Pad": [np.array([0, 0, 1, 1, 0, 0, 1, 1])],
        "Slice": [np.array([0]), np.array([2]), np.array([1]), np.array([1])],
        "Split": [np.array([1, 2])],
        "Tile": [np.array([1, 1, 2, 2])],
        "Gather": [np.array(1)],
        "Clip": [np.array(0.0, np.float32), np.array(1.0, np.float32)],
        "Resize": [np.array([], np.float32), np.array([1, 1, 2, 2], np.float32)],
        "Upsample": [np.array([1, 1, 2, 2], np.float32)],
        "PRelu": [np.ones(3, np.float32)],
        "LayerNormalization": [np.ones(8, np.float32), np.ones(8, np.float32)],
        "InstanceNormalization": [np.ones(3, np.float32)] * 2,
        "BatchNormalization": [np.ones(3, np.float32)] * 4,
        "Unsqueeze": [np.array([0])],
        "Squeeze": [np.array([0])],
    }.get(op, [])
    attributes: dict[str, Any] = {
        "Cast": {"to": 1},
        "LRN": {"size": 3},
        "DepthToSpace": {"blocksize": 2},
        "SpaceToDepth": {"blocksize": 2},
        "MaxPool": {"kernel_shape": [2, 2], "strides": [2, 2]},
        "AveragePool": {"kernel_shape": [2, 2], "pads": [0, 0, 1, 1], "count_include_pad": 1},
        "Concat": {"axis": 1},
        "Conv": {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "group": 1},
        "Transpose": {"perm": [0, 2, 3, 1]},
        "Softmax": {"axis": -1},
        "ArgMax": {"axis": 1, "keepdims": 0},
    }.get(op, {})
    names = [f"c{place}" for place in range(len(constants))]
    inputs = (
        ["x", *names] if constants else ["x", "y"] if op in ("Add", "Sub", "Mul", "Max", "Concat", "Sum") else ["x"]
    )
    node = helper.make_node(op, inputs, ["z"], name="n", **attributes)
    value = [helper.make_tensor_value_info(name, 1, (2, 3, 8, 8)) for name in ("x", "y")]
    stored = [numbers(array, name) for name, array in zip(names, constants, strict=True)]
    graph = helper.make_graph([node], "g", value, [helper.make_tensor_value_info("z", 1, None)], stored)
    model: bytes = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    return model


def libsvm() -> list[bytes]:
    """LibSVM texts."""
    return [*files("io", "*.svm"), b"1 0:0.5 3:1\n0 1:2\n", b"-1.5 2:1e3\n"]


def csv() -> list[bytes]:
    """CSV texts with three columns."""
    return [b"1,2,3\n4,5,6\n", b"0.5,-1e3,nan\n", b"1,2,3\r\n4,5,6\r\n"]


def idx() -> list[bytes]:
    """idx files, as MNIST's."""
    return [encode_idx(np.zeros((3, 4, 5), np.uint8)), encode_idx(np.arange(3, dtype=np.uint8))]


def lists() -> list[bytes]:
    """`.lst` files."""
    return [*files("io", "*.lst"), *files("image", "*.lst"), b"0\t1.0\ta.jpg\n1\t0\t2\tb.jpg\n"]


def vectors() -> list[bytes]:
    """Files of token vectors."""
    return [b"hello 1 2 3\nworld 4 5 6\n", "ä 0.5 1e3 -2\nß 1 2 3\n".encode(), b"2 3\na 1 2 3\nb 4 5 6\n"]


def choices() -> list[bytes]:
    """Files of kernel choices."""
    return [b'{"(1, 2)": "torch", "x": "native"}', b"{}"]
