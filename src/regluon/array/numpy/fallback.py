"""The functions of `mx.np` that the official NumPy carries out: see official.py.

Some of them have left NumPy since the version that MXNet was made for; they are written here in terms of their
successors.
"""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as onp

from .official import official

if TYPE_CHECKING:
    from .array import ndarray

__all__ = [
    "allclose",
    "alltrue",
    "apply_along_axis",
    "apply_over_axes",
    "argpartition",
    "argwhere",
    "array_equal",
    "array_equiv",
    "choose",
    "compress",
    "corrcoef",
    "correlate",
    "count_nonzero",
    "cov",
    "digitize",
    "divmod",
    "extract",
    "flatnonzero",
    "float_power",
    "frexp",
    "heaviside",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "i0",
    "in1d",
    "interp",
    "intersect1d",
    "isclose",
    "isin",
    "ix_",
    "lexsort",
    "min_scalar_type",
    "mirr",
    "modf",
    "msort",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "ndim",
    "npv",
    "packbits",
    "partition",
    "piecewise",
    "poly",
    "polyadd",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "positive",
    "ppmt",
    "promote_types",
    "ptp",
    "pv",
    "rate",
    "real",
    "result_type",
    "rollaxis",
    "roots",
    "searchsorted",
    "select",
    "setdiff1d",
    "setxor1d",
    "signbit",
    "size",
    "spacing",
    "take_along_axis",
    "trapz",
    "tril_indices_from",
    "trim_zeros",
    "triu_indices_from",
    "union1d",
    "unpackbits",
    "unwrap",
    "vander",
]


def _constant(name: str) -> Callable[..., "ndarray"]:
    """A function whose results are indices, counts, truths or shapes: no gradient is lost."""
    return official(name, getattr(onp, name), differentiable=False)


def _smooth(name: str) -> Callable[..., "ndarray"]:
    """A function whose gradient would be lost."""
    return official(name, getattr(onp, name))


def _reduced(name: str, differentiable: bool = True) -> Callable[..., "ndarray | onp.number[Any]"]:
    """A function that gives a number of NumPy's where no axis is left."""
    return official(name, getattr(onp, name), differentiable)


def _test(name: str) -> Callable[..., bool]:
    """A function that gives one truth."""
    return official(name, getattr(onp, name), differentiable=False)


def _count(name: str) -> Callable[..., int]:
    """A function that gives one count."""
    return official(name, getattr(onp, name), differentiable=False)


def _arrays(name: str, differentiable: bool = False) -> Callable[..., tuple["ndarray", ...]]:
    """A function that gives several arrays."""
    return official(name, getattr(onp, name), differentiable)


def _type(name: str) -> Callable[..., onp.dtype[Any]]:
    """A function that gives a dtype."""
    return official(name, getattr(onp, name), differentiable=False)


allclose = _test("allclose")
argpartition = _constant("argpartition")
argwhere = _constant("argwhere")
array_equal = _test("array_equal")
array_equiv = _test("array_equiv")
count_nonzero = _reduced("count_nonzero", differentiable=False)
digitize = _reduced("digitize", differentiable=False)
flatnonzero = _constant("flatnonzero")
histogram2d = _arrays("histogram2d")
histogram_bin_edges = _constant("histogram_bin_edges")
histogramdd: Callable[..., tuple["ndarray", list["ndarray"]]] = official(
    "histogramdd", onp.histogramdd, differentiable=False
)
intersect1d = _constant("intersect1d")
isclose = _constant("isclose")
isin = _constant("isin")
ix_ = _arrays("ix_")
lexsort = _constant("lexsort")
min_scalar_type = _type("min_scalar_type")
nanargmax = _reduced("nanargmax", differentiable=False)
nanargmin = _reduced("nanargmin", differentiable=False)
ndim = _count("ndim")
packbits = _constant("packbits")
promote_types = _type("promote_types")
result_type = _type("result_type")
searchsorted = _reduced("searchsorted", differentiable=False)
setdiff1d = _constant("setdiff1d")
setxor1d = _constant("setxor1d")
signbit = _constant("signbit")
size = _count("size")
spacing = _constant("spacing")
tril_indices_from = _arrays("tril_indices_from")
triu_indices_from = _arrays("triu_indices_from")
union1d = _constant("union1d")
unpackbits = _constant("unpackbits")

apply_along_axis = _smooth("apply_along_axis")
apply_over_axes = _smooth("apply_over_axes")
choose = _smooth("choose")
compress = _smooth("compress")
corrcoef = _smooth("corrcoef")
correlate = _smooth("correlate")
cov = _smooth("cov")
divmod = _arrays("divmod", differentiable=True)
extract = _smooth("extract")
float_power = _smooth("float_power")
frexp = _arrays("frexp", differentiable=True)
heaviside = _smooth("heaviside")
i0 = _smooth("i0")
interp = _reduced("interp")
modf = _arrays("modf", differentiable=True)
nancumprod = _smooth("nancumprod")
nancumsum = _smooth("nancumsum")
nanmax = _reduced("nanmax")
nanmedian = _reduced("nanmedian")
nanmin = _reduced("nanmin")
nanprod = _reduced("nanprod")
partition = _smooth("partition")
piecewise = _smooth("piecewise")
poly = _smooth("poly")
polyadd = _smooth("polyadd")
polydiv = _arrays("polydiv", differentiable=True)
polyfit = _smooth("polyfit")
polyint = _smooth("polyint")
polymul = _smooth("polymul")
polysub = _smooth("polysub")
positive = _smooth("positive")
ptp = _reduced("ptp")
real = _smooth("real")
rollaxis = _smooth("rollaxis")
roots = _smooth("roots")
select = _smooth("select")
take_along_axis = _smooth("take_along_axis")
trim_zeros = _smooth("trim_zeros")
unwrap = _smooth("unwrap")
vander = _smooth("vander")

alltrue: Callable[..., "ndarray | onp.bool_"] = official("alltrue", onp.all, differentiable=False)


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Whether each element of one array is in another, all in one row."""
    return onp.isin(onp.asarray(ar1).ravel(), ar2, assume_unique=assume_unique, invert=invert)


def _msort(a: Any) -> Any:
    """A copy in ascending order along the first axis."""
    return onp.sort(a, axis=0)


def _trapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The integral along an axis by the trapezoidal rule."""
    integrate: Any = getattr(onp, "trapezoid", None) or onp.trapz  # type: ignore[attr-defined]
    return integrate(y, x, dx, axis)


def _with_interpolation(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of quantiles that still takes `interpolation`, the older name of `method`."""

    @wraps(function)
    def quantiles(*args: Any, interpolation: str | None = None, **kwargs: Any) -> Any:
        if interpolation is not None:
            kwargs["method"] = interpolation
        return function(*args, **kwargs)

    return quantiles


def _removed(name: str) -> Callable[..., NoReturn]:
    def function(*args: Any, **kwds: Any) -> NoReturn:
        raise RuntimeError(
            f"[np.{name}] left NumPy in version 1.20, and MXNet refuses it too; use {name} of the package "
            "numpy_financial."
        )

    function.__name__ = function.__qualname__ = name
    function.__module__ = "mxnet.numpy"
    function.__doc__ = f"Refused: NumPy has no {name} any more; the package numpy_financial has."
    return function


in1d: Callable[..., "ndarray"] = official("in1d", _in1d, differentiable=False)
msort: Callable[..., "ndarray"] = official("msort", _msort)
trapz: Callable[..., "ndarray | onp.number[Any]"] = official("trapz", _trapz)
nanpercentile: Callable[..., "ndarray | onp.number[Any]"] = official(
    "nanpercentile", _with_interpolation(onp.nanpercentile)
)
nanquantile: Callable[..., "ndarray | onp.number[Any]"] = official("nanquantile", _with_interpolation(onp.nanquantile))
mirr = _removed("mirr")
npv = _removed("npv")
ppmt = _removed("ppmt")
pv = _removed("pv")
rate = _removed("rate")
