"""Checking that the same computation gives the same in several places, modes and forms; and how long it takes."""

import copy
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd import record
from ..initializer import Initializer
from ..ndarray import array, waitall
from ..random import uniform
from ..symbol import Symbol
from ..util import use_np
from ._comparison import assert_almost_equal, compare_ndarray_tuple
from ._environment import default_context, get_tols
from ._sparse import rand_ndarray

__all__ = ["check_consistency", "check_gluon_hybridize_consistency", "check_speed", "compare_optimizer"]


def check_speed(
    sym: Symbol,
    location: dict[str, Any] | None = None,
    ctx: Any = None,
    N: int = 20,
    grad_req: Any = None,
    typ: str = "whole",
    **kwargs: Any,
) -> float:
    """How many seconds a symbol takes to compute.

    Args:
        sym: the symbol.
        location: NumPy arrays of all arguments by name; random ones by default.
        ctx: where to compute.
        N: how often to repeat it.
        grad_req: 'write', 'add' or 'null', for all arguments or for each.
        typ: 'whole' for forward and backward, or 'forward'.
        kwargs: shapes of arguments, where there is no `location`.
    """
    if typ not in ("whole", "forward"):
        raise ValueError(f'typ can only be "whole" or "forward"; received {typ!r}.')
    if location is not None:
        if not isinstance(location, dict):
            raise AssertionError(f"[check_speed] location: received {type(location).__name__}; expected a dict.")
        kwargs = {name: value.shape for name, value in location.items()}
    executor = sym.simple_bind(grad_req=grad_req or "write", ctx=ctx or default_context(), **kwargs)
    if location is None:
        location = {name: np.random.normal(size=bound.shape) for name, bound in executor.arg_dict.items()}
    for name, value in location.items():
        executor.arg_dict[name][:] = value.astype(executor.arg_dict[name].dtype)

    def once() -> None:
        executor.forward(is_train=typ == "whole")
        if typ == "whole":
            executor.backward(out_grads=executor.outputs)

    once()
    waitall()
    begin = time.time()
    for _ in range(N):
        once()
    waitall()
    return (time.time() - begin) / N


def check_consistency(
    sym: Any,
    ctx_list: Sequence[dict[str, Any]],
    scale: float = 1.0,
    grad_req: Any = "write",
    arg_params: dict[str, Any] | None = None,
    aux_params: dict[str, Any] | None = None,
    rtol: Any = None,
    atol: Any = None,
    raise_on_err: bool = True,
    ground_truth: dict[str, Any] | None = None,
    equal_nan: bool = False,
    use_uniform: bool = False,
    rand_type: Any = np.float64,
) -> dict[str, Any]:
    """Refuses a symbol that computes different things in different contexts or dtypes.

    Args:
        sym: the symbol, or one for each context.
        ctx_list: for each binding what `simple_bind` takes: 'ctx', 'type_dict', and shapes by name.
        scale: standard deviation of the random arguments.
        grad_req: 'write', 'add' or 'null', for all arguments or for each.
        arg_params: values of arguments by name; the others are random.
        aux_params: values of auxiliary states by name; the others are 0.
        rtol: relative tolerance: a number or a dict by dtype.
        atol: absolute tolerance, likewise.
        raise_on_err: whether to raise, or only to print.
        ground_truth: expected outputs and gradients by name; by default those of the most precise binding.
        equal_nan: whether NaN equals NaN.
        use_uniform: draw uniformly distributed arguments.
        rand_type: the dtype that random arguments are rounded to.

    Returns:
        What the results were compared with.
    """
    if len(ctx_list) < 2:
        raise AssertionError(f"[check_consistency] ctx_list: received {len(ctx_list)} bindings; expected at least 2.")
    symbols = [sym] * len(ctx_list) if isinstance(sym, Symbol) else list(sym)
    if len(symbols) != len(ctx_list):
        raise AssertionError(f"[check_consistency] received {len(symbols)} symbols for {len(ctx_list)} contexts.")
    names = symbols[0].list_outputs(), symbols[0].list_arguments()
    for each in symbols:
        if (each.list_outputs(), each.list_arguments()) != names:
            raise AssertionError("[check_consistency] the symbols' arguments or outputs have different names.")
    executors = [each.simple_bind(grad_req=grad_req, **ctx) for each, ctx in zip(symbols, ctx_list, strict=True)]
    _fill(executors, arg_params, aux_params, grad_req, _random_arguments(scale, use_uniform, rand_type))
    dtypes = [np.dtype(executor.outputs[0].dtype) for executor in executors]
    best = int(np.argmax([dtype.itemsize for dtype in dtypes]))
    truth = ground_truth
    if truth is None:
        truth = {**executors[best].output_dict, **({} if grad_req == "null" else executors[best].grad_dict)}
    comparison = _Comparison(truth, dtypes, best, rtol, atol, equal_nan, raise_on_err)
    for executor in executors:
        executor.forward(is_train=False)
    for place, executor in enumerate(executors):
        comparison.check("Predict", place, names[0], executor.outputs)
    if grad_req != "null":
        _train(executors)
        for place, executor in enumerate(executors):
            comparison.check("Train", place, [*names[0], *names[1]], [*executor.outputs, *executor.grad_arrays])
    return truth


def _random_arguments(scale: float, use_uniform: bool, rand_type: Any) -> Callable[[tuple[int, ...]], Any]:
    def draw(shape: tuple[int, ...]) -> Any:
        if use_uniform:
            return np.random.uniform(-0.92 * scale, 0.92 * scale, size=shape).astype(rand_type)
        return np.random.normal(size=shape, scale=scale).astype(rand_type)

    return draw


def _fill(executors: Sequence[Any], arg_params: Any, aux_params: Any, grad_req: Any, draw: Callable[..., Any]) -> None:
    """Gives all executors the same arguments and states."""
    arguments = {} if arg_params is None else arg_params
    states = {} if aux_params is None else aux_params
    for name, bound in sorted(executors[0].arg_dict.items()):
        if name not in arguments:
            arguments[name] = draw(bound.shape)
    for name in executors[0].aux_dict:
        states.setdefault(name, 0)
    for executor in executors:
        for name, bound in executor.arg_dict.items():
            bound[:] = arguments[name]
        for name, bound in executor.aux_dict.items():
            bound[:] = states[name]
        if grad_req == "add":
            for gradient in executor.grad_arrays:
                gradient[:] = 0


def _smaller(first: Any, second: Any) -> Any:
    return first if np.dtype(first).itemsize < np.dtype(second).itemsize else second


def _train(executors: Sequence[Any]) -> None:
    """Forward and backward; all begin with the first one's outputs, rounded to what the least precise can hold."""
    for executor in executors:
        executor.forward(is_train=True)
    starts = []
    for place, output in enumerate(executors[0].outputs):
        dtype = output.dtype
        for executor in executors:
            dtype = _smaller(executor.outputs[place].dtype, dtype)
        starts.append(output.astype(dtype).asnumpy())
    for executor in executors:
        executor.backward(
            [
                array(start, ctx=executor._ctx, dtype=output.dtype).tostype(output.stype)
                for start, output in zip(starts, executor.outputs, strict=True)
            ]
        )


class _Comparison:
    """Compares the arrays of each executor with the truth."""

    def __init__(
        self,
        truth: dict[str, Any],
        dtypes: list[Any],
        best: int,
        rtol: Any,
        atol: Any,
        equal_nan: bool,
        raises: bool,
    ) -> None:
        self._truth, self._dtypes, self._best = truth, dtypes, best
        self._rtol, self._atol, self._equal_nan, self._raises = rtol, atol, equal_nan, raises

    def check(self, phase: str, place: int, names: Sequence[str], arrays: Sequence[Any]) -> None:
        """Compares one executor's arrays, by name."""
        if place == self._best:
            return
        for name, found in zip(names, arrays, strict=True):
            expected = self._truth[name]
            if expected is None or found is None:
                assert expected is found, f"{name}: one binding has a gradient, another has none"
                continue
            try:
                self._compare(place, found, expected)
            except AssertionError as error:
                print(f"{phase} Err: ctx {place} vs ctx {self._best} at {name}")
                traceback.print_exc()
                if self._raises:
                    raise
                print(error)

    def _compare(self, place: int, found: Any, expected: Any) -> None:
        """A gradient of float32 in a network of float16 is no more exact than that."""
        rtol, atol = self._rtol, self._atol
        least_found = _smaller(found.dtype, self._dtypes[place])
        least_expected = _smaller(expected.dtype, self._dtypes[self._best])
        if least_found != found.dtype or least_expected != expected.dtype:
            rtol, atol = get_tols(found.astype(least_found), expected.astype(least_expected), rtol, atol)
        assert_almost_equal(found, expected, rtol=rtol, atol=atol, equal_nan=self._equal_nan)


def compare_optimizer(
    opt1: Any,
    opt2: Any,
    shape: Any,
    dtype: Any,
    w_stype: str = "default",
    g_stype: str = "default",
    rtol: float = 1e-4,
    atol: float = 1e-5,
    compare_states: bool = True,
    ntensors: int = 1,
) -> None:
    """Refuses two optimizers that update weights differently.

    Args:
        opt1: an optimizer, given dense arrays, one at a time.
        opt2: another one, given arrays of the storage types, or several at a time.
        shape: of the weight; a list of shapes updates several.
        dtype: of the weight.
        w_stype: storage type of the second one's weight.
        g_stype: storage type of the second one's gradient.
        rtol: relative tolerance.
        atol: absolute tolerance.
        compare_states: whether to compare states as well.
        ntensors: how many weights, for a list of shapes.
    """
    if isinstance(shape, list):
        _compare_several(opt1, opt2, shape, dtype, rtol, atol, compare_states, ntensors)
        return
    if ntensors != 1:
        raise AssertionError(f"[compare_optimizer] ntensors: received {ntensors} for one shape; expected 1.")
    w1, w2 = _pair(shape, w_stype, dtype, {"density": 1})
    g1, g2 = _pair(shape, g_stype, dtype, {})
    state1 = opt1.create_state_multi_precision(0, w1)
    state2 = opt2.create_state_multi_precision(0, w2)
    if compare_states:
        compare_ndarray_tuple(state1, state2)
    opt1.update_multi_precision(0, w1, g1, state1)
    opt2.update_multi_precision(0, w2, g2, state2)
    if compare_states:
        compare_ndarray_tuple(state1, state2, rtol=rtol, atol=atol)
    assert_almost_equal(w1, w2, rtol=rtol, atol=atol)


def _pair(shape: Any, stype: str, dtype: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """The same array twice: dense, and of a storage type."""
    context = default_context()
    if stype == "default":
        second = uniform(shape=shape, ctx=context, dtype=dtype)
        return second.copyto(context), second
    if stype not in ("row_sparse", "csr"):
        raise ValueError(
            f"[compare_optimizer] received the storage type {stype!r}; expected default, row_sparse or csr."
        )
    second = rand_ndarray(shape, stype, dtype=dtype, **options)
    return second.copyto(context).tostype("default"), second


def _compare_several(
    opt1: Any, opt2: Any, shapes: list[Any], dtype: Any, rtol: float, atol: float, compare_states: bool, count: int
) -> None:
    context = default_context()
    drawn = [[uniform(shape=shape, ctx=context, dtype=dtype) for _ in range(2)] for shape in shapes]
    weights, gradients = [pair[0] for pair in drawn], [pair[1] for pair in drawn]
    together = copy.deepcopy(weights)
    states = [opt2.create_state_multi_precision(place, together[place]) for place in range(count)]
    opt2.update_multi_precision(list(range(count)), together, copy.deepcopy(gradients), states)
    for place in range(count):
        state = opt1.create_state_multi_precision(place, weights[place])
        opt1.update_multi_precision(place, weights[place], gradients[place], state)
        if compare_states:
            compare_ndarray_tuple(state, states[place], rtol, atol)
        compare_ndarray_tuple(weights[place], together[place], rtol, atol)


class _Copied(Initializer):
    """Gives parameters the values that another network had."""

    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__()
        self._values = values

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[...] = self._values[name]


@use_np
def check_gluon_hybridize_consistency(
    net_builder: Callable[..., Any],
    data_l: Sequence[Any],
    numpy_func: Callable[..., Any] | None = None,
    test_grad: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-4,
) -> None:
    """Refuses a network that computes something else once it is hybridized.

    Args:
        net_builder: makes the network, given `prefix=`; it must not draw random numbers.
        data_l: the inputs.
        numpy_func: what it should compute, on NumPy arrays.
        test_grad: whether to compare gradients of the inputs as well.
        rtol: relative tolerance.
        atol: absolute tolerance.
    """
    expected: Any = None
    gradients: list[Any] | None = None
    copied: _Copied | None = None
    for hybridize in (False, True):
        for recorded in (False, True) if test_grad else (False,):
            net = net_builder(prefix="net_")
            net.initialize(*([] if copied is None else [copied]))
            if hybridize:
                net.hybridize()
            output, found = _outcome(net, data_l, recorded)
            if copied is None:
                copied = _Copied({name: p.data().asnumpy() for name, p in net.collect_params().items()})
                expected = output
            assert_almost_equal(output, expected, rtol=rtol, atol=atol)
            gradients = found if gradients is None else gradients
            if found is not None and gradients is not None:
                for first, second in zip(found, gradients, strict=True):
                    assert_almost_equal(first, second, rtol=rtol, atol=atol)
    if numpy_func is not None:
        assert_almost_equal(expected, numpy_func(*(data.asnumpy() for data in data_l)), rtol=rtol, atol=atol)


def _outcome(net: Any, data_l: Sequence[Any], recorded: bool) -> tuple[Any, list[Any] | None]:
    inputs = [data.copy() for data in data_l]
    if not recorded:
        return net(*inputs).asnumpy(), None
    for data in inputs:
        data.attach_grad()
    with record():
        output = net(*inputs)
    output.backward(output)
    return output.asnumpy(), [data.grad.asnumpy() for data in inputs]
