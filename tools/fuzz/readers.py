"""What is fuzzed: each reader with its sound files, its mutations, and how one input is read."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx

import mxnet as mx
from mxnet import nd
from mxnet.base import MXNetError
from mxnet.image._reader import read_list
from mxnet.io._records import read_image_list
from regluon.cli import im2rec
from regluon.cli.inspect_files import describe
from regluon.convert.onnx.onnx2mx.importers import IMPORTS
from regluon.formats import idx, params
from regluon.formats.recordio import read_index
from regluon.kernels import tuning

from . import seeds
from .mutations import Mutation, damage, graph, png, text

_SMALL = 100_000  # elements of a graph that is bound


@dataclass(frozen=True)
class Reader:
    """A reader of files.

    Attributes:
        seeds: makes sound files.
        read: reads the bytes of one file, and uses what came of it.
        mutation: how files are damaged.
        share: how many inputs it gets for each one that the slowest readers get.
    """

    seeds: Callable[[], list[bytes]]
    read: Callable[[bytes], Any]
    mutation: Mutation = damage
    share: int = 10


class _Place:
    """A file in memory that an input is written to; made when it is first asked for."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def write(self, name: str, data: bytes) -> str:
        if self._folder is None or not self._folder.exists():
            memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
            self._kept = tempfile.TemporaryDirectory(prefix="regluon-fuzz-", dir=memory)
            self._folder = Path(self._kept.name)
        path = self._folder / name
        path.write_bytes(data)
        return str(path)


_place = _Place()


def _use(arrays: Any) -> None:
    for array in arrays.values() if isinstance(arrays, dict) else arrays:
        assert len(array.shape) >= 0
        if array.stype == "default" and 0 < array.size <= _SMALL:
            array.asnumpy()


def _params(data: bytes) -> None:
    _use(nd.load_frombuffer(data))


def _tensors(data: bytes) -> None:
    _use(nd.load(_place.write("x.safetensors", data)))


def _symbol(data: bytes) -> None:
    symbol = mx.sym.load_json(data.decode("utf-8", "replace"))
    symbol.tojson()
    symbol.list_auxiliary_states()
    with contextlib.suppress(MXNetError):
        symbol.infer_type()
    inner = symbol.get_internals()
    found = inner.infer_shape_partial()
    lists = [shapes for shapes in found if shapes is not None]
    if not all(shape is not None and all(length > 0 for length in shape) for shapes in lists for shape in shapes):
        return
    if sum(prod(shape) for shapes in lists for shape in shapes) <= _SMALL:
        executor = symbol.simple_bind(mx.cpu(), grad_req="null")
        assert len(executor.outputs) >= 0


def _symbol_run(data: bytes) -> None:
    """Binds and runs as well."""
    symbol = mx.sym.load_json(data.decode("utf-8", "replace"))
    found = symbol.get_internals().infer_shape_partial()
    lists = [shapes for shapes in found if shapes is not None]
    if not all(shape is not None and all(length > 0 for length in shape) for shapes in lists for shape in shapes):
        return
    if sum(prod(shape) for shapes in lists for shape in shapes) <= _SMALL:
        for output in symbol.simple_bind(mx.cpu(), grad_req="null").forward():
            output.asnumpy()


def _record_file(data: bytes) -> None:
    path = _place.write("x.rec", data)
    reader = mx.recordio.MXRecordIO(path, "r", on_bad="skip")
    try:
        while (record := reader.read()) is not None:
            _try(mx.recordio.unpack, record)
    finally:
        reader.close()
    reader = mx.recordio.MXRecordIO(path, "r")
    try:
        while reader.read() is not None:
            pass
    finally:
        reader.close()


def _try(function: Callable[..., Any], *args: Any) -> None:
    """Calls a function that may refuse: what follows is read nevertheless."""
    with contextlib.suppress(MXNetError):
        function(*args)


def _index_file(data: bytes) -> None:
    path = _place.write("x.idx", data)
    read_index(path, int, "fuzz")
    records = str(seeds.FIXTURES / "recordio" / "labels.rec")
    reader = mx.recordio.MXIndexedRecordIO(path, records, "r")
    try:
        for key in reader.keys[:3]:
            reader.read_idx(key)
    finally:
        reader.close()


def _image_record(data: bytes) -> None:
    mx.recordio.unpack(data)
    mx.recordio.unpack_img(data)


def _image(data: bytes) -> None:
    mx.image.imdecode(data)


def _states(data: bytes) -> None:
    """States that were loaded must move a weight, or be refused."""
    optimizer = mx.optimizer.create("sgd", momentum=0.9)
    updater = mx.optimizer.get_updater(optimizer)
    updater.set_states(data)
    weight = nd.ones((2, 3))
    updater(0, nd.ones((2, 3)), weight)
    updater.get_states(dump_optimizer=True)


def _mutated_states(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Damage of the bytes, or of the tree inside them."""
    if data[:1] == b"\x80" or random.random() < 0.4:
        return damage(random, data, others)
    try:
        contents = params.read(data, "states", "fuzz")
    except MXNetError:
        return damage(random, data, others)
    trees = [contents.arrays[0].data.tobytes()]
    tree = text(random, trees[0], trees)
    stream = bytearray()

    class _Stream:
        def write(self, chunk: Any) -> None:
            stream.extend(chunk)

    arrays: list[Any] = [np.frombuffer(tree, np.uint8), *contents.arrays[1:]]
    params.write(_Stream(), arrays, contents.names, who="fuzz")  # type: ignore[arg-type]
    return bytes(stream)


def _onnx(data: bytes) -> None:
    path = _place.write("x.onnx", data)
    _try(mx.contrib.onnx.get_model_metadata, path)
    symbol, arguments, states = mx.contrib.onnx.import_model(path)
    shapes = {name: value.shape for name, value in {**arguments, **states}.items()}
    symbol.infer_shape_partial(**shapes)


def _mutated_onnx(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Damage of the bytes, or changes of the message that leave it readable."""
    if random.random() < 0.3:
        return damage(random, data, others)
    model = onnx.ModelProto.FromString(data)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        if model.graph.node:
            random.choice(_ONNX_CHANGES)(random, model.graph, random.choice(model.graph.node))
    out: bytes = model.SerializeToString()
    return out


def _rename_operator(random: Random, graph: Any, node: Any) -> None:
    node.op_type = random.choice(sorted(IMPORTS))


def _drop(field: str) -> Callable[[Random, Any, Any], None]:
    def drop(random: Random, graph: Any, node: Any) -> None:
        items = getattr(node, field) if hasattr(node, field) else getattr(graph, field)
        if items:
            del items[random.randrange(len(items))]

    return drop


def _rewire(random: Random, graph: Any, node: Any) -> None:
    names = [name for each in graph.node for name in (*each.input, *each.output)]
    side = node.input if random.random() < 0.8 else node.output
    if side:
        side[random.randrange(len(side))] = random.choice([*names, "", "missing"])


def _change_attribute(random: Random, graph: Any, node: Any) -> None:
    if not node.attribute:
        node.attribute.append(onnx.helper.make_attribute("axis", random.choice((-9, 3, 1 << 40))))
        return
    attribute = random.choice(node.attribute)
    value = random.choice((0, 1, -1, 2, 5, 1 << 20, 1 << 40, (1 << 63) - 1, -(1 << 63)))
    chance = random.random()
    if chance < 0.3:
        attribute.type = random.randrange(12)
    elif chance < 0.4:
        attribute.name = random.choice(("axis", "axes", "pads", "kernel_shape", "to", "mode", ""))
    elif chance < 0.5:
        attribute.s = random.randbytes(3)
    elif attribute.ints:
        attribute.ints[random.randrange(len(attribute.ints))] = value
    else:
        attribute.i = value


def _change_constant(random: Random, graph: Any, node: Any) -> None:
    if not graph.initializer:
        return
    tensor = random.choice(graph.initializer)
    chance = random.random()
    if chance < 0.3:
        tensor.data_type = random.randrange(24)
    elif chance < 0.6 and tensor.dims:
        tensor.dims[random.randrange(len(tensor.dims))] = random.choice((0, -1, 1, 3, 1 << 31, 1 << 62))
    elif chance < 0.7:
        tensor.dims.append(random.choice((0, 1, 2)))
    elif chance < 0.8:
        tensor.data_location = 1
        tensor.external_data.add(key="location", value=random.choice(("x", "../x", "/etc/passwd", "")))
    elif tensor.raw_data:
        tensor.raw_data = damage(random, tensor.raw_data, [tensor.raw_data])


_ONNX_CHANGES = (
    *(_rename_operator, _rewire, _rewire, _change_attribute, _change_attribute, _change_attribute),
    *(_change_constant, _change_constant, _drop("input"), _drop("output"), _drop("attribute")),
    *(_drop("initializer"), _drop("node")),
)


def _libsvm(data: bytes) -> None:
    path = _place.write("x.svm", data)
    next(mx.io.LibSVMIter(data_libsvm=path, data_shape=(8,), batch_size=2))


def _csv(data: bytes) -> None:
    path = _place.write("x.csv", data)
    next(mx.io.CSVIter(data_csv=path, data_shape=(3,), batch_size=2))


def _idx(data: bytes) -> None:
    idx.decode(data)


def _mnist(data: bytes) -> None:
    path = _place.write("images", data)
    labels = _place.write("labels", seeds.idx()[1])
    next(mx.io.MNISTIter(image=path, label=labels, batch_size=1))


def _list(data: bytes) -> None:
    path = _place.write("x.lst", data)
    _try(read_list, path, "float32")
    _try(read_image_list, path, 1, "fuzz")
    list(im2rec.read_list(path))
    _try(read_image_list, path, -1, "fuzz")


def _vectors(data: bytes) -> None:
    path = _place.write("x.vec", data)
    embedding = mx.contrib.text.embedding.CustomEmbedding(path, " ")
    embedding.get_vecs_by_tokens(["hello", "x"])
    mx.contrib.text.utils.count_tokens_from_str(data.decode("utf-8", "replace"))


def _choices(data: bytes) -> None:
    tuning._read(Path(_place.write("x.json", data)))


def _checkpoint(data: bytes) -> None:
    prefix = str(seeds.FIXTURES / "exports" / "mlp")
    if data[:1] == b"{":
        _place.write("x-symbol.json", data)
        target = _place.write("x-0001.params", Path(f"{prefix}-0000.params").read_bytes())
    else:
        _place.write("x-symbol.json", Path(f"{prefix}-symbol.json").read_bytes())
        target = _place.write("x-0001.params", data)
    symbol, arguments, states = mx.model.load_checkpoint(target[: -len("-0001.params")], 1)
    symbol.infer_shape_partial(**{name: value.shape for name, value in {**arguments, **states}.items()})


_SUFFIXES = (".params", ".safetensors", ".json", ".rec", ".idx", ".states", "")


def _inspect(data: bytes) -> None:
    """A mark before the bytes says which suffix the file has, so that an input is always read in the same way."""
    suffix = _SUFFIXES[data[1] % len(_SUFFIXES)] if data[:1] == b"?" and len(data) > 1 else ""
    describe(_place.write(f"x{suffix}", data[2:] if suffix else data), True)


def _inspected() -> list[bytes]:
    return [
        *seeds.params()[:20],
        *seeds.tensors(),
        *seeds.symbols()[:20],
        *seeds.records()[:2],
        *seeds.states()[-4:],
        *(b"?\4" + data for data in seeds.indices()),
        *(b"?\5" + data for data in seeds.states()[:4]),
    ]


READERS: dict[str, Reader] = {
    "params": Reader(seeds.params, _params, share=150),
    "safetensors": Reader(seeds.tensors, _tensors, share=40),
    "symbol": Reader(seeds.symbols, _symbol, graph, share=6),
    "symbol_run": Reader(seeds.symbols, _symbol_run, graph, share=2),
    "records": Reader(seeds.records, _record_file, share=12),
    "index": Reader(seeds.indices, _index_file, text, share=30),
    "image_record": Reader(seeds.image_records, _image_record, share=60),
    "image": Reader(seeds.images_, _image, png, share=20),
    "states": Reader(seeds.states, _states, _mutated_states, share=8),
    "onnx": Reader(seeds.onnx_models, _onnx, _mutated_onnx, share=3),
    "libsvm": Reader(seeds.libsvm, _libsvm, text, share=12),
    "csv": Reader(seeds.csv, _csv, text, share=6),
    "idx": Reader(seeds.idx, _idx, share=250),
    "mnist": Reader(seeds.idx, _mnist, share=8),
    "list": Reader(seeds.lists, _list, text, share=8),
    "vectors": Reader(seeds.vectors, _vectors, text, share=8),
    "choices": Reader(seeds.choices, _choices, text, share=40),
    "checkpoint": Reader(lambda: [*seeds.params()[-30:], *seeds.symbols()[:40]], _checkpoint, text, share=2),
    "inspect": Reader(_inspected, _inspect, text, share=6),
}
