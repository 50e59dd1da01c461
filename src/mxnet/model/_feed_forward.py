"""FeedForward: the first of MXNet's training interfaces."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from regluon.symbol.checkpoint import load_checkpoint, save_checkpoint

from ..callback import LogValidationMetricsCallback
from ..context import Context, cpu
from ..error import OpParamError, OpTypeError
from ..executor_manager import _check_arguments, _load_data
from ..initializer import Uniform
from ..io import DataDesc, DataIter, NDArrayIter
from ..metric import EvalMetric
from ..metric import create as create_metric
from ..ndarray import NDArray, zeros
from ..optimizer import Optimizer
from ..optimizer import create as create_optimizer
from ..symbol import Symbol
from ._training_loop import BatchEndParam, _create_kvstore, _multiple_callbacks, _train_multi_device

__all__ = ["FeedForward"]


class FeedForward:
    """A network with parameters that is trained and asked for predictions. New programs use `mx.mod.Module`.

    Args:
        symbol: the network, or a function from a bucket's key to its network.
        ctx: where to compute: a context or a list of them.
        num_epoch: how many epochs `fit` trains.
        epoch_size: batches in an epoch; a pass over the data by default.
        optimizer: an Optimizer or the name of one.
        initializer: gives first values to parameters that are not in `arg_params`.
        numpy_batch_size: examples in a batch where data are given as arrays.
        arg_params: parameters by name.
        aux_params: auxiliary states by name.
        allow_extra_params: whether to ignore parameters that the network lacks.
        begin_epoch: the number of the first epoch.
        kwargs: arguments of the optimizer.
    """

    __module__ = "mxnet.model"

    def __init__(
        self,
        symbol: Any,
        ctx: Any = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = Uniform(0.01),  # noqa: B008  # it has no state
        numpy_batch_size: int = 128,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_extra_params: bool = False,
        begin_epoch: int = 0,
        **kwargs: Any,
    ) -> None:
        warnings.warn(
            "[FeedForward] is MXNet's oldest interface; new programs use mx.mod.Module.",
            DeprecationWarning,
            stacklevel=2,
        )
        if not isinstance(symbol, Symbol) and not callable(symbol):
            raise AssertionError(f"[FeedForward] symbol: received {type(symbol).__name__}; expected a Symbol.")
        self.symbol = symbol if isinstance(symbol, Symbol) else None
        self.sym_gen = None if isinstance(symbol, Symbol) else symbol
        self.arg_params, self.aux_params = arg_params, aux_params
        self.allow_extra_params = allow_extra_params
        self.argument_checked = False
        if self.sym_gen is None:
            self._check_arguments()
        self.ctx = [cpu()] if ctx is None else [ctx] if isinstance(ctx, Context) else ctx
        self.num_epoch, self.epoch_size, self.begin_epoch = num_epoch, epoch_size, begin_epoch
        self.kwargs: dict[str, Any] = kwargs.copy()
        self.optimizer, self.initializer = optimizer, initializer
        self.numpy_batch_size = numpy_batch_size
        self._pred_exec: Any = None

    def _check_arguments(self) -> None:
        if self.argument_checked:
            return
        assert self.symbol is not None
        self.argument_checked = True
        _check_arguments(self.symbol)
        if self.allow_extra_params:
            self.arg_params = _known(self.arg_params, self.symbol.list_arguments())
            self.aux_params = _known(self.aux_params, self.symbol.list_auxiliary_states())

    @staticmethod
    def _is_data_arg(name: str) -> bool:
        """Whether an argument is data by its name."""
        return name.endswith(("data", "label"))

    def _init_params(self, inputs: Any, overwrite: bool = False) -> tuple[list[str], list[str], list[str]]:
        """Makes the parameters; returns the names of arguments, parameters and auxiliary states."""
        described = [each if isinstance(each, DataDesc) else DataDesc(*each) for each in inputs]
        assert self.symbol is not None
        arg_shapes, _, aux_shapes = self.symbol.infer_shape(**{each.name: each.shape for each in described})
        arg_types, _, aux_types = self.symbol.infer_type(**{each.name: each.dtype for each in described})
        if arg_shapes is None or arg_types is None:
            raise AssertionError(
                f"[FeedForward] the shapes of some parameters do not follow from the data: {described}."
            )
        arg_names, aux_names = self.symbol.list_arguments(), self.symbol.list_auxiliary_states()
        given = {each.name for each in described}
        self.arg_params = self._filled(arg_names, arg_shapes, arg_types, None if overwrite else self.arg_params, given)
        self.aux_params = self._filled(aux_names, aux_shapes, aux_types, None if overwrite else self.aux_params, set())
        return arg_names, [name for name in arg_names if name not in given], aux_names

    def _filled(self, names: Any, shapes: Any, types: Any, old: Any, without: set[str]) -> dict[str, NDArray]:
        arrays = {}
        for name, shape, dtype in zip(names, shapes, types, strict=True):
            if name in without:
                continue
            arrays[name] = zeros(shape, dtype=dtype)
            if old and name in old:
                arrays[name][:] = old[name]
            else:
                with warnings.catch_warnings():  # the old way of calling: by the name alone, as this class always did
                    warnings.simplefilter("ignore", DeprecationWarning)
                    self.initializer(name, arrays[name])
        return arrays

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pred_exec": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _init_predictor(self, input_shapes: Any, type_dict: Any = None) -> None:
        """Makes the executor for predictions, unless there is one of these shapes."""
        assert self.symbol is not None
        shapes = {name: array.shape for name, array in (self.arg_params or {}).items()}
        shapes.update({each[0]: each[1] for each in input_shapes})
        if self._pred_exec is not None:
            arg_shapes, _, _ = self.symbol.infer_shape(**shapes)
            if arg_shapes == [array.shape for array in self._pred_exec.arg_arrays]:
                return
        _check_arguments(self.symbol)
        executor = self.symbol.simple_bind(self.ctx[0], grad_req="null", type_dict=type_dict, **shapes)
        executor.copy_params_from(self.arg_params or {}, self.aux_params or {})
        self._pred_exec = executor

    def _init_iter(self, X: Any, y: Any, is_train: bool) -> DataIter:
        """An iterator of what was given as data."""
        if isinstance(X, DataIter):
            return X
        if not isinstance(X, (np.ndarray, NDArray)):
            raise OpTypeError(f"[FeedForward] X: received {type(X).__name__}; expected a DataIter or an array.")
        if y is None:
            if is_train:
                raise OpParamError("[FeedForward] y must be specified when X is an array: it holds the labels.")
            y = np.zeros(X.shape[0])
        if not isinstance(y, (np.ndarray, NDArray)):
            raise OpTypeError(f"[FeedForward] y: received {type(y).__name__}; expected an array, as X is one.")
        if X.shape[0] != y.shape[0]:
            raise OpParamError(f"[FeedForward] received {X.shape[0]} examples and {y.shape[0]} labels.")
        if y.ndim == 2 and y.shape[1] == 1:
            y = y.reshape(-1)
        if y.ndim != 1:
            raise OpParamError(f"[FeedForward] y: received the shape {y.shape}; expected one label for each example.")
        size = min(X.shape[0], self.numpy_batch_size)
        if is_train:
            return NDArrayIter(X, y, size, shuffle=True, last_batch_handle="roll_over")
        return NDArrayIter(X, y, size, shuffle=False)

    def _init_eval_iter(self, eval_data: Any) -> Any:
        if eval_data is None or isinstance(eval_data, DataIter):
            return eval_data
        if not isinstance(eval_data, (tuple, list)) or len(eval_data) != 2:
            raise OpTypeError(
                f"[FeedForward] eval_data: received {type(eval_data).__name__}; expected a DataIter, or a pair of "
                "arrays: data and labels."
            )
        data, label = eval_data
        if data is None:
            raise OpParamError("[FeedForward] eval_data: Eval data is NONE; expected a pair of arrays.")
        if label is None and isinstance(data, DataIter):
            return data
        data, label = (np.array(each) if isinstance(each, list) else each for each in (data, label))
        return self._init_iter(data, label, is_train=True)

    def _prepared(self, X: Any, reset: bool) -> tuple[DataIter, list[NDArray]]:
        """The iterator of the data, and the arrays of the executor that take them."""
        data = self._init_iter(X, None, is_train=False)
        if reset:
            data.reset()
        types = {name: array.dtype for name, array in (self.arg_params or {}).items()}
        for each in data.provide_data:
            types[each[0]] = each.dtype if isinstance(each, DataDesc) else np.float32
        self._init_predictor(data.provide_data, types)
        bound = self._pred_exec.arg_dict
        return data, [bound[each[0]] for each in data.provide_data]

    def predict(self, X: Any, num_batch: int | None = None, return_data: bool = False, reset: bool = True) -> Any:
        """Predictions as NumPy arrays: one, or a list if the network has several outputs.

        Args:
            X: an iterator, or an array.
            num_batch: how many batches; all by default.
            return_data: whether to return the data and labels too.
            reset: whether to begin with the first batch.
        """
        data, targets = self._prepared(X, reset)
        parts: list[list[list[Any]]] = [[], [], []]  # for each batch its outputs, data and labels
        for number, batch in enumerate(data, 1):
            _load_data(batch, targets)
            self._pred_exec.forward(is_train=False)
            real = data.batch_size - (batch.pad or 0)
            arrays = (self._pred_exec.outputs, batch.data, batch.label) if return_data else (self._pred_exec.outputs,)
            for part, found in zip(parts, arrays, strict=False):
                part.append([each[0:real].asnumpy() for each in found])
            if number == num_batch:
                break
        joined = [_joined(part) for part in (parts if return_data else parts[:1])]
        return tuple(joined) if return_data else joined[0]

    def score(
        self,
        X: Any,
        eval_metric: Any = "acc",
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        reset: bool = True,
    ) -> Any:
        """The value of a metric.

        Args:
            X: an iterator.
            eval_metric: a metric or the name of one.
            num_batch: how many batches; all by default.
            batch_end_callback: called with a BatchEndParam after each batch.
            reset: whether to begin with the first batch.
        """
        metric = eval_metric if isinstance(eval_metric, EvalMetric) else create_metric(eval_metric)
        data, targets = self._prepared(X, reset)
        for number, batch in enumerate(data):
            if number == num_batch:
                break
            _load_data(batch, targets)
            self._pred_exec.forward(is_train=False)
            metric.update(batch.label, self._pred_exec.outputs)
            seen = {"self": self, "X": data, "batch": batch, "i": number, "eval_metric": metric}
            _multiple_callbacks(batch_end_callback, BatchEndParam(0, number, metric, seen))
        return metric.get()[1]

    def fit(
        self,
        X: Any,
        y: Any = None,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Any = None,
        monitor: Any = None,
        eval_end_callback: Any = LogValidationMetricsCallback(),  # noqa: B008  # it has no state
        eval_batch_end_callback: Any = None,
    ) -> None:
        """Trains the network.

        Args:
            X: an iterator, or an array of examples.
            y: the labels, if X is an array.
            eval_data: an iterator, or a pair of arrays, to evaluate after each epoch.
            eval_metric: a metric or the name of one.
            epoch_end_callback: called with epoch, network, parameters and states after each epoch; or a list.
            batch_end_callback: called with a BatchEndParam after each batch; or a list.
            kvstore: a store, or the name of a kind.
            logger: where to log.
            work_load_list: how much each context takes, relative to the others.
            monitor: a Monitor.
            eval_end_callback: called after each evaluation.
            eval_batch_end_callback: called after each batch of an evaluation.
        """
        data = self._init_iter(X, y, is_train=True)
        eval_data = self._init_eval_iter(eval_data)
        if self.num_epoch is None:
            raise OpTypeError("[FeedForward] num_epoch: received None; expected how many epochs to train.")
        if self.sym_gen is not None:
            self.symbol = self.sym_gen(data.default_bucket_key)  # type: ignore[attr-defined]
            self._check_arguments()
        arg_names, param_names, aux_names = self._init_params([*data.provide_data, *data.provide_label])
        store, on_store = _create_kvstore(kvstore, len(self.ctx), self.arg_params)
        _train_multi_device(
            *(self.symbol, self.ctx, arg_names, param_names, aux_names, self.arg_params, self.aux_params),
            begin_epoch=self.begin_epoch,
            end_epoch=self.num_epoch,
            epoch_size=self.epoch_size,
            optimizer=self._made_optimizer(data, store, on_store, param_names),
            train_data=data,
            eval_data=eval_data,
            eval_metric=eval_metric if isinstance(eval_metric, EvalMetric) else create_metric(eval_metric),
            epoch_end_callback=epoch_end_callback,
            batch_end_callback=batch_end_callback,
            kvstore=store,
            update_on_kvstore=on_store,
            logger=logger,
            work_load_list=work_load_list,
            monitor=monitor,
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
            sym_gen=self.sym_gen,
        )

    def _made_optimizer(self, data: Any, store: Any, on_store: bool, param_names: list[str]) -> Any:
        copies = 1 if on_store else len(self.ctx)
        names = {place * copies + k: name for place, name in enumerate(param_names) for k in range(copies)}
        self.kwargs.update(sym=self.symbol, param_idx2name=names)
        if isinstance(self.optimizer, Optimizer):
            if not self.optimizer.idx2name:
                self.optimizer.idx2name = names.copy()
            return self.optimizer
        batch_size = data.batch_size
        if store and "dist" in store.type and "_async" not in store.type:
            batch_size *= store.num_workers
        return create_optimizer(self.optimizer, rescale_grad=1.0 / batch_size, **self.kwargs)

    def save(self, prefix: Any, epoch: int | None = None, remove_amp_cast: bool = True) -> None:
        """Saves a checkpoint; its number is that of the last epoch unless given."""
        number = self.num_epoch if epoch is None else epoch
        if number is None:
            raise AssertionError("[FeedForward.save] epoch: received None; expected the number of the checkpoint.")
        save_checkpoint(prefix, number, self.symbol, self.arg_params, self.aux_params, remove_amp_cast)

    @staticmethod
    def load(prefix: Any, epoch: int, ctx: Any = None, **kwargs: Any) -> "FeedForward":
        """A network from a checkpoint; training goes on with the next epoch."""
        symbol, arg_params, aux_params = load_checkpoint(prefix, epoch)
        return FeedForward(symbol, ctx=ctx, arg_params=arg_params, aux_params=aux_params, begin_epoch=epoch, **kwargs)

    @staticmethod
    def create(
        symbol: Any,
        X: Any,
        y: Any = None,
        ctx: Any = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = Uniform(0.01),  # noqa: B008  # it has no state
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Any = None,
        eval_end_callback: Any = LogValidationMetricsCallback(),  # noqa: B008  # it has no state
        eval_batch_end_callback: Any = None,
        **kwargs: Any,
    ) -> "FeedForward":
        """A trained network: the constructor and `fit` in one."""
        model = FeedForward(symbol, ctx, num_epoch, epoch_size, optimizer, initializer, **kwargs)
        model.fit(
            *(X, y, eval_data, eval_metric, epoch_end_callback, batch_end_callback, kvstore, logger, work_load_list),
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
        )
        return model


def _known(params: Mapping[str, Any] | None, names: list[str]) -> dict[str, Any] | None:
    return params if not params else {name: array for name, array in params.items() if name in names}  # type: ignore[return-value]


def _joined(batches: list[list[Any]]) -> Any:
    """The arrays of all batches one after the other; a single one without a list around it."""
    joined = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
    return joined[0] if len(joined) == 1 else joined
