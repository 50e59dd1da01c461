"""Check gradients and distributions numerically."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from ..ndarray import NDArray, array, empty, zeros
from ..symbol import Symbol, Variable, make_loss
from ._comparison import Array, assert_almost_equal
from ._environment import default_context, default_numeric_eps, get_tolerance
from ._sparse import create_sparse_array

__all__ = [
    "check_numeric_gradient",
    "check_symbolic_backward",
    "check_symbolic_forward",
    "numeric_grad",
    "simple_forward",
    "chi_square_check",
    "gen_buckets_probs_with_ppf",
    "mean_check",
    "var_check",
    "verify_generator",
]


_FLOATS = (np.float16, np.float32, np.float64)
_PROJECTION = "__random_proj"


def simple_forward(sym: Symbol, ctx: Any = None, is_train: bool = False, **inputs: Any) -> Array | list[Array]:
    """What a symbol computes from NumPy arrays, as a NumPy array, or a list of them for several outputs."""
    executor = sym.bind(ctx or default_context(), args={name: array(value) for name, value in inputs.items()})
    outputs = [output.asnumpy() for output in executor.forward(is_train=is_train)]
    return outputs[0] if len(outputs) == 1 else outputs


def _check_dtype(dtype: Any, who: str, free: bool = True) -> None:
    allowed = (*_FLOATS, "asnumpy") if free else _FLOATS
    if not any(dtype is each or dtype == each for each in allowed):
        raise AssertionError(
            f"[{who}] dtype: received {dtype!r}; expected {'asnumpy or ' if free else ''}float16, float32 or float64."
        )


def _as_array(value: Any, ctx: Any, dtype: Any) -> Any:
    """A value as an NDArray of this dtype, or of its own for 'asnumpy'; NDArrays stay what they are."""
    if not isinstance(value, np.ndarray):
        return value
    return array(value, ctx=ctx, dtype=value.dtype if isinstance(dtype, str) else dtype)


def _named(given: Any, names: list[str], what: str) -> dict[str, Any]:
    """Values given in order or by name, by name."""
    if not isinstance(given, (dict, list, tuple)):
        raise AssertionError(f"[{what}] received {type(given).__name__}; expected a list, a tuple or a dict.")
    if not isinstance(given, dict):
        return dict(zip(names, given, strict=False))
    if set(given) != set(names):
        raise ValueError(
            f"[{what}] received values for {', '.join(sorted(given)) or 'nothing'}; expected them for the symbol's "
            f"{', '.join(names) or 'nothing'}."
        )
    return given


def _parse_location(sym: Symbol, location: Any, ctx: Any, dtype: Any) -> dict[str, Any]:
    """Arrays of the arguments by name, in alphabetic order."""
    given = _named(location, sym.list_arguments(), "location")
    return {name: _as_array(given[name], ctx, dtype) for name in sorted(given)}


def _parse_aux_states(sym: Symbol, aux_states: Any, ctx: Any, dtype: Any) -> dict[str, Any] | None:
    """Arrays of the auxiliary states by name."""
    if aux_states is None:
        return None
    given = _named(aux_states, sym.list_auxiliary_states(), "aux_states")
    arrays = {name: value if isinstance(value, NDArray) else np.asarray(value) for name, value in given.items()}
    return {
        name: array(value, ctx=ctx, dtype=value.dtype if isinstance(dtype, str) else dtype)  # sparse ones stay so
        for name, value in arrays.items()
    }


def _numpy(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else value


def numeric_grad(
    executor: Any,
    location: dict[str, Any],
    aux_states: Mapping[str, Any] | None = None,
    eps: float = 1e-4,
    use_forward_train: bool = True,
    dtype: Any = np.float32,
) -> dict[str, np.ndarray[Any, Any]]:
    """The gradient of the sum of an executor's first output, by finite differences.

    Args:
        executor: computes the output.
        location: NumPy arrays of the arguments, by name.
        aux_states: NumPy arrays of the auxiliary states, put back before each computation.
        eps: the step.
        use_forward_train: whether to compute in training mode.
        dtype: of the arrays.

    Returns:
        Gradients by name; zeros for arguments that are not of a floating-point dtype.
    """
    _check_dtype(dtype, "numeric_grad", free=False)

    def put(name: str, value: Any) -> None:
        bound = executor.arg_dict[name]
        bound[:] = array(value, dtype=dtype).tostype(bound.stype)

    def total(name: str, value: Any) -> np.ndarray[Any, Any]:
        put(name, value)
        for state, kept in (aux_states or {}).items():
            executor.aux_dict[state][:] = array(kept, dtype=dtype)
        output: np.ndarray[Any, Any] = executor.forward(is_train=use_forward_train)[0].asnumpy()
        return output

    gradients = {name: np.zeros(value.shape, dtype=dtype) for name, value in location.items()}
    for name, value in location.items():
        if executor.arg_dict[name].stype == "default":
            put(name, value)
    for name, value in location.items():
        location[name] = value = np.asarray(value, order="C")
        if value.dtype.kind != "f":
            continue
        moved, found = value.copy(), gradients[name].reshape(-1)
        places = moved.reshape(-1)
        for place, original in enumerate(value.reshape(-1)):
            places[place] += eps / 2.0
            above = total(name, moved)
            places[place] -= eps
            found[place] = (above - total(name, moved)).sum() / eps
            places[place] = original
        put(name, value)
    return gradients


def check_numeric_gradient(
    sym: Symbol,
    location: Any,
    aux_states: Any = None,
    numeric_eps: Any = None,
    rtol: Any = None,
    atol: Any = None,
    grad_nodes: Any = None,
    use_forward_train: bool = True,
    ctx: Any = None,
    grad_stype_dict: dict[str, str] | None = None,
    dtype: Any = np.float32,
) -> None:
    """Refuses a symbol whose gradients differ from finite differences of a randomly weighted sum of its output.

    Args:
        sym: the symbol, with one output.
        location: NumPy arrays of the arguments, in order or by name.
        aux_states: NumPy arrays of the auxiliary states, in order or by name.
        numeric_eps: the step, by default that of the dtype.
        rtol: relative tolerance.
        atol: absolute tolerance.
        grad_nodes: names of the arguments to check, or a dict from names to 'write', 'add' or 'null'; all by default.
        use_forward_train: whether finite differences are computed in training mode.
        ctx: where to compute.
        grad_stype_dict: storage types of gradients by name.
        dtype: of the arrays.
    """
    _check_dtype(dtype, "check_numeric_gradient", free=False)
    ctx = ctx or default_context()
    arrays = _parse_location(sym, location, ctx, dtype)
    values = {name: _numpy(value) for name, value in arrays.items()}
    states = _parse_aux_states(sym, aux_states, ctx, dtype)
    state_values = None if states is None else {name: state.asnumpy() for name, state in states.items()}
    requests = _grad_requests(grad_nodes, sym)
    shape = sym.infer_shape(**{name: value.shape for name, value in arrays.items()})[1][0]
    head = make_loss(sym * Variable(_PROJECTION))
    # Weights that are not too small: products with small ones would lose precision.
    arrays[_PROJECTION] = array(np.random.rand(*shape) + 0.1, ctx=ctx, dtype=dtype)
    before = {name: np.random.normal(0, 0.01, size=arrays[name].shape) for name in (*requests, _PROJECTION)}
    gradients = {name: array(value, ctx=ctx, dtype=dtype) for name, value in before.items()}
    for name, stype in (grad_stype_dict or {}).items():
        if name in gradients and stype != "default":
            gradients[name] = zeros(before[name].shape, ctx, dtype, stype=stype)
    executor = head.bind(ctx, grad_req=requests, args=arrays, args_grad=gradients, aux_states=states)
    executor.forward(is_train=True)
    step = get_tolerance(executor.outputs[0], numeric_eps, default_numeric_eps())
    if dtype != np.float64 and step < 1e-5:
        raise AssertionError(f"[check_numeric_gradient] numeric_eps: {step} is too small a step for {dtype}.")
    executor.backward()
    found = {name: executor.grad_dict[name].asnumpy() for name in requests}
    differences = numeric_grad(executor, values, state_values, step, use_forward_train, dtype)
    for name, request in requests.items():
        labels = (f"NUMERICAL_{name}", f"BACKWARD_{name}")
        _compare(differences[name], found[name], before[name], request, labels, rtol, atol)


def _grad_requests(grad_nodes: Any, sym: Symbol) -> dict[str, str]:
    if isinstance(grad_nodes, dict):
        return dict(grad_nodes)
    if grad_nodes is None or isinstance(grad_nodes, (list, tuple)):
        return dict.fromkeys(sym.list_arguments() if grad_nodes is None else grad_nodes, "write")
    raise ValueError(f"grad_nodes: received {type(grad_nodes).__name__}; expected a list or a dict of names.")


def _compare(
    expected: Any,
    found: Any,
    before: Any,
    request: str,
    labels: tuple[str, str],
    rtol: Any,
    atol: Any,
    equal_nan: bool = False,
) -> None:
    """Compares a gradient array with what its request should have made of what was in it."""
    if request == "add":
        found = _numpy(found) - before
    elif request == "null":
        expected = before
    elif request != "write":
        raise ValueError(f"Invalid grad_req {request} for argument {labels[1].partition('_')[2]}")
    assert_almost_equal(expected, found, rtol, atol, labels, equal_nan=equal_nan)


def check_symbolic_forward(
    sym: Symbol,
    location: Any,
    expected: Any,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Any = None,
    ctx: Any = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> list[NDArray]:
    """Refuses a symbol whose outputs differ from what is expected.

    Args:
        sym: the symbol.
        location: NumPy arrays of the arguments, in order or by name.
        expected: NumPy arrays of the outputs, in order or by name.
        rtol: relative tolerance.
        atol: absolute tolerance.
        aux_states: NumPy arrays of the auxiliary states, in order or by name.
        ctx: where to compute.
        equal_nan: whether NaN equals NaN.
        dtype: of the arguments; 'asnumpy' for the arrays' own.

    Returns:
        The outputs.
    """
    _check_dtype(dtype, "check_symbolic_forward")
    ctx = ctx or default_context()
    arrays = _parse_location(sym, location, ctx, dtype)
    states = _parse_aux_states(sym, aux_states, ctx, dtype)
    names = sym.list_outputs()
    wanted = [expected[name] for name in names] if isinstance(expected, dict) else expected
    gradients = {
        name: empty(value.shape, ctx=ctx, dtype=value.dtype if isinstance(dtype, str) else dtype)
        for name, value in arrays.items()
    }
    executor = sym.bind(ctx=ctx, args=arrays, args_grad=gradients, aux_states=states)
    outputs = executor.forward(is_train=False)
    for name, value, output in zip(names, wanted, outputs, strict=False):
        labels = (f"EXPECTED_{name}", f"FORWARD_{name}")
        assert_almost_equal(value, output, rtol, atol, labels, equal_nan=equal_nan)
    return outputs


def check_symbolic_backward(
    sym: Symbol,
    location: Any,
    out_grads: Any,
    expected: Any,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Any = None,
    grad_req: Any = "write",
    ctx: Any = None,
    grad_stypes: dict[str, str] | None = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> dict[str, Any]:
    """Refuses a symbol whose gradients differ from what is expected.

    Args:
        sym: the symbol.
        location: NumPy arrays of the arguments, in order or by name.
        out_grads: gradients of the outputs, in order or by name, or None.
        expected: NumPy arrays of the arguments' gradients, in order or by name.
        rtol: relative tolerance.
        atol: absolute tolerance.
        aux_states: NumPy arrays of the auxiliary states, in order or by name.
        grad_req: 'write', 'add' or 'null', for all or for each.
        ctx: where to compute.
        grad_stypes: storage types of gradients by name.
        equal_nan: whether NaN equals NaN.
        dtype: of the arguments; 'asnumpy' for the arrays' own.

    Returns:
        The gradients by name.
    """
    _check_dtype(dtype, "check_symbolic_backward")
    ctx = ctx or default_context()
    names = sym.list_arguments()
    arrays = _parse_location(sym, location, ctx, dtype)
    states = _parse_aux_states(sym, aux_states, ctx, dtype)
    wanted = expected if isinstance(expected, dict) else dict(zip(names, expected, strict=False))
    # What is in the gradients' arrays before must not matter for 'write', and must stay for the others.
    before = {name: np.random.normal(size=wanted[name].shape) for name in sorted(wanted)}
    gradients = {}
    for name, value in before.items():
        stype = (grad_stypes or {}).get(name) or "default"
        kind = wanted[name].dtype if isinstance(dtype, str) else dtype
        gradients[name] = (
            array(value, ctx=ctx, dtype=kind)
            if stype == "default"
            else create_sparse_array(value.shape, stype, density=0.0)
        )
    requests = _requests(grad_req, names)
    executor = sym.bind(ctx=ctx, args=arrays, args_grad=gradients, aux_states=states, grad_req=requests)
    executor.forward(is_train=True)
    executor.backward(_starts(out_grads, ctx, dtype))
    for name, value in wanted.items():
        labels = (f"EXPECTED_{name}", f"BACKWARD_{name}")
        _compare(value, gradients[name], before[name], requests[name], labels, rtol, atol, equal_nan)
    return gradients


def _requests(grad_req: Any, names: Iterable[str]) -> dict[str, str]:
    if isinstance(grad_req, str):
        return dict.fromkeys(names, grad_req)
    return dict(grad_req) if isinstance(grad_req, dict) else dict(zip(names, grad_req, strict=False))


def _starts(out_grads: Any, ctx: Any, dtype: Any) -> Any:
    if isinstance(out_grads, dict):
        return {name: _as_array(value, ctx, dtype) for name, value in out_grads.items()}
    if isinstance(out_grads, (list, tuple)):
        return [_as_array(value, ctx, dtype) for value in out_grads]
    if out_grads is not None:
        raise AssertionError(f"out_grads: received {type(out_grads).__name__}; expected a list, a dict or None.")
    return None


Generator = Callable[[int], Any]


def gen_buckets_probs_with_ppf(
    ppf: Callable[[float], float], nbuckets: int
) -> tuple[list[tuple[float, float]], list[float]]:
    """Intervals that a distribution falls into equally often, and these probabilities.

    Args:
        ppf: the distribution's quantile function.
        nbuckets: how many.
    """
    if nbuckets <= 0:
        raise AssertionError(f"[gen_buckets_probs_with_ppf] nbuckets: received {nbuckets}; expected a positive number.")
    buckets = [(ppf(place / nbuckets), ppf((place + 1) / nbuckets)) for place in range(nbuckets)]
    return buckets, [1.0 / nbuckets] * nbuckets


def _samples(generator: Generator, nsamples: int) -> np.ndarray[Any, Any]:
    drawn = generator(nsamples)
    return drawn.asnumpy() if hasattr(drawn, "asnumpy") else np.array(drawn)


def mean_check(generator: Generator, mu: float, sigma: float, nsamples: int = 1000000) -> bool:
    """Whether the mean of samples is within three standard errors of `mu`."""
    error = 3 * sigma / np.sqrt(nsamples)
    return bool(mu - error < _samples(generator, nsamples).mean() < mu + error)


def var_check(generator: Generator, sigma: float, nsamples: int = 1000000) -> bool:
    """Whether the variance of samples is within three standard errors of `sigma` squared."""
    error = 3 * np.sqrt(2 * sigma**4 / (nsamples - 1))
    return bool(sigma**2 - error < _samples(generator, nsamples).var(ddof=1) < sigma**2 + error)


def chi_square_check(
    generator: Generator, buckets: list[Any], probs: Sequence[float], nsamples: int = 1000000
) -> tuple[float, Any, Any]:
    """The chi-square test of a generator.

    Args:
        generator: returns so many samples.
        buckets: intervals that do not overlap, in order; or the possible values of a discrete distribution.
        probs: the probability of each.
        nsamples: how many samples to draw.

    Returns:
        The p-value (small ones speak against the generator), and the observed and the expected frequencies.
    """
    if not isinstance(buckets, list) or len(probs) != len(buckets):
        raise AssertionError(
            f"[chi_square_check] received {len(probs)} probabilities for {len(buckets)} buckets; expected lists of the "
            "same length."
        )
    samples = _samples(generator, nsamples)
    expected = (nsamples * np.array(probs, dtype=np.float32)).astype(np.int32)
    observed = _frequencies(samples, buckets)
    statistic = float((np.square(observed - expected) / expected).sum())
    half_freedom = torch.tensor((len(buckets) - 1) / 2, dtype=torch.float64)
    p = torch.special.gammaincc(half_freedom, torch.tensor(statistic / 2, dtype=torch.float64)).item()
    return p, observed, expected


def _frequencies(samples: np.ndarray[Any, Any], buckets: list[Any]) -> np.ndarray[Any, Any]:
    if not isinstance(buckets[0], (list, tuple)):
        return np.array([(samples == value).sum() for value in buckets])
    bounds = np.array(buckets, dtype=np.float32).reshape(-1)
    if (np.diff(bounds) < 0).any():
        raise AssertionError(f"[chi_square_check] buckets: received {buckets}; expected intervals in order.")
    # Between two bounds of one bucket stand even numbers, so that a half of them counts buckets.
    numbers = np.searchsorted(bounds, samples, side="right") // 2
    return np.array([(numbers == place).sum() for place in range(len(buckets))])


def verify_generator(
    generator: Generator,
    buckets: list[Any],
    probs: Sequence[float],
    nsamples: int = 1000000,
    nrepeat: int = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> list[float]:
    """Refuses a generator that fails the chi-square test too often.

    Args:
        generator: returns so many samples.
        buckets: see chi_square_check.
        probs: the probability of each.
        nsamples: how many samples to draw each time.
        nrepeat: how often to test.
        success_rate: the part of the tests that must succeed.
        alpha: the p-value from which one does.

    Returns:
        The p-values.
    """
    outcomes = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    values, observed, expected = ([outcome[part] for outcome in outcomes] for part in range(3))
    if sum(p > alpha for p in values) < nrepeat * success_rate:
        raise AssertionError(
            f"Generator test fails, Chi-square p={values}, obs_freq={observed}, expected_freq={expected}."
            f"\nbuckets={buckets}, probs={probs}"
        )
    return values
