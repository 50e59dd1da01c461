"""Functions of one `mx.np` array, element by element."""

from tools.oracle.expressions import NUMPY, Entry, group

_X = NUMPY + "x = np.array([[-1.5, -0.5, 0], [0.5, 1, 2.5]])\n"
_POSITIVE = NUMPY + "x = np.array([0.5, 1, 2.5])\n"
_KINDS = NUMPY + (
    "t = np.array([1, 0]) > 0\nu = np.array([1, 2], dtype='uint8')\ni = np.array([1, -2], dtype='int32')\n"
    "h = np.array([1, 0.5], dtype='float16')\nd = np.array([1, 0.5], dtype='float64')\nz = np.array(0.5)\n"
    "e = np.zeros((0, 2))\n"
)
_EXACT = ("abs", "absolute", "fabs", "sign", "rint", "fix", "trunc", "ceil", "floor", "negative", "square")
_TESTS = ("logical_not", "isnan", "isinf", "isfinite", "isposinf", "isneginf")
_ROUNDED = (
    *("sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh", "degrees", "radians", "rad2deg", "deg2rad"),
    *("exp", "expm1", "cbrt"),
)
_OF_POSITIVE = ("log", "log2", "log10", "log1p", "sqrt", "reciprocal")

ENTRIES: list[Entry] = [
    *group(_X, *(f"np.{name}(x)" for name in _EXACT + _TESTS)),
    *group(_X, *(f"np.{name}(x)" for name in _ROUNDED), exact=False),
    *group(_POSITIVE, *(f"np.{name}(x)" for name in _OF_POSITIVE), exact=False),
    *group(_POSITIVE, *(f"np.{name}(x / 3)" for name in ("arcsin", "arccos", "arctanh")), exact=False),
    *group(_POSITIVE, "np.arccosh(x + 1)", exact=False),
    *group(_KINDS, *(f"np.{name}({x})" for name in _EXACT + _TESTS for x in ("t", "u", "i", "h", "d", "z", "e"))),
    *group(
        _KINDS,
        *(f"np.{name}({x})" for name in ("sin", "exp", "log", "sqrt", "reciprocal", "tanh") for x in ("t", "u", "i")),
        *(f"np.{name}({x})" for name in ("sin", "exp", "log", "sqrt", "arctan") for x in ("h", "d", "z", "e")),
        exact=False,
    ),
    *group(
        NUMPY,
        *(f"np.{name}(2)" for name in ("sin", "sqrt", "square", "sign", "exp", "isnan", "logical_not")),
        *(f"np.{name}([1, 2])" for name in ("sin", "floor")),
        "np.sin('a')",
        "np.sin(None)",
        "np.sin(np.array([0]), out=np.array([5]))",
        "np.sin(np.array([0]), where=True)",
        "np.sin(np.array([0]), dtype='float64')",
        "np.sin(np.array([0]), bogus=1)",
        "np.isnan(np.array([np.nan, 1, np.inf]))",
        "np.isinf(np.array([np.nan, 1, -np.inf]))",
        "np.isposinf(np.array([np.inf, 1, -np.inf]))",
        "np.isneginf(np.array([np.inf, 1, -np.inf]))",
        "np.isfinite(np.array([np.nan, 1, -np.inf]))",
        "np.around(np.array([1.25, -2.5, 0.5]))",
        "np.around(np.array([1.23, -2.55, 14.5]), 1)",
        "np.around(np.array([123.4, 156]), -1)",
        "np.around(np.array([5, 6], dtype='int32'))",
        "np.around(2.5)",
        "np.round(np.array([1.5, 2.5]))",
        "np.round_(np.array([1.5, 2.5]))",
        "np.clip(np.array([1, 2, 3]), 1.5, 2.5)",
        "np.clip(np.array([1, 2, 3]), None, 2)",
        "np.clip(np.array([1, 2, 3]), 2, None)",
        "np.clip(np.array([1, 2, 3]), None, None)",
        "np.clip(np.array([1, 2, 3], dtype='int32'), 2, 5)",
        "np.nan_to_num(np.array([np.nan, 1, np.inf, -np.inf]))",
        "np.nan_to_num(np.array([np.nan, 1, np.inf, -np.inf]), nan=7, posinf=8, neginf=9)",
        "np.nan_to_num(np.array([1, 2], dtype='int32'))",
        "np.nan_to_num(2.0)",
        "np.nan_to_num([1])",
    ),
]
