"""Short Symbol programs by topic, whose results are recorded from a real MXNet and asked of ours."""

from typing import NamedTuple

TOPICS = (
    "naming",
    "composing",
    "arithmetic",
    "methods",
    "attributes",
    "variables",
    "shapes",
    "dtypes",
    "texts",
    "loading",
    "creating",
    "running",
    "gradients",
    "control",
    "refused",
)


class Entry(NamedTuple):
    """One program: `setup` is executed, then `expression` evaluated, in a fresh namespace with fresh name counters.

    `name` tells it from the others of its topic; it stays when programs are added.
    """

    name: str
    setup: str
    expression: str


def group(name: str, setup: str, *expressions: str) -> list[Entry]:
    """Programs that share a setup and differ in the expression."""
    return [Entry(f"{name}-{place}", setup, expression) for place, expression in enumerate(expressions)]


def each(name: str, result: str, *setups: str) -> list[Entry]:
    """Programs that share the expression and differ in the setup."""
    return [Entry(f"{name}-{place}", setup, result) for place, setup in enumerate(setups)]
