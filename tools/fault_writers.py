"""Everything that saves files, in a form that tools/faults.py can interrupt and check.

A writer saves a version, a number that is all over the files, and reads back which version they hold. Files that mix
versions, or cannot be read, are torn.
"""

import argparse
import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import mxnet as mx
import regluon.formats.atomic
from mxnet.base import MXNetError
from mxnet.test_utils import environment
from regluon.cli import im2rec, repair
from regluon.convert.onnx.mx2onnx.export_model import export_model
from regluon.kernels import tuning
from regluon.native import building, sealing

SIDE = 96  # of the square arrays: a file is several pages


class Torn(Exception):
    """The files hold no single version."""


def one(versions: Iterable[Any], what: str) -> int:
    """The version that all numbers are."""
    found = sorted({float(version) for version in versions})
    if len(found) != 1:
        raise Torn(f"{what} holds {found[:5]}")
    return int(found[0])


def filled(version: int) -> mx.nd.NDArray:
    """An array of a version."""
    return mx.nd.full((SIDE, SIDE), version)


def version_in(array: Any, what: str) -> int:
    """The version of an array."""
    return one(array.asnumpy().ravel(), what)


def graph(version: int) -> mx.sym.Symbol:
    """A network of a version."""
    data, weight = mx.sym.var("data"), mx.sym.var("weight", shape=(SIDE, SIDE))
    return mx.sym.dot(data, weight, name="product") * float(version)


def version_of_graph(symbol: mx.sym.Symbol) -> int:
    """The version of a network."""
    nodes = json.loads(symbol.tojson())["nodes"]
    return one((node["attrs"]["scalar"] for node in nodes if "scalar" in node.get("attrs", {})), "the graph")


class Writer:
    """Saves versions to files in a folder.

    Attributes:
        name: what is shown in the table.
    """

    name = "nd.save"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = str(folder / "net.params")

    def begin(self) -> None:
        """Called once in each process that saves."""

    def end(self) -> None:
        """Called where that process is not killed."""

    def save(self, version: int) -> None:
        """Saves a version."""
        mx.nd.save(self.path, {"a": filled(version), "b": filled(version)})

    def load(self) -> int:
        """The version in the files; raises for torn ones."""
        return one((version_in(array, self.path) for array in mx.nd.load(self.path).values()), self.path)


class HardLinked(Writer):
    """A file with a second name is written in place."""

    name = "nd.save, hard link"

    def begin(self) -> None:
        link = self.folder / "link.params"
        if not link.exists():
            os.link(self.path, link)

    def load(self) -> int:
        if not os.path.samefile(self.path, self.folder / "link.params"):
            raise Torn("the link is cut")
        return super().load()


class Opened(Writer):
    """A file that the saving process has open is written in place."""

    name = "nd.save, open handle"

    def begin(self) -> None:
        self.handle = open(self.path, "r+b")  # noqa: SIM115 (it lasts as long as the process)

    def end(self) -> None:
        self.handle.close()

    def save(self, version: int) -> None:
        super().save(version)
        if hasattr(self, "handle"):
            self.handle.seek(0)
            if version_in(mx.nd.load_frombuffer(self.handle.read())["a"], "the handle") != version:
                raise Torn("the handle sees something else")


class Safetensors(Writer):
    """The other format of arrays."""

    name = "nd.save, safetensors"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = str(folder / "net.safetensors")


class SaveParameters(Writer):
    """Parameters of a block."""

    name = "save_parameters"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.net = mx.gluon.nn.Dense(SIDE, in_units=SIDE)
        self.net.initialize()

    def save(self, version: int) -> None:
        for parameter in self.net.collect_params().values():
            parameter.set_data(mx.nd.full(parameter.shape, version))
        self.net.save_parameters(self.path)

    def load(self) -> int:
        net = mx.gluon.nn.Dense(SIDE, in_units=SIDE)
        net.load_parameters(self.path)
        return one((version_in(each.data(), self.path) for each in net.collect_params().values()), self.path)


class BlockSave(SaveParameters):
    """Structure and parameters of a block."""

    name = "Block.save"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.prefix = str(folder / "net")
        self.path = f"{self.prefix}-model.params"

    def save(self, version: int) -> None:
        for parameter in self.net.collect_params().values():
            parameter.set_data(mx.nd.full(parameter.shape, version))
        self.net._name = f"dense{version}_"
        self.net.save(self.prefix)

    def load(self) -> int:
        net = mx.gluon.nn.Dense(SIDE, in_units=SIDE)
        net.load(self.prefix)
        named = int(net.name.removeprefix("dense").rstrip("_"))
        return one([named, *(version_in(each.data(), self.path) for each in net.collect_params().values())], "the pair")


class _Product(mx.gluon.HybridBlock):
    """A block whose graph tells its version."""

    def __init__(self) -> None:
        super().__init__(prefix="net_")
        self.version = 0
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(SIDE, SIDE))

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.dot(x, weight) * float(self.version)


class Export(Writer):
    """Graph and parameters of a hybridized block."""

    name = "export"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.prefix = str(folder / "net")
        self.net = _Product()
        self.net.initialize()

    def save(self, version: int) -> None:
        self.net.version = version
        self.net.weight.set_data(filled(version))
        self.net.hybridize()
        self.net(mx.nd.ones((1, SIDE)))
        self.net.export(self.prefix)

    def load(self) -> int:
        net = mx.gluon.SymbolBlock.imports(f"{self.prefix}-symbol.json", ["data"], f"{self.prefix}-0000.params")
        weights = [version_in(each.data(), "the parameters") for each in net.collect_params().values()]
        return one([version_of_graph(net._symbol), *weights], "the pair")


class SaveCheckpoint(Writer):
    """Graph and parameters of a symbol."""

    name = "save_checkpoint"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.prefix = str(folder / "net")

    def save(self, version: int) -> None:
        mx.callback.do_checkpoint(self.prefix)(0, graph(version), {"weight": filled(version)}, {})

    def load(self) -> int:
        symbol, arguments, _ = mx.model.load_checkpoint(self.prefix, 1)
        return one([version_of_graph(symbol), version_in(arguments["weight"], "the parameters")], "the pair")


class ModuleCheckpoint(SaveCheckpoint):
    """Graph, parameters and optimizer states of a module."""

    name = "Module.save_checkpoint"

    def save(self, version: int) -> None:
        module = mx.mod.Module(graph(version), label_names=None, context=mx.cpu())
        module.bind([("data", (1, SIDE))])
        module.init_params(mx.init.Constant(version))
        module.init_optimizer(kvstore=None, optimizer="sgd", optimizer_params={"momentum": 0.9, "rescale_grad": 1.0})
        module._updater.states = {0: filled(version)}
        module.save_checkpoint(self.prefix, 1, save_optimizer_states=True)

    def load(self) -> int:
        updater = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))
        with regluon.formats.atomic.open_current(f"{self.prefix}-0001.states") as stream:
            updater.set_states(stream.read())
        return one([super().load(), version_in(updater.states[0], "the states")], "the three files")


class TrainerStates(Writer):
    """What a trainer's optimizer remembers."""

    name = "Trainer.save_states"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = str(folder / "net.states")

    def _trainer(self) -> mx.gluon.Trainer:
        net = mx.gluon.nn.Dense(SIDE, in_units=SIDE, use_bias=False)
        net.initialize()
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
        with mx.autograd.record():
            loss = net(mx.nd.ones((1, SIDE))).sum()
        loss.backward()
        trainer.step(1)
        return trainer

    def save(self, version: int) -> None:
        trainer = self._trainer()
        trainer._updaters[0].states[0][:] = version
        trainer.save_states(self.path)

    def load(self) -> int:
        trainer = self._trainer()
        trainer.load_states(self.path)
        return version_in(trainer._updaters[0].states[0], self.path)


class StoreStates(Writer):
    """What a key-value store's optimizer remembers."""

    name = "save_optimizer_states"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = str(folder / "net.states")

    def _store(self) -> Any:
        store = mx.kv.create("local")
        store.init(0, filled(0))
        store.set_optimizer(mx.optimizer.SGD(momentum=0.9))
        store.push(0, filled(1))
        return store

    def save(self, version: int) -> None:
        store = self._store()
        store._updater.states[0][:] = version
        store.save_optimizer_states(self.path)

    def load(self) -> int:
        store = self._store()
        store.load_optimizer_states(self.path)
        return version_in(store._updater.states[0], self.path)


class SymbolSave(Writer):
    """A graph alone."""

    name = "symbol.save"

    def save(self, version: int) -> None:
        symbol = mx.sym.var("data")
        for _ in range(100):
            symbol = symbol * float(version)
        symbol.save(str(self.folder / "net-symbol.json"))

    def load(self) -> int:
        return version_of_graph(mx.sym.load(str(self.folder / "net-symbol.json")))


class OnnxExport(Writer):
    """A model as ONNX."""

    name = "onnx export_model"

    def save(self, version: int) -> None:
        path = str(self.folder / "net.onnx")
        export_model(graph(version), {"weight": filled(version)}, [(1, SIDE)], "float32", path)

    def load(self) -> int:
        symbol, arguments, _ = mx.contrib.onnx.import_model(str(self.folder / "net.onnx"))
        constants = [version_in(array, "a constant") for array in arguments.values()]
        return one(constants or [version_of_graph(symbol)], "the model")


class ImageRecords(Writer):
    """Records and index of im2rec."""

    name = "im2rec"

    def save(self, version: int) -> None:
        for number in range(8):
            (self.folder / f"{number}.bin").write_bytes(b"%d " % version * 500)
        list_path = self.folder / "net.lst"
        list_path.write_text("".join(f"{number}\t{version}\t{number}.bin\n" for number in range(4 + version % 4)))
        args = argparse.Namespace(root=str(self.folder), pass_through=True, pack_label=False, num_thread=1, force=True)
        im2rec.make_records(args, str(list_path))

    def load(self) -> int:
        with mx.recordio.MXIndexedRecordIO(str(self.folder / "net.idx"), str(self.folder / "net.rec"), "r") as file:
            found = [mx.recordio.unpack(file.read_idx(key)) for key in file.keys]
            if file.keys != list(range(len(found))) or found[0][0].label % 4 != len(found) - 4:
                raise Torn(f"the index has the keys {file.keys}")
            file.reset()
            if sum(1 for _ in iter(file.read, None)) != len(found):
                raise Torn("the records are not those of the index")
        return one([*(header.label for header, _ in found), *found[0][1].split()], "the records")


class KernelChoices(Writer):
    """What autotuning remembers."""

    name = "kernel choices"

    def save(self, version: int) -> None:
        tuner = tuning._Tuner()
        with environment("MXNET_HOME", str(self.folder)):
            tuner._memory().update({f"work {number}": str(version) for number in range(300)})
            tuner._is_changed = True
            tuner.save()
        if tuner._is_changed:
            raise MXNetError("the choices could not be saved")

    def load(self) -> int:
        with environment("MXNET_HOME", str(self.folder)):
            found = tuning._Tuner()._memory()
        if len(found) != 300:
            raise Torn(f"{len(found)} choices")
        return one(found.values(), "the choices")


class KernelLibrary(Writer):
    """The compiled kernels and their seal: a library is sound, or is not loaded."""

    name = "kernel library"

    def save(self, version: int) -> None:
        library = self.folder / "kernels.so"
        made = self.folder / "made.so"
        made.write_bytes(b"%09d " % version * 5000)
        building.put_in_place(made, library)

    def load(self) -> int:
        library = self.folder / "kernels.so"
        if sealing.fault(library):
            return -1
        return one(library.read_bytes().split(), str(library))


class Records(Writer):
    """Records that are written one by one: whatever is there can be read, and the index made again."""

    name = "MXIndexedRecordIO"
    count = 3000

    def save(self, version: int) -> None:
        paths = str(self.folder / "net.idx"), str(self.folder / "net.rec")
        with mx.recordio.MXIndexedRecordIO(*paths, "w") as file:
            for key in range(self.count):
                file.write_idx(key, b"%d " % version * (key % 80))

    def load(self) -> int:
        """-1 for a readable beginning."""
        path = str(self.folder / "net.rec")
        self._read(self.folder / "net.idx")
        found = []
        with mx.recordio.MXRecordIO(path, "r") as file, contextlib.suppress(MXNetError):  # at the torn one
            while (record := file.read()) is not None:
                found.append(record)
        repair.run(argparse.Namespace(path=[path]))
        whole = self._read(self.folder / "net.idx")
        if whole < len(found):
            raise Torn(f"{whole} of {len(found)} records in the index that was made again")
        return one(b"".join(found).split(), path) if len(found) == self.count else -1

    def _read(self, index: Path) -> int:
        with mx.recordio.MXIndexedRecordIO(str(index), str(self.folder / "net.rec"), "r") as file:
            for key in file.keys:
                if len(set(file.read_idx(key).split())) > 1:
                    raise Torn(f"record {key} mixes versions")
            return len(file.keys)


WRITERS: tuple[type[Writer], ...] = (
    *(Writer, HardLinked, Opened, Safetensors, SaveParameters, BlockSave, Export, SaveCheckpoint, ModuleCheckpoint),
    *(TrainerStates, StoreStates, SymbolSave, OnnxExport, ImageRecords, KernelChoices, KernelLibrary, Records),
)
