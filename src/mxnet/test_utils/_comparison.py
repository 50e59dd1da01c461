"""Comparing arrays, and saying where they differ most."""

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.testing as npt

from ..ndarray import waitall
from ._environment import get_atol, get_etol, get_rtol, get_tols

__all__ = [
    "almost_equal",
    "assert_allclose",
    "assert_almost_equal",
    "assert_almost_equal_ignore_nan",
    "assert_almost_equal_with_err",
    "assert_exception",
    "checkShapes",
    "compare_ndarray_tuple",
    "find_max_violation",
    "locationError",
    "retry",
    "same",
    "same_array",
    "same_symbol_structure",
]

Array = np.ndarray[Any, Any]
Names = Sequence[str]


def _numpy(array: Any) -> Any:
    """An array of any kind as NumPy's; numbers stay what they are."""
    return array.asnumpy() if hasattr(array, "asnumpy") else array


def same(a: Any, b: Any) -> bool:
    """Whether two arrays have the same shape and elements."""
    return np.array_equal(_numpy(a), _numpy(b))


def checkShapes(a: Any, b: Any) -> None:
    """Refuses arrays of different shapes."""
    if a.shape != b.shape:
        raise AssertionError(
            _report(_numpy(a), _numpy(b), f"a.shape = {a.shape} and b.shape = {b.shape} are not equal")
        )


def almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    use_broadcast: bool = True,
) -> bool:
    """Whether two arrays are equal within tolerances, by default those of float64.

    Args:
        a: an array.
        b: an array; relative tolerance is relative to it.
        rtol: relative tolerance.
        atol: absolute tolerance.
        equal_nan: whether NaN equals NaN.
        use_broadcast: whether shapes may differ if they broadcast.
    """
    if not use_broadcast:
        checkShapes(a, b)
    return np.allclose(_numpy(a), _numpy(b), rtol=get_rtol(rtol), atol=get_atol(atol), equal_nan=equal_nan)


def _violations(a: Any, b: Any, rtol: float, atol: float) -> Array:
    """How many times each difference exceeds its tolerance; infinities of the same sign do not differ."""
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.where(np.equal(a, b), 0, np.abs(a - b))
        return np.asarray(difference / (atol + rtol * np.abs(b) + 1e-20))


def find_max_violation(a: Any, b: Any, rtol: float | None = None, atol: float | None = None) -> tuple[Any, Any]:
    """The place where two arrays differ most, measured in tolerances, and by how much."""
    violations = _violations(_numpy(a), _numpy(b), get_rtol(rtol), get_atol(atol))
    return _largest(violations)


def _largest(violations: Array) -> tuple[tuple[int, ...], Any]:
    place = np.unravel_index(int(np.argmax(violations)), violations.shape)
    return tuple(int(index) for index in place), np.max(violations)


def locationError(a: Any, b: Any, index: tuple[int, ...], names: Names, maxError: bool = False) -> str:
    """Says where two arrays differ, and by which values.

    Args:
        a: an array.
        b: an array.
        index: the place.
        names: what to call the arrays.
        maxError: whether it is the place of the largest error.
    """
    which = "maximum " if maxError else ""
    return f"Location of {which}error: {index}, {names[0]}={a[index]:.8f}, {names[1]}={b[index]:.8f}"


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: Any = None,
    atol: Any = None,
    names: Names = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """Refuses arrays that differ by more than tolerances; the largest differences are printed.

    Args:
        a: an array or a number.
        b: an array or a number; relative tolerance is relative to it.
        rtol: relative tolerance: a number, a dict by dtype, or None for the default of the dtypes.
        atol: absolute tolerance, likewise.
        names: what to call the arrays.
        equal_nan: whether NaN equals NaN.
        use_broadcast: whether shapes may differ if they broadcast.
        mismatches: how many differences to print at most, and to count at most; 0 counts all.
    """
    if not use_broadcast:
        checkShapes(a, b)
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _numpy(a), _numpy(b)
    if getattr(a, "dtype", None) == np.bool_ and getattr(b, "dtype", None) == np.bool_:
        npt.assert_equal(a, b)
    elif not almost_equal(a, b, rtol, atol, equal_nan=equal_nan):
        raise AssertionError(_report(a, b, _mismatch_text(a, b, rtol, atol, names, equal_nan, mismatches)))


def _mismatch_text(
    a: Any, b: Any, rtol: float, atol: float, names: Names, equal_nan: bool, mismatches: tuple[int, int]
) -> str:
    """The heart of the report; differences are printed on the way, the largest first."""
    violations = _violations(a, b, rtol, atol)
    index, error = _largest(violations)
    if index == ():
        return f"Error {error:f} exceeds tolerance rtol={rtol:e}, atol={atol:e}.\n"
    size = np.size(a)
    shown, limit = mismatches
    a, b = np.broadcast_arrays(a, b)
    where = locationError(a, b, index, names, maxError=True)
    wrong = int(np.count_nonzero(~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)))
    print(f"\n*** Maximum errors for vector of size {size}:  rtol={rtol}, atol={atol}\n")
    for number in range(1, min(shown, wrong, limit if limit > 0 else wrong) + 1):
        place, excess = _largest(violations)
        print(f"{number:3d}: Error {excess:f}  {locationError(a, b, place, names)}")
        violations[place] = 0
    counted = min(wrong, limit + 1) if limit > 0 else wrong
    degree = "at least " if 0 < limit < counted else ""
    return (
        f"Error {error:f} exceeds tolerance rtol={rtol:e}, atol={atol:e} "
        f"(mismatch {degree}{100 * counted / size:f}%).\n{where}"
    )


def _report(a: Any, b: Any, what: str) -> str:
    """The text of an error: what is wrong, and the two arrays, shortened."""
    lines = ["\nItems are not equal:", what] if "\n" in what or len(what) >= 59 else [f"\nItems are not equal: {what}"]
    return "\n".join([*lines, f" ACTUAL: {_shortened(a)}", f" DESIRED: {_shortened(b)}"])


def _shortened(array: Any) -> str:
    """The first lines of an array's text, as NumPy 1 writes it: newer ones add the shape."""
    if not isinstance(array, np.ndarray):
        return str(array)
    with np.printoptions(threshold=4, suppress=True, precision=8):
        text = f"array({np.array2string(array, separator=', ', prefix='array(', suffix=')')}"
    if array.dtype in (np.float64, np.int64, np.bool_):
        text += ")"
    else:
        dtype = f"dtype={array.dtype})"
        last = len(text) - text.rfind("\n")  # with the comma
        text += f",{' ' if last + len(dtype) < 75 else chr(10) + ' ' * 6}{dtype}"
    lines = text.split("\n")
    return text if len(lines) <= 4 else "\n".join(lines[:3]) + "..."


def assert_allclose(a: Any, b: Any, rtol: float = 1e-07, atol: float = 0, equal_nan: bool = True) -> None:
    """Refuses arrays that differ, with NumPy's tolerances."""
    assert_almost_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def assert_almost_equal_with_err(
    a: Any,
    b: Any,
    rtol: Any = None,
    atol: Any = None,
    etol: float | None = None,
    names: Names = ("a", "b"),
    equal_nan: bool = False,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """Refuses arrays of which more than a part of the elements differ.

    Args:
        a: an array.
        b: an array.
        rtol: relative tolerance.
        atol: absolute tolerance.
        etol: the part of the elements, from 0 to 1, that may differ.
        names: what to call the arrays.
        equal_nan: whether NaN equals NaN.
        mismatches: how many differences to print at most, and to count at most.
    """
    allowed = get_etol(etol)
    if allowed <= 0:
        assert_almost_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
        return
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _numpy(a), _numpy(b)
    close = np.isclose(a, b, rtol=rtol, atol=atol)
    if 1 - np.count_nonzero(close) / np.size(close) > allowed:
        raise AssertionError(_report(a, b, _mismatch_text(a, b, rtol, atol, names, equal_nan, mismatches)))


def assert_almost_equal_ignore_nan(
    a: Any, b: Any, rtol: Any = None, atol: Any = None, names: Names = ("a", "b")
) -> None:
    """Refuses arrays that differ where neither is NaN."""
    a, b = np.copy(_numpy(a)), np.copy(_numpy(b))
    missing = np.isnan(a) | np.isnan(b)
    a[missing] = b[missing] = 0
    assert_almost_equal(a, b, rtol, atol, names)


def assert_exception(f: Callable[..., Any], exception_type: Any, *args: Any, **kwargs: Any) -> None:
    """Refuses a function that does not raise an error of this type when it is called."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{getattr(f, '__name__', f)} raised nothing; expected {exception_type}.")


def retry(n: int) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Lets a test that depends on chance fail up to `n - 1` times."""
    if n <= 0:
        raise AssertionError(f"[retry] n: received {n}; expected a positive number.")

    def decorate(f: Callable[..., Any]) -> Callable[..., None]:
        @functools.wraps(f)
        def tried(*args: Any, **kwargs: Any) -> None:
            for left in reversed(range(n)):
                try:
                    f(*args, **kwargs)
                except AssertionError:
                    if not left:
                        raise
                    waitall()
                else:
                    return

        return tried

    return decorate


def same_array(array1: Any, array2: Any) -> bool:
    """Whether two NDArrays look at the same memory: a change to one shows in the other."""
    array1[:] += 1
    follows = same(array1, array2)
    array1[:] -= 1
    return follows and same(array1, array2)


def compare_ndarray_tuple(t1: Any, t2: Any, rtol: Any = None, atol: Any = None) -> None:
    """Compares arrays, or tuples of them nested in any way; None is passed over."""
    if t1 is None or t2 is None:
        return
    if isinstance(t1, tuple):
        for first, second in zip(t1, t2, strict=False):
            compare_ndarray_tuple(first, second, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol=rtol, atol=atol)


def same_symbol_structure(sym1: Any, sym2: Any) -> bool:
    """Whether two symbols have the same operators in the same order."""
    first, second = (json.loads(symbol.tojson())["nodes"] for symbol in (sym1, sym2))
    return all(a["op"] == b["op"] for a, b in zip(first, second, strict=False))
