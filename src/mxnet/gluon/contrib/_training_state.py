"""Save and restore the state of a training run."""

import copy
import random
import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from regluon import rng
from regluon.distributed import ProcessGroup, joined, launched, world
from regluon.formats import states
from regluon.formats.atomic import atomic_write, open_mapped
from regluon.formats.states import Instance
from regluon.formats.tensors import Stored, as_stored

from ...base import MXNetError
from ...context import Context
from ...error import FileFormatError
from ...metric import EvalMetric
from ...metric._totals import Running
from ...ndarray import NDArray
from ...ndarray.utils import from_stored

__all__ = [
    "as_bytes",
    "metric_state",
    "random_state",
    "sampler_states",
    "set_metric_state",
    "set_random_state",
    "set_sampler_states",
    "stored",
    "Checkpoint",
]


_METRICS = "mxnet.metric"
_COUNTERS = ("_epoch", "_pass", "_prev")  # of samplers: passes made, and what rolls over into the next one


def stored(data: bytes) -> Stored:
    """Bytes as an array of a file."""
    return as_stored(np.frombuffer(data, np.uint8))


def as_bytes(array: Stored) -> bytes:
    """The bytes that `stored` was given."""
    return bytes(np.asarray(array.data).tobytes())


def random_state() -> bytes:
    """Where all random numbers of this process are: the library's own, NumPy's and Python's."""
    kind, keys, *numpy_rest = np.random.get_state(legacy=True)
    version, numbers, gauss = random.getstate()
    tree = {
        "devices": {name: stored(state) for name, state in rng.states().items()},
        "numpy": [kind, stored(np.asarray(keys, np.uint32).tobytes()), *numpy_rest],
        "python": [version, stored(np.asarray(numbers, np.uint32).tobytes()), gauss],
    }
    return states.encode(tree, "Checkpoint.save")


def set_random_state(data: bytes) -> None:
    """Goes on where `random_state` was called."""
    tree = states.decode(data, "Checkpoint.restore")
    rng.set_states({name: as_bytes(state) for name, state in tree["devices"].items()})
    kind, keys, *numpy_rest = tree["numpy"]
    np.random.set_state((kind, np.frombuffer(as_bytes(keys), np.uint32), *numpy_rest))
    version, numbers, gauss = tree["python"]
    random.setstate((version, tuple(np.frombuffer(as_bytes(numbers), np.uint32).tolist()), gauss))


def sampler_states(loader: Any) -> list[dict[str, Any]]:
    """Where the samplers of a DataLoader are: those of batches first, then those they take indices from."""
    # Copies: a sampler goes on to fill the list of what rolls over.
    return [
        {name: copy.copy(vars(each)[name]) for name in _COUNTERS if name in vars(each)} for each in _samplers(loader)
    ]


def set_sampler_states(loader: Any, saved: list[dict[str, Any]]) -> None:
    """Has a DataLoader begin the pass that it would have begun when `sampler_states` was called."""
    for sampler, state in zip(_samplers(loader), saved, strict=False):
        vars(sampler).update(copy.deepcopy(state))


def _samplers(loader: Any) -> Iterator[Any]:
    found = getattr(loader, "_batch_sampler", None)
    while found is not None and hasattr(found, "__dict__"):
        yield found
        found = getattr(found, "_sampler", None)


class _Unknown(Exception):
    """A value that is no part of a metric's state, such as a function."""


def metric_state(metric: Any) -> dict[str, Any]:
    """What a metric has seen, bit by bit: sums, counts and arrays among its attributes."""
    state = {}
    for name, value in vars(metric).items():
        try:
            state[name] = _saved(value)
        except _Unknown:
            continue  # functions and the like are the program's, not the run's
    return state


def set_metric_state(metric: Any, state: dict[str, Any]) -> None:
    """Goes on where `metric_state` was called."""
    for name, value in state.items():
        vars(metric)[name] = _restored(value, vars(metric).get(name))


def _saved(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str, np.bool_, np.integer, np.floating)):
        return value
    if isinstance(value, Running):
        return Instance("sum", {"start": _saved(value._start), "parts": [_saved(x) for x in value._parts.values()]})
    if isinstance(value, NDArray):
        where = [value.context.device_type, value.context.device_id]
        return Instance("array", {"context": where, "values": value._to_stored()})
    if isinstance(value, np.ndarray):
        return Instance("numpy", {"values": as_stored(value)})
    if isinstance(value, (list, tuple)):
        return type(value)(_saved(each) for each in value)
    if isinstance(value, dict):
        return {key: _saved(each) for key, each in value.items()}
    if isinstance(value, EvalMetric) or type(value).__module__.startswith(_METRICS):
        return Instance("object", metric_state(value))
    raise _Unknown


def _restored(value: Any, now: Any) -> Any:
    if isinstance(value, Instance):
        return _restored_instance(value, now)
    if isinstance(value, (list, tuple)):
        known = list(now) if isinstance(now, (list, tuple)) else []
        return type(value)(
            _restored(each, known[place] if place < len(known) else None) for place, each in enumerate(value)
        )
    if isinstance(value, dict):
        return {key: _restored(each, now.get(key) if isinstance(now, dict) else None) for key, each in value.items()}
    return value


def _restored_instance(record: Instance, now: Any) -> Any:
    state = record.state
    if record.kind == "sum":
        parts = [_restored(each, None) for each in state["parts"]]
        return Running(state["start"], {part.context: part for part in parts})
    if record.kind == "array":
        return from_stored(state["values"], "Checkpoint.restore").as_in_context(Context(*state["context"]))
    if record.kind == "numpy":
        return np.array(state["values"].data)
    if now is not None:
        set_metric_state(now, state)
    return now


_VERSION = 2
_NAME = re.compile(r"checkpoint-(\d{8,})\.params")


class Checkpoint:
    """Saves and restores a training run: parameters, optimizer, random numbers, and where it was.

    A checkpoint is complete or not there, whoever is killed when. In a training by several processes all of them call
    `save` and `restore`; rank 0 writes and reads the file, so the others need not see its folder.

    Args:
        folder: where the files are; it is made if it is missing.
        net: the network.
        trainer: its Trainer.
        keep: how many checkpoints stay; older ones are removed.

    Example:
        >>> checkpoint = gluon.contrib.Checkpoint("run1", net, trainer)
        >>> progress = checkpoint.restore() or {"epoch": 0}
        >>> for epoch in range(progress["epoch"], 10):
        ...     train(epoch)
        ...     checkpoint.save(epoch=epoch + 1)
    """

    __module__ = "mxnet.gluon.contrib"

    def __init__(self, folder: str | PathLike[str], net: Any, trainer: Any = None, keep: int = 2) -> None:
        if keep < 1:
            raise ValueError(f"[Checkpoint] keep: received {keep}; expected at least 1.")
        self._folder, self._net, self._trainer, self._keep = Path(folder), net, trainer, keep

    def files(self) -> list[Path]:
        """The checkpoints that there are, the newest last."""
        found = self._folder.iterdir() if self._folder.is_dir() else ()
        return sorted((path for path in found if _NAME.fullmatch(path.name)), key=_number)

    def save(self, **progress: Any) -> Path | None:
        """Saves the run.

        Args:
            progress: where it is, such as `epoch=3, batch=120`: numbers, texts, and lists or dicts of them.

        Returns:
            The file, on rank 0 and in a training by one process; None elsewhere.
        """
        return self._save(progress, None)

    def _save(self, progress: dict[str, Any], extra: dict[str, Any] | None) -> Path | None:
        """Saves the run, with something that each process has for itself."""
        group = _group()
        trained = None if self._trainer is None else self._trainer._get_states()  # by all: each may have a part
        own = {"random": stored(random_state()), "extra": extra, "measured": self._measured()}
        mine = states.encode(own, "Checkpoint.save")
        everyone = [mine] if group is None else group.all_gather_bytes(mine, "Checkpoint.save")
        path = self._write(progress, trained, everyone) if group is None or group.rank == 0 else None
        if group is not None:
            group.barrier("Checkpoint.save")  # whoever goes on can rely on it
        return path

    def _measured(self) -> dict[str, list[Stored]]:
        """What layers measure rather than learn, such as running means: it differs between contexts and processes."""
        return {
            name: [array._to_stored() for array in parameter.list_data()]
            for name, parameter in self._net._collect_params_with_prefix().items()
            if not getattr(parameter, "_differentiable", True)
        }

    def _write(self, progress: dict[str, Any], trained: bytes | None, everyone: list[bytes]) -> Path:
        named = self._net._collect_params_with_prefix()
        tree = {
            "version": _VERSION,
            "progress": progress,
            "net": {name: parameter._reduce()._to_stored() for name, parameter in named.items()},
            "trainer": None if trained is None else stored(trained),
            "loss_scale": _loss_scale(self._trainer),
            "ranks": [stored(each) for each in everyone],
        }
        content = states.encode(tree, "Checkpoint.save")
        self._folder.mkdir(parents=True, exist_ok=True)
        before = self.files()
        path = self._folder / f"checkpoint-{_number(before[-1]) + 1 if before else 1:08d}.params"
        with atomic_write(path, "Checkpoint.save") as stream:
            stream.write(content)
        for old in self.files()[: -self._keep]:
            old.unlink()
        return path

    def restore(self, ctx: Any = None) -> dict[str, Any] | None:
        """Brings the run back to the newest checkpoint.

        Args:
            ctx: where to put parameters that are not initialized.

        Returns:
            What `save` was told of the progress; None where there is no checkpoint: then nothing was changed.
        """
        found = self._restore(ctx)
        return None if found is None else found[0]

    def _restore(self, ctx: Any = None) -> tuple[dict[str, Any], dict[str, Any] | None] | None:
        """Brings the run back; returns the progress, and what this process gave `_save` for itself.

        A process that was not there then gets what rank 0 gave.
        """
        group = _group()
        tree = self._read(group)
        if tree is None:
            return None
        self._restore_net(tree["net"], ctx)
        if self._trainer is not None and tree["trainer"] is not None:
            self._trainer._set_states(as_bytes(tree["trainer"]))
            if tree["loss_scale"] is not None and self._trainer._amp_loss_scaler is not None:
                vars(self._trainer._amp_loss_scaler).update(tree["loss_scale"])
        rank = 0 if group is None else group.rank
        known = rank < len(tree["ranks"])
        mine = states.decode(as_bytes(tree["ranks"][rank if known else 0]), "Checkpoint.restore")
        if known:
            self._restore_measured(mine.get("measured", {}))
            set_random_state(as_bytes(mine["random"]))
        return tree["progress"], mine["extra"]

    def _restore_measured(self, saved: dict[str, list[Stored]]) -> None:
        named = self._net._collect_params_with_prefix()
        for name, arrays in saved.items():
            contexts = named[name].list_data()
            if len(contexts) == len(arrays):
                for now, array in zip(contexts, arrays, strict=True):
                    now[:] = from_stored(array, "Checkpoint.restore").as_in_context(now.context)

    def _read(self, group: ProcessGroup | None) -> dict[str, Any] | None:
        files = self.files() if group is None or group.rank == 0 else []
        content = bytes(open_mapped(files[-1], "Checkpoint.restore")) if files else b""
        if group is not None:
            content = group.broadcast_bytes(content, what="Checkpoint.restore")
        if not content:
            return None
        tree = states.decode(content, "Checkpoint.restore")
        if not isinstance(tree, dict) or tree.get("version") not in (1, _VERSION):
            raise FileFormatError(
                f"[Checkpoint.restore] {files[-1] if files else 'the file'} is not a checkpoint of a version known "
                f"here; expected version {_VERSION}."
            )
        if tree["version"] == 1:  # which had nothing but the random numbers of each process
            parts = [states.encode({"random": each, "extra": None}) for each in tree["random"]]
            tree["ranks"] = [stored(part) for part in parts]
        return tree

    def _restore_net(self, saved: dict[str, Stored], ctx: Any) -> None:
        named = self._net._collect_params_with_prefix()
        if differing := sorted(named.keys() ^ saved.keys()):
            raise MXNetError(
                f"[Checkpoint.restore] {', '.join(differing)}: in the network or in the checkpoint, not in both; "
                "expected the network that was saved."
            )
        for name, parameter in named.items():
            parameter._load_init(from_stored(saved[name], "Checkpoint.restore"), ctx)


def _group() -> ProcessGroup | None:
    """The processes that train together; None where this one trains alone."""
    return joined() or (world("Checkpoint") if launched() is not None else None)


def _number(path: Path) -> int:
    found = _NAME.fullmatch(path.name)
    assert found is not None
    return int(found[1])


def _loss_scale(trainer: Any) -> dict[str, Any] | None:
    scaler = None if trainer is None else trainer._amp_loss_scaler
    return None if scaler is None else dict(vars(scaler))
