"""Functions on symbols of the operators that belong to `mx.np` and `mx.npx`, made when they are first asked for."""

from ...array.register import FunctionsOnDemand, names_after
from ..register import make_function


def symbol_functions(prefix: str) -> FunctionsOnDemand:
    """The functions of operators whose names begin with a prefix."""
    return FunctionsOnDemand(names_after(prefix), lambda operator, name: make_function(operator, name, is_numpy=True))
