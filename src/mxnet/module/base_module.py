"""What all modules offer: training, scores and predictions, over a few methods that each kind of module defines."""

import time
import warnings
from collections.abc import Iterator
from os import PathLike
from typing import Any

import numpy as np

from regluon.symbol.checkpoint import read_params, write_params

from ..base import _as_list
from ..initializer import Uniform
from ..io import DataBatch, DataIter
from ..metric import EvalMetric
from ..metric import create as create_metric
from ..model import BatchEndParam
from ..ndarray import NDArray, array, concatenate
from ._inputs import WrongUseError, _check_input_names, _check_names_match, _parse_data_desc  # noqa: F401  # users import them here
from ._interface import Interface
from ._resume import Resuming

__all__ = ["BaseModule"]


class BaseModule(Interface):
    """The base of modules: a module is bound to shapes, gets parameters, then an optimizer, and computes.

    A subclass defines `bind`, `init_params`, `init_optimizer`, `forward`, `backward`, `update`, `update_metric`,
    `get_params`, `get_outputs`, `get_input_grads` and the properties; `fit`, `score` and `predict` follow from them.
    """

    def forward_backward(self, data_batch: Any) -> None:
        """Forward and backward, in training mode."""
        self.forward(data_batch, is_train=True)
        self.backward()

    def _predicted(
        self, eval_data: Any, num_batch: int | None, reset: bool, sparse_row_id_fn: Any
    ) -> Iterator[tuple[int, Any]]:
        """Number and batch of each forward pass over the data."""
        if reset:
            eval_data.reset()
        for nbatch, eval_batch in enumerate(eval_data):
            if num_batch is not None and nbatch == num_batch:
                break
            self.prepare(eval_batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(eval_batch, is_train=False)
            yield nbatch, eval_batch

    def _update_batch_metric(self, eval_metric: EvalMetric, batch: Any) -> None:
        """Gives outputs and labels of a batch, or of a list with one for each device, to a metric."""
        if isinstance(batch, list):
            self.update_metric(eval_metric, [each.label for each in batch], pre_sliced=True)
        else:
            self.update_metric(eval_metric, batch.label)

    def score(
        self,
        eval_data: Any,
        eval_metric: Any,
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        score_end_callback: Any = None,
        reset: bool = True,
        epoch: int = 0,
        sparse_row_id_fn: Any = None,
    ) -> list[tuple[str, Any]]:
        """Pairs of name and value of metrics over data.

        Args:
            eval_data: the iterator.
            eval_metric: a metric, its name, or a list of them.
            num_batch: how many batches; all by default.
            batch_end_callback: called with a BatchEndParam after each batch; or a list.
            score_end_callback: called with a BatchEndParam at the end; or a list.
            reset: whether to begin with the first batch.
            epoch: the number that callbacks are told.
            sparse_row_id_fn: which rows of sparse parameters a batch needs; see `prepare`.
        """
        self._require("score", "binded", "params_initialized")
        if not isinstance(eval_metric, EvalMetric):
            eval_metric = create_metric(eval_metric)
        eval_metric.reset()
        seen = {"self": self, "eval_data": eval_data, "eval_metric": eval_metric, "epoch": epoch}
        actual_num_batch = 0
        for nbatch, eval_batch in self._predicted(eval_data, num_batch, reset, sparse_row_id_fn):
            self._update_batch_metric(eval_metric, eval_batch)
            actual_num_batch = nbatch + 1
            if batch_end_callback is not None:
                seen.update(nbatch=nbatch, eval_batch=eval_batch, actual_num_batch=nbatch)
                _tell(batch_end_callback, BatchEndParam(epoch, nbatch, eval_metric, dict(seen)))
        if score_end_callback:
            seen.update(actual_num_batch=actual_num_batch)
            _tell(score_end_callback, BatchEndParam(epoch, actual_num_batch, eval_metric, seen))
        return eval_metric.get_name_value()

    def iter_predict(
        self, eval_data: Any, num_batch: int | None = None, reset: bool = True, sparse_row_id_fn: Any = None
    ) -> Iterator[tuple[list[NDArray], int, Any]]:
        """Outputs, number and batch of each forward pass; examples that only fill up the batch are left out.

        Args:
            eval_data: the iterator.
            num_batch: how many batches; all by default.
            reset: whether to begin with the first batch.
            sparse_row_id_fn: which rows of sparse parameters a batch needs; see `prepare`.
        """
        self._require("iter_predict", "binded", "params_initialized")
        for nbatch, eval_batch in self._predicted(eval_data, num_batch, reset, sparse_row_id_fn):
            yield _without_padding(self.get_outputs(), eval_batch), nbatch, eval_batch

    def predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: Any = None,
    ) -> Any:
        """Outputs for data.

        Args:
            eval_data: an iterator, or an array: one batch.
            num_batch: how many batches; all by default.
            merge_batches: whether to join the outputs of all batches; else a list for each batch.
            reset: whether to begin with the first batch.
            always_output_list: whether a single output comes in a list too.
            sparse_row_id_fn: which rows of sparse parameters a batch needs; see `prepare`.
        """
        self._require("predict", "binded", "params_initialized")
        if isinstance(eval_data, (NDArray, np.ndarray)):
            data = array(eval_data) if isinstance(eval_data, np.ndarray) else eval_data
            self.forward(DataBatch([data]))
            return self.get_outputs()[0]
        if not isinstance(eval_data, DataIter):
            raise ValueError(
                f"[{type(self).__name__}.predict] eval_data: received {type(eval_data).__name__}; expected a DataIter "
                "or an array."
            )
        batches = [
            [output.copy() for output in _without_padding(self.get_outputs(), eval_batch)]
            for _, eval_batch in self._predicted(eval_data, num_batch, reset, sparse_row_id_fn)
        ]
        if not batches or not merge_batches:
            return batches
        counts = {len(outputs) for outputs in batches}
        if len(counts) > 1:
            raise WrongUseError(
                f"[{type(self).__name__}.predict] batches have different numbers of outputs, {sorted(counts)}, as with "
                "buckets; expected the same. Pass merge_batches=False."
            )
        merged = [concatenate(list(parts)) for parts in zip(*batches, strict=True)]
        return merged[0] if len(merged) == 1 and not always_output_list else merged

    def fit(
        self,
        train_data: Any,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
        initializer: Any = Uniform(0.01),  # noqa: B008  # it has no state
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_rebind: bool = False,
        force_init: bool = False,
        begin_epoch: int = 0,
        num_epoch: int | None = None,
        validation_metric: Any = None,
        monitor: Any = None,
        sparse_row_id_fn: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        every: int | None = None,
    ) -> None:
        """Binds the module, gives it parameters and an optimizer where it has none, and trains it.

        Args:
            train_data: the iterator of the training data.
            eval_data: the iterator of data to evaluate after each epoch.
            eval_metric: a metric, its name, or a list of them.
            epoch_end_callback: called with epoch, network, parameters and states after each epoch; or a list.
            batch_end_callback: called with a BatchEndParam after each batch; or a list.
            kvstore: a store, the name of a kind, or None.
            optimizer: an Optimizer, or the name of one.
            optimizer_params: arguments of the optimizer, if it is given by name.
            eval_end_callback: called with a BatchEndParam after each evaluation; or a list.
            eval_batch_end_callback: called with a BatchEndParam after each batch of an evaluation; or a list.
            initializer: gives first values to parameters.
            arg_params: values of parameters by name, which go before the initializer.
            aux_params: values of auxiliary states by name.
            allow_missing: whether the initializer may fill what `arg_params` and `aux_params` lack.
            force_rebind: whether to bind again if the module is bound.
            force_init: whether to begin with new parameters if there are some.
            begin_epoch: the number of the first epoch.
            num_epoch: the number of the epoch to stop before.
            validation_metric: the metric of the evaluation; `eval_metric` by default.
            monitor: a Monitor.
            sparse_row_id_fn: which rows of sparse parameters a batch needs; see `prepare`.
            checkpoint: a folder. The training is saved there after each epoch and goes on from there, with the same
                bits as if it had not been interrupted. Make the iterator as the first time, with the same seed.
            every: saves the checkpoint after every so many batches too.
        """
        seen = dict(locals())  # what callbacks find in `locals`
        if num_epoch is None:
            raise WrongUseError(f"[{type(self).__name__}.fit] please specify number of epochs: num_epoch=...")
        self.bind(train_data.provide_data, train_data.provide_label, for_training=True, force_rebind=force_rebind)
        if monitor is not None:
            self.install_monitor(monitor)
        self.init_params(initializer, arg_params, aux_params, allow_missing, force_init)
        resuming = Resuming(self, checkpoint, every)
        resuming.restore_params()
        self.init_optimizer(kvstore=kvstore, optimizer=optimizer, optimizer_params=optimizer_params)
        validation_metric = eval_metric if validation_metric is None else validation_metric
        if not isinstance(eval_metric, EvalMetric):
            eval_metric = create_metric(eval_metric)
        seen.update(eval_metric=eval_metric, validation_metric=validation_metric)
        for epoch in range(resuming.restore_states(train_data, begin_epoch), num_epoch):
            self._fit_epoch({**seen, "epoch": epoch}, resuming)
            arg_params, aux_params = self.get_params()
            self.set_params(arg_params, aux_params)
            for callback in _as_list(epoch_end_callback) if epoch_end_callback is not None else ():
                callback(epoch, self.symbol, arg_params, aux_params)
            if eval_data is not None:
                found = self.score(
                    *(eval_data, validation_metric, None, eval_batch_end_callback, eval_end_callback), epoch=epoch
                )
                for name, value in found:
                    self.logger.info("Epoch[%d] Validation-%s=%f", epoch, name, value)
            resuming.next_pass(epoch + 1, train_data)

    def _fit_epoch(self, seen: dict[str, Any], resuming: Resuming) -> None:
        """One pass over the training data.

        Args:
            seen: the variables of `fit`, which callbacks see.
            resuming: saves the training, and tells where to begin.
        """
        epoch, eval_metric, monitor, callbacks = (
            seen[key] for key in ("epoch", "eval_metric", "monitor", "batch_end_callback")
        )
        tic = time.time()
        eval_metric.reset()
        batches = iter(seen["train_data"])
        nbatch, following = resuming.first(batches, eval_metric, seen["sparse_row_id_fn"])
        last = False
        totals: list[tuple[str, Any]] = []
        while not last:
            data_batch = following
            if monitor is not None:
                monitor.tic()
            self.forward_backward(data_batch)
            self.update()
            self._update_batch_metric(eval_metric, data_batch)
            try:
                following = next(batches)
                self.prepare(following, sparse_row_id_fn=seen["sparse_row_id_fn"])
            except StopIteration:
                last = True
            if monitor is not None:
                monitor.toc_print()
            if last:  # before callbacks, which may begin the metric anew
                totals = eval_metric.get_global_name_value()
            if callbacks is not None:
                now = {"nbatch": nbatch, "data_batch": data_batch, "next_data_batch": following, "tic": tic}
                _tell(callbacks, BatchEndParam(epoch, nbatch, eval_metric, {**seen, **now, "end_of_batch": last}))
            nbatch += 1
            if not last:
                resuming.batch_ended(epoch, nbatch, eval_metric)
        for name, value in totals:
            self.logger.info("Epoch[%d] Train-%s=%f", epoch, name, value)
        self.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - tic)

    def set_params(
        self,
        arg_params: Any,
        aux_params: Any,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Sets parameters and auxiliary states.

        Args:
            arg_params: parameters by name.
            aux_params: auxiliary states by name.
            allow_missing: whether some may be missing.
            force_init: whether to replace those there are.
            allow_extra: whether to ignore names that the module lacks.
        """
        self.init_params(
            initializer=None,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
            allow_extra=allow_extra,
        )

    def save_params(self, fname: str | PathLike[str]) -> None:
        """Saves the parameters and auxiliary states."""
        write_params(fname, *self.get_params())

    def load_params(self, fname: str | PathLike[str]) -> None:
        """Loads what `save_params` saved."""
        self.set_params(*read_params(fname))

    def get_states(self, merge_multi_context: bool = True) -> Any:
        """States that pass from batch to batch; this kind of module has none."""
        self._require("get_states", "binded", "params_initialized")
        if merge_multi_context:
            raise WrongUseError("[get_states] merge_multi_context=True is not supported; pass False.")
        return []

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Sets states; this kind of module has none."""
        self._require("set_states", "binded", "params_initialized")
        if states or value:
            raise WrongUseError(f"[{type(self).__name__}.set_states] the module has no states.")

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Prepares for a batch; called with the next one while training.

        Args:
            data_batch: the batch.
            sparse_row_id_fn: a function from the batch to a dict: the rows of each sparse parameter that it needs.
        """
        if sparse_row_id_fn is not None:
            warnings.warn(f"[{type(self).__name__}.prepare] sparse_row_id_fn is not invoked.", stacklevel=2)


def _tell(callbacks: Any, param: Any) -> None:
    for callback in _as_list(callbacks):
        callback(param)


def _without_padding(outputs: list[NDArray], batch: Any) -> list[NDArray]:
    pad = batch.pad or 0  # iterators that never pad do not say
    return [output[0 : output.shape[0] - pad] for output in outputs]
