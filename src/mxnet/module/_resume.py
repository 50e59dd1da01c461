"""Training of a module that is saved every few batches, and goes on after an interruption as if there had been none."""

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

from ..gluon.contrib._training_state import (
    Checkpoint,
    as_bytes,
    metric_state,
    random_state,
    set_metric_state,
    set_random_state,
    stored,
)
from ..ndarray.utils import from_stored
from ._inputs import WrongUseError

__all__ = ["Resuming"]


class Resuming:
    """Where `BaseModule.fit` is; saved now and then, and restored.

    The position in the data is restored by drawing the order of each pass again, with the random numbers that it was
    drawn with, and passing over the batches that are done. So the iterator must be made as it was the first time, with
    the same seed.

    Args:
        module: what is trained.
        folder: of the checkpoints; None to save nothing.
        every: saves after every so many batches, besides after every epoch.
    """

    def __init__(self, module: Any, folder: str | PathLike[str] | None, every: int | None) -> None:
        if every is not None and (folder is None or every < 1):
            raise ValueError(
                f"[{type(module).__name__}.fit] every: received {every} with checkpoint={folder!r}; expected at least "
                "1, and a folder to save to."
            )
        self._module, self._every = module, every
        self._saved = _Saved(module)
        self._checkpoint = None if folder is None else Checkpoint(fspath(folder), self._saved, self._saved)
        self._resets: list[Any] = []  # random numbers before each new pass
        self._total = 0
        self._found: dict[str, Any] | None = None
        self._random = b""

    @property
    def is_wanted(self) -> bool:
        """Whether anything is saved."""
        return self._checkpoint is not None

    def restore_params(self) -> None:
        """Gives the module the parameters of the newest checkpoint, if there is one."""
        found = None if self._checkpoint is None else self._checkpoint._restore()
        if found is None:
            return
        self._found = found[1]
        if self._found is None:
            raise WrongUseError(
                f"[{type(self._module).__name__}.fit] checkpoint: received one that was written by others; expected "
                "one of a module's fit. Use another folder."
            )
        self._random = random_state()
        self._module.set_params(self._saved.args, self._saved.auxs)

    def restore_states(self, train_data: Any, begin_epoch: int) -> int:
        """Restores the optimizer and the data's order; returns the epoch to go on with."""
        if self._found is None:
            return begin_epoch
        self._saved.restore_optimizer()
        for arrays, values in zip(self._saved.measured(), self._found["measured"], strict=True):
            for array, value in zip(arrays, values, strict=False):
                array[:] = from_stored(value, "Checkpoint.restore").as_in_context(array.context)
        self._resets, self._total = self._found["resets"], self._found["total"]
        for state in self._resets:
            if getattr(train_data, "last_batch_handle", "") == "roll_over":
                for _ in train_data:
                    pass  # what is left over begins the next pass
            set_random_state(as_bytes(state))
            train_data.reset()
        set_random_state(self._random)
        self._module.logger.info("Training resumed at epoch %d, batch %d", self._found["epoch"], self._found["batch"])
        return int(self._found["epoch"])

    def first(self, batches: Iterator[Any], eval_metric: Any, sparse_row_id_fn: Any) -> tuple[int, Any]:
        """The number of the first batch of an epoch, and the batch."""
        found, self._found = self._found, None
        if found is None or not found["batch"]:
            try:
                return 0, next(batches)
            except StopIteration:
                raise StopIteration(
                    "[Module.fit] train_data has no batch; expected one at least. Data that were read to their end, as "
                    "score() and predict() do, begin again after train_data.reset()."
                ) from None
        for _ in range(found["batch"]):
            next(batches)
        following = next(batches)
        self._module.prepare(following, sparse_row_id_fn=sparse_row_id_fn)
        set_metric_state(eval_metric, found["metric"])
        set_random_state(self._random)
        return found["batch"], following

    def batch_ended(self, epoch: int, batch: int, eval_metric: Any) -> None:
        """Saves if it is time.

        Args:
            epoch: its number.
            batch: how many batches of it are done.
            eval_metric: the metric of the epoch.
        """
        self._total += 1
        if self._every and self._total % self._every == 0:
            self._save(epoch, batch, metric_state(eval_metric))

    def next_pass(self, epoch: int, train_data: Any) -> None:
        """Begins a new pass over the data after an epoch, and saves.

        Args:
            epoch: the one that begins.
            train_data: the iterator.
        """
        if self._checkpoint is not None:
            self._resets.append(stored(random_state()))
        train_data.reset()
        self._total += 1  # the last batch of the epoch
        self._save(epoch, 0, {})

    def _save(self, epoch: int, batch: int, metric: dict[str, Any]) -> None:
        if self._checkpoint is None:
            return
        self._saved.take()
        where = {"epoch": epoch, "batch": batch}
        measured = [[array._to_stored() for array in arrays] for arrays in self._saved.measured()]
        state = {"total": self._total, "metric": metric, "resets": self._resets, "measured": measured}
        self._checkpoint._save(where, {**where, **state})


class _Saved:
    """A module as a Checkpoint sees it: as a network and as its trainer."""

    _amp_loss_scaler = None

    def __init__(self, module: Any) -> None:
        self._module = module
        self.args: dict[str, Any] = {}
        self.auxs: dict[str, Any] = {}
        self._states = b""

    def take(self) -> None:
        self.args, self.auxs = self._module.get_params()

    def _collect_params_with_prefix(self) -> dict[str, Any]:
        if not self.args:
            self.take()
        named = {f"arg:{name}": _Value(self.args, name) for name in self.args}
        return {**named, **{f"aux:{name}": _Value(self.auxs, name) for name in self.auxs}}

    def _owner(self) -> tuple[Any, Any]:
        """The module that has the optimizer, and who keeps its states."""
        found = getattr(self._module, "_curr_module", self._module)
        if not hasattr(found, "_updater"):
            raise WrongUseError(
                f"[{type(self._module).__name__}.fit] checkpoint: this kind of module cannot be resumed; expected a "
                "Module or a BucketingModule."
            )
        return found, found._kvstore._states_owner() if found._update_on_kvstore else found._updater

    def measured(self) -> list[list[Any]]:
        """The auxiliary states on each context: they differ between contexts and processes."""
        found: list[list[Any]] = self._owner()[0]._exec_group.aux_arrays
        return found

    def _get_states(self) -> bytes:
        states: bytes = self._owner()[1].get_states(dump_optimizer=True)
        return states

    def _set_states(self, states: bytes) -> None:
        self._states = states  # there may be no optimizer yet

    def restore_optimizer(self) -> None:
        module, owner = self._owner()
        owner.set_states(self._states)
        module._optimizer = owner.optimizer
        if module._update_on_kvstore:  # which has weights of its own
            for name, value in self.args.items():
                if name in module._param_names:
                    module._kvstore._assign(name, value)


class _Value:
    """A parameter of a module as a Checkpoint sees it."""

    def __init__(self, values: dict[str, Any], name: str) -> None:
        self._values, self._name = values, name

    def _reduce(self) -> Any:
        return self._values[self._name]

    def _load_init(self, value: Any, ctx: Any) -> None:
        self._values[self._name] = value
