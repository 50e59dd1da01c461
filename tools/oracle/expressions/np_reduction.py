"""Reductions and statistics of `mx.np` arrays."""

from tools.oracle.expressions import NUMPY, Entry, group

_A = NUMPY + "a = np.array([[1, 5, 3], [4, 2, 6]])\nv = np.array([3, 1, 2])\n"
_KINDS = NUMPY + (
    "t = np.array([1, 0, 1]) > 0\nu = np.array([100, 200, 1], dtype='uint8')\n"
    "i = np.array([1, 2, 4], dtype='int32')\nl = np.array([1, 2, 4], dtype='int64')\n"
    "h = np.array([1, 2, 4], dtype='float16')\nd = np.array([1, 2, 4], dtype='float64')\nz = np.array(5)\n"
    "e = np.zeros((0, 2))\n"
)
_NAMES = ("sum", "prod", "mean", "max", "min", "argmax", "argmin", "all", "any", "cumsum")

ENTRIES: list[Entry] = [
    *group(_A, *(f"np.{name}(a)" for name in _NAMES)),
    *group(_A, *(f"np.{name}(a, axis={axis})" for name in _NAMES for axis in (0, -1))),
    *group(
        _A,
        *(f"np.{name}(a, axis=1, keepdims=True)" for name in ("sum", "prod", "mean", "max", "min", "all", "any")),
        *(f"np.{name}(a, axis=(0, 1))" for name in ("sum", "mean", "max", "min", "prod")),
        *(f"np.{name}(a, axis=2)" for name in ("sum", "mean", "max", "argmax", "cumsum")),
        *(f"np.{name}(a, axis=())" for name in ("sum", "max")),
        "np.sum(a, axis=[0])",
        "np.sum(a, dtype='float64')",
        "np.sum(a, dtype='int32')",
        "np.sum(v, initial=10)",
        "np.sum(a, out=np.array(0))",
        "np.amax(a)",
        "np.amin(a, axis=0)",
        "np.product(a)",
        "np.sometrue(a)",
        "np.alltrue(a)",
        "np.cumsum(a, axis=1, dtype='float64')",
        "np.cumsum(v, dtype='int32')",
        "np.average(a)",
        "np.average(a, axis=0)",
        "np.average(a, axis=1, weights=np.array([1, 2, 1]))",
        "np.average(a, weights=a)",
        "np.average(v, returned=True)",
        "np.average(a, axis=0, weights=np.array([1, 3]), returned=True)",
        "np.average(a, weights=v)",
        "np.percentile(a, 50)",
        "np.percentile(a, 25, axis=1)",
        "np.percentile(a, np.array([25, 75]))",
        "np.percentile(a, np.array([25, 75]), axis=0)",
        "np.percentile(v, 50, keepdims=True)",
        *(f"np.percentile(v, 40, interpolation='{way}')" for way in ("lower", "higher", "midpoint", "nearest")),
        "np.percentile(v, 40, interpolation='bogus')",
        "np.percentile(v, 50, overwrite_input=True)",
        "np.quantile(v, 0.5)",
        "np.quantile(a, np.array([0.25, 0.5]), axis=1)",
        "np.quantile(v, 1.5)",
        "np.ptp(v)",
        "np.count_nonzero(a)",
    ),
    *group(
        _A,
        "np.std(a)",
        "np.std(a, axis=0)",
        "np.std(a, ddof=1)",
        "np.std(a, axis=1, keepdims=True)",
        "np.var(a)",
        "np.var(a, axis=0)",
        "np.var(a, ddof=1)",
        "np.var(a, axis=(0, 1), keepdims=True)",
        exact=False,
    ),
    *group(_KINDS, *(f"np.{name}({x})" for name in _NAMES for x in ("t", "u", "i", "l", "h", "d", "z"))),
    *group(
        _KINDS, *(f"np.{name}({x})" for name in ("std", "var") for x in ("t", "u", "i", "h", "d", "z")), exact=False
    ),
    *group(_KINDS, *(f"np.{name}(e)" for name in ("sum", "prod", "all", "any", "cumsum"))),
    *group(_KINDS, *(f"np.{name}(e, axis=0)" for name in ("sum", "prod"))),
    *group(_KINDS, "np.mean(i, dtype='float64')", "np.sum(t, dtype='int32')", "np.sum(u, dtype='int64')"),
]
