"""One executor for each context: the batch is split among them."""

import logging
from collections.abc import Sequence
from typing import Any

from regluon.graph.attributes import read_dtype

from ..executor_manager import _split_input_slice, mean_of
from ..io import DataDesc
from ..ndarray import NDArray
from ._inputs import (
    WrongUseError,
    _load_data,
    _load_general,
    _load_label,
    _merge_multi_context,
    _part,
    _prepare_group2ctxs,
    described,
)

__all__ = ["DataParallelExecutorGroup"]


class DataParallelExecutorGroup:
    """Executors of one network on several contexts.

    Args:
        symbol: the network.
        contexts: where to compute.
        workload: how much each context takes, relative to the others.
        data_shapes: descriptions of the data.
        label_shapes: descriptions of the labels, or None.
        param_names: names of the parameters.
        for_training: whether gradients are computed.
        inputs_need_grad: whether gradients of the data are computed too.
        shared_group: a group whose parameters to share.
        logger: where to log.
        fixed_param_names: parameters without gradients.
        grad_req: what becomes of gradients: "write", "add" or "null"; for all, or a list or dict for each argument.
        state_names: arguments that are neither data nor parameters: states that pass from batch to batch.
        group2ctxs: contexts of groups of layers: see Module.
    """

    def __init__(
        self,
        symbol: Any,
        contexts: Sequence[Any],
        workload: Sequence[float],
        data_shapes: Any,
        label_shapes: Any,
        param_names: Sequence[str],
        for_training: bool,
        inputs_need_grad: bool,
        shared_group: "DataParallelExecutorGroup | None" = None,
        logger: Any = logging,
        fixed_param_names: Sequence[str] | None = None,
        grad_req: Any = "write",
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
    ) -> None:
        self.param_names: list[str] = list(param_names)
        self.arg_names: Any = symbol.list_arguments()
        self.aux_names: Any = symbol.list_auxiliary_states()
        self.symbol, self.contexts, self.workload = symbol, contexts, workload
        self.group2ctxs = _prepare_group2ctxs(group2ctxs, len(contexts))
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self.logger = logger
        self._total_exec_bytes = 0
        self.fixed_param_names: list[str] = list(fixed_param_names or [])
        self.state_names: list[str] = list(state_names or [])
        data_shapes = described(data_shapes)
        label_shapes = None if label_shapes is None else described(label_shapes)
        self.grad_req = self._requests(grad_req if for_training else "null", [each.name for each in data_shapes])
        self.shared_data_arrays: list[dict[str, NDArray]] = (
            [{} for _ in contexts] if shared_group is None else shared_group.shared_data_arrays
        )
        self.batch_size: int | None = None
        self.slices: list[slice] = []
        self.execs: list[Any] = []
        self._default_execs: list[Any] | None = None
        self.label_layouts: list[int] = []
        self.label_names: list[str] = []
        self.output_names: Any = symbol.list_outputs()
        self.num_outputs: int = len(self.output_names)
        self.output_layouts: list[int] = [
            DataDesc.get_batch_axis(symbol[place].attr("__layout__")) for place in range(self.num_outputs)
        ]
        self.bind_exec(data_shapes, label_shapes, shared_group)

    def _requests(self, grad_req: Any, data_names: Sequence[str]) -> dict[str, str]:
        """What becomes of the gradient of each argument."""
        if isinstance(grad_req, (list, tuple)):
            if len(grad_req) != len(self.arg_names):
                raise WrongUseError(
                    f"[bind] grad_req: received {len(grad_req)} requests; expected one for each of {self.arg_names}."
                )
            return dict(zip(self.arg_names, grad_req, strict=True))
        if not isinstance(grad_req, (str, dict)):
            raise ValueError(f"[bind] grad_req: received {grad_req!r}; expected a str, list, tuple or dict.")
        wanted = grad_req if isinstance(grad_req, str) else "write"
        trained = set(self.param_names) - set(self.fixed_param_names)
        if self.inputs_need_grad:
            trained |= set(data_names)
        requests = {name: wanted if name in trained else "null" for name in self.arg_names}
        return {**requests, **grad_req} if isinstance(grad_req, dict) else requests

    # -- binding ------------------------------------------------------------------------------------------------------

    def decide_slices(self, data_shapes: Sequence[DataDesc]) -> list[int]:
        """Splits the batch; returns the axis of the batch of each array."""
        if not data_shapes:
            raise WrongUseError("[bind] received no data shapes; expected one or more.")
        axes = [DataDesc.get_batch_axis(each.layout) for each in data_shapes]
        for (name, shape), axis in zip(data_shapes, axes, strict=True):
            if axis == -1:
                continue
            if self.batch_size is None:
                self.batch_size = shape[axis]
                self.slices = _split_input_slice(shape[axis], self.workload)
            elif shape[axis] != self.batch_size:
                raise WrongUseError(
                    f"[bind] all data must have the same batch size: received {name} of shape {tuple(shape)}; expected "
                    f"{self.batch_size} along axis {axis}."
                )
        return axes

    def bind_exec(
        self,
        data_shapes: Sequence[DataDesc],
        label_shapes: Sequence[DataDesc] | None,
        shared_group: "DataParallelExecutorGroup | None" = None,
        reshape: bool = False,
    ) -> None:
        """Makes the executors, or changes their shapes."""
        self.batch_size = None
        self.data_layouts: list[int] = self.decide_slices(data_shapes)
        if label_shapes is not None and label_shapes:
            self.label_layouts = self.decide_slices(label_shapes)
        execs = []
        for place in range(len(self.contexts)):
            data = self._sliced_shape(data_shapes, place, self.data_layouts)
            labels = self._sliced_shape(label_shapes or [], place, self.label_layouts)
            if reshape:
                assert self._default_execs is not None
                shapes = {each.name: each.shape for each in (*data, *labels)}
                execs.append(self._default_execs[place].reshape(allow_up_sizing=True, **shapes))
            else:
                execs.append(self._bind_ith_exec(place, data, labels, shared_group))
        self.execs = execs
        self.data_shapes, self.label_shapes = data_shapes, label_shapes
        self.data_names: list[str] = [each.name for each in data_shapes]
        if label_shapes is not None:
            self.label_names = [each.name for each in label_shapes]
        self._collect_arrays()

    def _bind_ith_exec(
        self,
        i: int,
        data_shapes: Sequence[DataDesc],
        label_shapes: Sequence[DataDesc],
        shared_group: "DataParallelExecutorGroup | None",
    ) -> Any:
        inputs = [*data_shapes, *label_shapes]
        types: dict[str, Any] = {each.name: each.dtype for each in inputs}
        attributes = self.symbol.attr_dict()
        for each in data_shapes:  # what the variable says goes before what the iterator says
            if dtype := read_dtype(attributes.get(each.name, {})):
                types[each.name] = dtype
        executor = self.symbol.simple_bind(
            ctx=self.contexts[i],
            grad_req=self.grad_req,
            type_dict=types,
            shared_arg_names=self.param_names,
            shared_exec=None if shared_group is None else shared_group.execs[i],
            group2ctx=self.group2ctxs[i],
            shared_buffer=self.shared_data_arrays[i],
            **{each.name: each.shape for each in inputs},
        )
        self._total_exec_bytes += int(executor.debug_str().split("\n")[-3].split()[1])
        return executor

    def _sliced_shape(self, shapes: Sequence[DataDesc], i: int, major_axis: Sequence[int]) -> list[DataDesc]:
        """The descriptions of the part of the batch that goes to a context."""
        parts = []
        for each, axis in zip(shapes, major_axis, strict=False):
            shape = list(each.shape)
            if axis >= 0:
                shape[axis] = self.slices[i].stop - self.slices[i].start
            parts.append(DataDesc(each.name, tuple(shape), each.dtype, each.layout))
        return parts

    def _collect_arrays(self) -> None:
        """Sorts the arrays of the executors: for each name a list over the contexts."""
        slices = self.slices or [slice(place, place + 1) for place in range(len(self.execs))]
        args = [each.arg_dict for each in self.execs]
        grads = [each.grad_dict for each in self.execs]
        states = [each.aux_dict for each in self.execs]

        def inputs(shapes: Sequence[DataDesc]) -> list[list[tuple[slice, NDArray]]]:
            return [[(part, bound[each.name]) for part, bound in zip(slices, args, strict=True)] for each in shapes]

        self.data_arrays = inputs(self.data_shapes)
        self.label_arrays = None if self.label_shapes is None else inputs(self.label_shapes)
        self.state_arrays: list[list[Any]] = [[bound[name] for bound in args] for name in self.state_names]
        chosen = [name for name in self.arg_names if name in set(self.param_names)]
        self.param_arrays: list[list[Any]] = [[bound[name] for bound in args] for name in chosen]
        self.grad_arrays = [[bound[name] for bound in grads] for name in chosen] if self.for_training else None
        self.input_grad_arrays: list[list[Any]] | None = (
            [[bound[name] for bound in grads] for name in self.data_names if name in self.arg_names]
            if self.inputs_need_grad
            else None
        )
        self.aux_arrays: list[list[Any]] = [[bound[name] for bound in states] for name in self.aux_names]

    def reshape(self, data_shapes: Sequence[DataDesc], label_shapes: Sequence[DataDesc] | None) -> None:
        """Takes other shapes from now on."""
        if data_shapes == self.data_shapes and label_shapes == self.label_shapes:
            return
        if self._default_execs is None:
            self._default_execs = list(self.execs)
        self.bind_exec(data_shapes, label_shapes, reshape=True)

    # -- parameters and states ----------------------------------------------------------------------------------------

    def set_params(self, arg_params: Any, aux_params: Any, allow_extra: bool = False) -> None:
        """Copies parameters to all contexts."""
        for each in self.execs:
            each.copy_params_from(arg_params, aux_params, allow_extra_params=allow_extra)

    def get_params(self, arg_params: Any, aux_params: Any) -> None:
        """Copies the parameters, averaged over the contexts, into arrays."""
        for names, blocks, targets in (
            (self.param_names, self.param_arrays, arg_params),
            (self.aux_names, self.aux_arrays, aux_params),
        ):
            for name, block in zip(names, blocks, strict=True):
                mean_of(block).copyto(targets[name])

    def get_states(self, merge_multi_context: bool = True) -> Any:
        """The states: for each a list over the contexts."""
        if merge_multi_context:
            raise WrongUseError("[get_states] merge_multi_context=True is not supported for get_states; pass False.")
        return self.state_arrays

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Sets the states to arrays, for each a list over the contexts, or all of them to a number."""
        if (states is None) == (value is None):
            raise WrongUseError("[set_states] Only one of states & value can be specified, and one must be.")
        if states is not None:
            _load_general(states, self.state_arrays, (0,) * len(states))
            return
        for arrays in self.state_arrays:
            for each in arrays:
                each[:] = value

    # -- computation --------------------------------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs of a batch on all contexts."""
        _load_data(data_batch, self.data_arrays, self.data_layouts)
        labelled = data_batch[0] if isinstance(data_batch, list) else data_batch
        if self.label_arrays is not None and getattr(labelled, "label", None):
            _load_label(data_batch, self.label_arrays, self.label_layouts)
        for each in self.execs:
            each.forward(is_train=self.for_training if is_train is None else is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Computes gradients on all contexts, from those of the outputs if they are given."""
        if not self.for_training:
            raise WrongUseError("[backward] the module is bound for predictions; re-bind with for_training=True.")
        given = [out_grads] if isinstance(out_grads, NDArray) else out_grads or []
        for executor, part, context in zip(self.execs, self.slices, self.contexts, strict=True):
            parts = [
                _part(slope, part, axis).as_in_context(context)
                for slope, axis in zip(given, self.output_layouts, strict=False)
            ]
            executor.backward(out_grads=parts or None)

    def get_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs for the whole batch."""
        found = []
        for name, output, axis in zip(self.output_names, self.execs[0].outputs, self.output_layouts, strict=True):
            shape = list(output.shape)
            if axis >= 0 and self.batch_size is not None:
                shape[axis] = self.batch_size
            found.append((name, tuple(shape)))
        return found

    def get_outputs(self, merge_multi_context: bool = True, begin: int = 0, end: int | None = None) -> Any:
        """The outputs from number `begin` to before `end`: joined, or a list over the contexts for each."""
        by_device = [each.outputs for each in self.execs]
        outputs = [[found[place] for found in by_device] for place in range(self.num_outputs)[begin:end]]
        return _merge_multi_context(outputs, self.output_layouts[begin:end]) if merge_multi_context else outputs

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """The gradients of the data: joined, or a list over the contexts for each."""
        if self.input_grad_arrays is None:
            raise WrongUseError("[get_input_grads] there are none; bind with inputs_need_grad=True.")
        if merge_multi_context:
            return _merge_multi_context(self.input_grad_arrays, self.data_layouts)
        return self.input_grad_arrays

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Gives outputs and labels of all contexts to a metric."""
        for place, (executor, part) in enumerate(zip(self.execs, self.slices, strict=True)):
            if pre_sliced:
                chosen = labels[place]
            else:
                chosen = [
                    _part(label, part, axis) for label, axis in zip(labels or [], self.label_layouts, strict=False)
                ]
            eval_metric.update_dict(
                dict(zip(self.label_names, chosen, strict=False)),
                dict(zip(self.output_names, executor.outputs, strict=True)),
            )

    def install_monitor(self, mon: Any) -> None:
        """Lets a monitor look at all executors."""
        for each in self.execs:
            mon.install(each)
