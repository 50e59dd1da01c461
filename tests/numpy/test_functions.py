"""Functions of `mx.np` beyond the recorded programs: what they refuse, and their signatures."""

import inspect
import json
from pathlib import Path

import numpy as onp
import pytest

import mxnet as mx
from mxnet import autograd, np, npx

X = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("act", "kind", "text"),
    [
        (lambda: np.sin([1]), TypeError, r"\[np.sin\] x: received builtins.list; expected an array"),
        (lambda: np.sin(X, bogus=1), TypeError, r"\[sin\] received bogus=1, which NumPy does not know"),
        (lambda: np.add(X, X, dtype="int8"), NotImplementedError, r"\[add\] received dtype='int8'; only None"),
        (lambda: np.add(1, 2, out=X), TypeError, r"\[add\] out: received an array for the result of two numbers"),
        (lambda: np.add(X, 2, out=[]), TypeError, r"\[add\] out: received list; expected an NDArray"),
        (lambda: np.add(X, 2, out=X[0]), ValueError, r"\[add\] out: received an array of shape \(2,\)"),
        (lambda: np.clip(X, None, None), ValueError, "expected at least one number"),
        (lambda: np.zeros((2,), order="F"), NotImplementedError, r"\[np.zeros\] order: received 'F'"),
        (lambda: np.zeros("a"), TypeError, r"\[shape\] received 'a'; expected an integer or a tuple"),
        (lambda: np.empty_like(X, subok=True), NotImplementedError, "only subok=False and shape=None"),
        (lambda: np.arange(None), ValueError, "expected where to stop"),
        (lambda: np.arange(1, 5, 0), ZeroDivisionError, r"\[np.arange\] step: received 0"),
        (lambda: np.identity(2.5), TypeError, r"\[np.identity\] n: received float"),
        (lambda: np.identity(-1), ValueError, r"\[np.identity\] n: received -1"),
        (lambda: np.eye(2, bogus=1), TypeError, r"\[np.eye\] received bogus"),
        (lambda: np.linspace(X, 1), NotImplementedError, r"\[np.linspace\] start and stop must be numbers"),
        (lambda: np.logspace(0, 1, axis=1), NotImplementedError, r"\[np.logspace\] .* axis 0"),
        (lambda: np.indices(2), ValueError, r"\[np.indices\] dimensions: received 2"),
        (lambda: np.stack(x for x in (X, X)), ValueError, r"\[np.stack\] received generator; expected a list"),
        (lambda: np.split(X, 3), ValueError, "cannot cut an axis of length 2 into 3 equal sections"),
        (lambda: np.split(X, "a"), ValueError, r"\[np.split\] received str; expected a number of sections"),
        (lambda: np.array_split(X, 0), ValueError, "received 0 sections; expected at least 1"),
        (
            lambda: np.dsplit(X, 2),
            ValueError,
            r"\[np.dsplit\] received an array of shape \(2, 2\); expected at least 3",
        ),
        (lambda: np.insert(X, 0, [1]), TypeError, r"\[np.insert\] values: received builtins.list"),
        (lambda: np.delete([1], 0), TypeError, r"\[np.delete\] arr: received builtins.list"),
        (lambda: np.delete(X, "a"), TypeError, r"\[np.delete\] obj: received builtins.str"),
        (lambda: np.sort(X, order="a"), NotImplementedError, "no fields to order by"),
        (lambda: np.where(X, "a", X), TypeError, r"\[np.where\] x: received builtins.str"),
        (lambda: np.where(X, X, "a"), TypeError, r"\[np.where\] y: received builtins.str"),
        (lambda: np.take(X, X, mode="bogus"), NotImplementedError, r"\[np.take\] mode: received 'bogus'"),
        (lambda: np.unravel_index(X, (2, 2), order="F"), NotImplementedError, "only 'C' is available"),
        (lambda: np.meshgrid(X, bogus=1), TypeError, r"\[np.meshgrid\] received bogus"),
        (lambda: np.meshgrid(X, sparse=True), NotImplementedError, "only copy=True and sparse=False"),
        (lambda: np.meshgrid(X, indexing="z"), ValueError, r"\[np.meshgrid\] indexing: received 'z'"),
        (lambda: np.pad(X, 1), TypeError, r"\[np.pad\] pad_width: received 1"),
        (lambda: np.pad(X, ((1, 1),), mode="wrap"), ValueError, r"\[np.pad\] mode: received 'wrap'"),
        (lambda: np.pad(X, ((1, 1),), bogus=1), ValueError, "received bogus; mode 'constant' takes constant_values"),
        (lambda: np.pad(X, ((1, 1),), constant_values=(1, 2)), TypeError, "constant_values: received tuple"),
        (lambda: np.pad(X, ((1, 1),), mode="reflect", reflect_type="odd"), ValueError, "received 'odd', which is not"),
        (lambda: np.einsum(X, X), TypeError, "the first argument is no text"),
        (lambda: np.einsum("ii", X, bogus=1), TypeError, r"\[np.einsum\] received bogus"),
        (lambda: np.polyval(X, 3), TypeError, r"\[np.polyval\] x: received builtins.int"),
        (lambda: np.percentile(X, 5, overwrite_input=True), NotImplementedError, "inputs are never changed"),
        (lambda: np.histogram(X), NotImplementedError, r"give range=\(low, high\)"),
        (lambda: np.histogram(X, bins="auto"), NotImplementedError, "bins: received str"),
        (lambda: np.histogram(X, density=True), NotImplementedError, "normed, weights and density"),
        (lambda: np.bincount(X.astype("int32"), minlength=-1), ValueError, "minlength: received -1"),
        (lambda: np.diff(X, append=1), NotImplementedError, "prepend and append are not available"),
        (lambda: np.linalg.norm(X, axis=[0]), TypeError, r"\[np.linalg.norm\] axis: received \[0\]"),
        (lambda: np.linalg.pinv(X, hermitian=True), NotImplementedError, "hermitian=True is not available"),
        (lambda: np.random.multinomial(3, onp.ones(2)), ValueError, "pvals: received a NumPy array"),
        (lambda: np.random.multinomial(3, [[1]]), ValueError, "pvals: received nested lists"),
        (lambda: np.random.multivariate_normal(X[0], X, tol=1), NotImplementedError, "check_valid and tol"),
        (npx.random.bernoulli, ValueError, "received prob=None, logit=None; expected one of them"),
        (lambda: np.npv(1), RuntimeError, r"\[np.npv\] left NumPy .* numpy_financial"),
        (lambda: np.set_printoptions(linewidth=3), NotImplementedError, "received linewidth; expected precision"),
        (lambda: npx.save("x", X), ValueError, r"\[npx.save\] NumPy's semantics are off; call npx.set_np\(\)"),
        (lambda: npx.bogus, AttributeError, "has no attribute 'bogus'"),
        (lambda: npx.image.bogus, AttributeError, "has no attribute 'bogus'"),
        (lambda: mx.nd.np._internal.bogus, AttributeError, "has no attribute 'bogus'"),
        (lambda: npx.constraint_check(X < 0, "too large"), ValueError, "too large"),
    ],
)
def test_error_texts(act, kind, text) -> None:
    with pytest.raises(kind, match=text):
        act()


@pytest.mark.parametrize(
    ("act", "kind", "text"),
    [
        (lambda: npx.save("x", 5), ValueError, r"\[npx.save\] received builtins.int; expected an mx.np array"),
        (lambda: npx.save("x", [5]), TypeError, r"\[npx.save\] received builtins.int; expected an mx.np array"),
        (lambda: npx.load(5), TypeError, r"\[npx.load\] file: received int"),
    ],
)
def test_error_texts_of_files(act, kind, text) -> None:
    with mx.util.np_shape(), mx.util.np_array(), pytest.raises(kind, match=text):
        act()


def test_functions_of_numpy_refuse_to_lose_a_gradient() -> None:
    x = np.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        assert np.array_equal(y, y)  # no gradient to lose
        assert np.ndim(y) == 1
        assert np.vander(np.array([1.0, 2.0])).shape == (2, 2)  # a constant
        with pytest.raises(
            ValueError, match=r"\[np.vander\] runs in the official NumPy, so its gradient would be lost"
        ):
            np.vander(y)
        with pytest.raises(ValueError, match=r"\[np.median\] runs in the official NumPy"):
            onp.median(y)
    assert onp.median(y).item() == 3


def test_functions_of_numpy_answer_as_they_are_without_arrays() -> None:
    assert type(np.polyadd([1, 2], [3])) is onp.ndarray
    assert type(np.polyadd(np.array([1.0, 2.0]), [3])) is np.ndarray
    assert [type(part) for part in np.linalg.qr(X)] == [np.ndarray, np.ndarray]
    assert [type(part) for part in np.histogram2d(X[0], X[1], 2)] == [np.ndarray] * 3


def test_older_names_of_arguments_are_understood() -> None:
    assert np.nanpercentile(np.array([1.0, 2.0, np.nan]), 50, interpolation="lower") == 1
    assert np.nanquantile(X, 0.5, interpolation="higher") == 3


def test_methods_of_universal_functions_are_not_taken() -> None:
    with pytest.raises(TypeError):
        onp.add.outer(X, X)
    with pytest.raises(ValueError, match=r"\[np.modf\] out: received 2 arrays; expected one"):
        onp.modf(X, out=(X, X))


SURFACE = json.loads((Path(__file__).parents[1] / "fixtures" / "numpy" / "signatures.json").read_text())
# The official NumPy of today answers for these, with its own arguments.
NEWER = {"alltrue", "corrcoef", "count_nonzero", "cov", "histogram2d", "histogramdd", "isin", "lstsq", "matrix_rank"}
NEWER |= {
    "multi_dot",
    "nanargmax",
    "nanargmin",
    "nanpercentile",
    "nanquantile",
    "take_along_axis",
    "trim_zeros",
    "unwrap",
}


@pytest.mark.parametrize("module", SURFACE)
def test_signatures(module: str) -> None:
    owner = mx
    for part in module.split(".")[1:]:
        owner = getattr(owner, part)
    for name, expected in SURFACE[module].items():
        if name in NEWER or name == "multinomial":  # MXNet's takes arguments that it then refuses
            continue
        marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
        parameters = inspect.signature(getattr(owner, name)).parameters.values()
        # What MXNet's generated functions take beside their arguments, they refuse.
        assert [marks.get(each.kind, "") + each.name for each in parameters] == [
            argument for argument in expected if argument != "**kwargs" or module != "mxnet.npx"
        ], name
