"""Training on several contexts as `FeedForward` does it: each gets a slice of the batch."""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from .context import cpu
from .error import OpParamError
from .io import DataDesc
from .ndarray import NDArray

__all__ = ["DataParallelExecutorGroup", "DataParallelExecutorManager"]


def _split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """The part of a batch for each device.

    Args:
        batch_size: examples in the batch.
        work_load_list: how much each device takes, relative to the others.

    Raises:
        ValueError: some device would get nothing.
    """
    total = sum(work_load_list)
    counts = [round(load * batch_size / total) for load in work_load_list]
    if sum(counts) < batch_size:
        counts[-1] += batch_size - sum(counts)
    slices = []
    end = 0
    for count in counts:
        begin = min(end, batch_size)
        end = min(begin + count, batch_size)
        if begin >= end:
            raise OpParamError(
                f"[work_load_list] received {list(work_load_list)} for a batch of {batch_size}: Too many slices. Some "
                "splits are empty. Take fewer contexts or larger batches."
            )
        slices.append(slice(int(begin), int(end)))
    return slices


def _check_arguments(symbol: Any) -> None:
    """Refuses a network in which several variables have one name."""
    for kind, names in (("argument", symbol.list_arguments()), ("auxiliary param", symbol.list_auxiliary_states())):
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(
                f"[Symbol] Find duplicated {kind} name {', '.join(repeated)}; expected different names among "
                f"{names}. Name the layers: name='...'."
            )


def _load_general(data: Sequence[NDArray], targets: Sequence[Any]) -> None:
    """Copies arrays into others: whole, or slice by slice to the devices."""
    for source, target in zip(data, targets, strict=False):
        if isinstance(target, NDArray):
            source.copyto(target)
            continue
        size = target[-1][0].stop
        if source.shape[0] != size:
            raise AssertionError(f"[load_data_batch] Batch size miss match. Expected {size}, got {source.shape[0]}.")
        for part, array in target:
            source[part].copyto(array)


def _load_data(batch: Any, targets: Sequence[Any]) -> None:
    """Copies the data of a batch into arrays."""
    _load_general(batch.data, targets)


def _load_label(batch: Any, targets: Sequence[Any]) -> None:
    """Copies the labels of a batch into arrays."""
    _load_general(batch.label, targets)


def mean_of(copies: Sequence[NDArray]) -> NDArray:
    """The mean of the copies of a parameter on several devices, on the CPU."""
    total = copies[0].as_in_context(cpu())
    for copy in copies[1:]:
        total = total + copy.as_in_context(cpu())
    return total / len(copies) if len(copies) > 1 else total


class DataParallelExecutorGroup:
    """One executor for each device, with shared parameters across groups of different shapes.

    Args:
        sym: the network.
        arg_names: its arguments.
        param_names: those among them that are trained.
        ctx: the devices.
        slices: the part of the batch for each.
        train_data: what describes the data, in `provide_data` and `provide_label`.
        shared_group: a group to share parameters with.
    """

    def __init__(
        self,
        sym: Any,
        arg_names: Sequence[str],
        param_names: Sequence[str],
        ctx: Sequence[Any],
        slices: Sequence[slice],
        train_data: Any,
        shared_group: "DataParallelExecutorGroup | None" = None,
    ) -> None:
        _check_arguments(sym)
        self.shared_data_arrays: list[dict[str, NDArray]] = (
            [{} for _ in ctx] if shared_group is None else shared_group.shared_data_arrays
        )
        self.data_names: list[Any] = [each[0] for each in train_data.provide_data]
        self.label_names: list[Any] = [each[0] for each in train_data.provide_label]
        self.aux_names: Any = sym.list_auxiliary_states()
        self.param_idx: list[int] = [place for place, name in enumerate(arg_names) if name in param_names]
        self.param_names: list[str] = [arg_names[place] for place in self.param_idx]
        self.slices = slices
        inputs = [*train_data.provide_data, *train_data.provide_label]
        self.train_execs: list[Any] = [
            sym.simple_bind(
                context,
                grad_req=dict.fromkeys(self.param_names, "write"),
                type_dict={each[0]: each.dtype if isinstance(each, DataDesc) else np.float32 for each in inputs},
                shared_arg_names=self.param_names,
                shared_exec=None if shared_group is None else shared_group.train_execs[place],
                shared_buffer=self.shared_data_arrays[place],
                **{each[0]: (slices[place].stop - slices[place].start, *each[1][1:]) for each in inputs},
            )
            for place, context in enumerate(ctx)
        ]
        self.data_arrays = self._inputs(self.data_names)
        self.label_arrays = self._inputs(self.label_names)
        bound, slopes = [each.arg_dict for each in self.train_execs], [each.grad_dict for each in self.train_execs]
        self.param_arrays: list[list[Any]] = [[arrays[name] for arrays in bound] for name in self.param_names]
        self.grad_arrays: list[list[Any]] = [[arrays[name] for arrays in slopes] for name in self.param_names]
        self.aux_arrays: list[list[Any]] = [
            [each.aux_arrays[place] for each in self.train_execs] for place in range(len(self.aux_names))
        ]

    def _inputs(self, names: Sequence[str]) -> list[list[tuple[slice, NDArray]]]:
        bound = [each.arg_dict for each in self.train_execs]
        return [[(part, arrays[name]) for part, arrays in zip(self.slices, bound, strict=True)] for name in names]

    def load_data_batch(self, data_batch: Any) -> None:
        """Copies a batch to the devices."""
        _load_data(data_batch, self.data_arrays)
        _load_label(data_batch, self.label_arrays)

    def forward(self, is_train: bool = False) -> None:
        """Computes the outputs on all devices."""
        for each in self.train_execs:
            each.forward(is_train=is_train)

    def backward(self) -> None:
        """Computes the gradients on all devices."""
        for each in self.train_execs:
            each.backward()

    def update_metric(self, metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Gives outputs and labels to a metric.

        Args:
            metric: the metric.
            labels: a list of arrays; of lists of them, one for each device, if `pre_sliced`.
            pre_sliced: whether the labels are cut for the devices already.
        """
        for place, (each, part) in enumerate(zip(self.train_execs, self.slices, strict=True)):
            metric.update(labels[place] if pre_sliced else [label[part] for label in labels], each.outputs)


class DataParallelExecutorManager:
    """Trains a network, or one for each bucket, on several devices.

    Args:
        symbol: the network.
        ctx: the devices.
        train_data: the iterator of the data.
        arg_names: arguments of the network.
        param_names: those among them that are trained.
        aux_names: its auxiliary states.
        work_load_list: how much each device takes; the same by default.
        logger: where to log; the root logger by default.
        sym_gen: makes the network of a bucket from its key.
    """

    def __init__(
        self,
        symbol: Any,
        ctx: Sequence[Any],
        train_data: Any,
        arg_names: Sequence[str],
        param_names: Sequence[str],
        aux_names: Sequence[str],
        work_load_list: list[float] | None = None,
        logger: Any = None,
        sym_gen: Any = None,
    ) -> None:
        (logger or logging).info("Start training with %s", str(ctx))
        loads = [1.0] * len(ctx) if work_load_list is None else work_load_list
        if not isinstance(loads, list) or len(loads) != len(ctx):
            raise AssertionError(f"[work_load_list] received {loads!r}; expected a list of {len(ctx)} numbers.")
        self.slices = _split_input_slice(train_data.batch_size, loads)
        self.arg_names, self.param_names, self.aux_names, self.ctx = arg_names, param_names, aux_names, ctx
        self.execgrp = DataParallelExecutorGroup(symbol, arg_names, param_names, ctx, self.slices, train_data)
        self.symbol, self.sym_gen = symbol, sym_gen
        self.curr_execgrp = self.execgrp
        if sym_gen is not None:
            self.execgrp_bucket = {train_data.default_bucket_key: self.execgrp}

    def install_monitor(self, monitor: Any) -> None:
        """Lets a monitor look at all executors."""
        if self.sym_gen is not None:
            raise NotImplementedError("[FeedForward] Monitoring is not implemented for bucketing; use BucketingModule.")
        for each in self.execgrp.train_execs:
            monitor.install(each)

    def set_params(self, arg_params: Any, aux_params: Any) -> None:
        """Copies parameters to all devices."""
        for each in self.execgrp.train_execs:
            each.copy_params_from(arg_params, aux_params)

    def copy_to(self, arg_params: Any, aux_params: Any) -> None:
        """Copies the parameters, averaged over the devices, into arrays."""
        for names, blocks, targets in (
            (self.execgrp.param_names, self.param_arrays, arg_params),
            (self.aux_names, self.aux_arrays, aux_params),
        ):
            for name, block in zip(names, blocks, strict=True):
                mean_of(block).astype(targets[name].dtype).copyto(targets[name])

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """The parameters, for each a list over the devices."""
        return self.execgrp.param_arrays

    @property
    def grad_arrays(self) -> list[list[NDArray]]:
        """Their gradients."""
        return self.execgrp.grad_arrays

    @property
    def aux_arrays(self) -> list[list[NDArray]]:
        """The auxiliary states, for each a list over the devices."""
        return self.execgrp.aux_arrays

    def load_data_batch(self, data_batch: Any) -> None:
        """Copies a batch to the devices, to its bucket if there are several."""
        if self.sym_gen is not None:
            key = data_batch.bucket_key
            if key not in self.execgrp_bucket:
                self.execgrp_bucket[key] = DataParallelExecutorGroup(
                    *(self.sym_gen(key), self.arg_names, self.param_names, self.ctx, self.slices, data_batch),
                    shared_group=self.execgrp,
                )
            self.curr_execgrp = self.execgrp_bucket[key]
        self.curr_execgrp.load_data_batch(data_batch)

    def forward(self, is_train: bool = False) -> None:
        """Computes the outputs of the batch."""
        self.curr_execgrp.forward(is_train=is_train)

    def backward(self) -> None:
        """Computes the gradients of the batch."""
        self.curr_execgrp.backward()

    def update_metric(self, metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Gives the outputs of the batch and its labels to a metric."""
        self.curr_execgrp.update_metric(metric, labels, pre_sliced)
