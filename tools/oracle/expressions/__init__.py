"""Short programs on arrays by topic, whose results are recorded from a real MXNet and asked of ours."""

from typing import NamedTuple

TOPICS = (
    "arithmetic",
    "autograd",
    "control_flow",
    "creation",
    "indexing_get",
    "indexing_set",
    "methods",
    "np_arithmetic",
    "np_autograd",
    "np_creation",
    "np_elementwise",
    "np_fallback",
    "np_indexing",
    "np_joining",
    "np_linalg",
    "np_methods",
    "np_printing",
    "np_programs",
    "np_protocol",
    "np_random",
    "np_reduction",
    "np_shape",
    "npx",
    "printing",
    "util",
)


# What programs on `mx.np` arrays begin with.
NUMPY = "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\n"


class Entry(NamedTuple):
    """One program: `setup` is executed, then `expression` evaluated, in a fresh namespace.

    `exact` is False where the values come from functions that round differently on another machine: the values are
    then compared within a tolerance and the printed text is not compared.
    """

    setup: str
    expression: str
    exact: bool = True


def group(setup: str, *expressions: str, exact: bool = True) -> list[Entry]:
    """Entries that share a setup and differ in the expression."""
    return [Entry(setup, expression, exact) for expression in expressions]


def after(setup: str, result: str, *statements: str, exact: bool = True) -> list[Entry]:
    """Entries that share a setup and a result and differ in the statement executed between them."""
    return [Entry(f"{setup}\n{statement}" if setup else statement, result, exact) for statement in statements]
