"""Front-end functions of the operators that belong to `mx.np` and `mx.npx`, made when they are first asked for."""

from collections.abc import Container

from ...runtime.handle import Handle
from ..register import FunctionsOnDemand, make_function, names_after


def operator_functions(prefix: str, replaced: Container[str] = ()) -> FunctionsOnDemand:
    """The functions of operators whose names begin with a prefix; those of `replaced` are written by hand."""
    named = names_after(prefix, replaced)
    return FunctionsOnDemand(named, lambda operator, name: make_function(operator, name, Handle._numpy_type))
