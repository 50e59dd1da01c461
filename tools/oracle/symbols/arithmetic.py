"""Python's operators on symbols: the nodes they make, and the values."""

from tools.oracle.symbols import Entry, each, group

_X = "x, y = sym.var('x'), sym.var('y')"
_OPS = (
    *("x + y", "x + 2", "2 + x", "x - y", "x - 2.5", "2 - x", "x * y", "x * 3", "3 * x", "x / y", "x / 4", "4 / x"),
    *("x ** y", "x ** 2", "2 ** x", "x % y", "x % 2", "2 % x", "-x", "abs(x)"),
    *("x == y", "x == 1", "1 == x", "x != y", "x != 1", "x > y", "x > 1", "1 > x", "x >= y", "x >= 1", "1 >= x"),
    *("x < y", "x < 1", "1 < x", "x <= y", "x <= 1", "1 <= x"),
)
_FUNCTIONS = (
    *("sym.maximum(x, y)", "sym.maximum(x, 2)", "sym.maximum(2, x)", "sym.minimum(x, y)", "sym.minimum(x, 2)"),
    *("sym.minimum(2, x)", "sym.pow(x, y)", "sym.pow(x, 2)", "sym.pow(2, x)", "sym.power(x, y)", "sym.hypot(x, y)"),
    *("sym.hypot(x, 2)", "sym.hypot(2, x)"),
    *("sym.broadcast_add(x, y)", "sym.broadcast_equal(x, y)", "sym.logical_not(x)", "sym.broadcast_logical_and(x, y)"),
)
_VALUES = f"{_X}\na, b = nd.array([[1, -2], [3, 0.5]]), nd.array([[2, 1], [1, 4]])"

ENTRIES: list[Entry] = [
    *group("nodes", _X, *_OPS),
    *group("functions", _X, *_FUNCTIONS),
    *group("numbers", "", "[sym.maximum(2, 3), sym.minimum(2, 3), sym.pow(2, 3), sym.hypot(3, 4)]"),
    *group("values", _VALUES, *(f"({op}).eval(x=a{', y=b' if 'y' in op else ''})" for op in _OPS if op[0] != "1")),
    *group("reflected", _VALUES, *(f"({op}).eval(x=a)" for op in _OPS if op[0] == "1")),
    *group("function_values", _VALUES, *(f"({op}).eval(x=a{', y=b' if 'y)' in op else ''})" for op in _FUNCTIONS[:13])),
    *group(
        "scalars",
        _X,
        "(x + 0.1).attr('scalar')",
        "(x + 1e-12).attr('scalar')",
        "(x + 1e30).attr('scalar')",
        "(x + 100000000).attr('scalar')",
        "(x + np.float32(0.1)).attr('scalar')",
        "(x + np.float64(0.1)).attr('scalar')",
        "(x + np.int64(3)).attr('scalar')",
        "(x + True).attr('scalar')",
        "(x + float('inf')).attr('scalar')",
        "(x / 3).list_attr()",
        "(x * 2.0).list_attr()",
        "(x ** 0.5).list_attr()",
    ),
    *each("in_place", "x", *(f"x = sym.var('x')\nx {sign}= 2" for sign in ("+", "-", "*", "/", "%"))),
]
