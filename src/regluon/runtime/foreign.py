"""Arrays of other libraries that were given where an NDArray is needed: how to convert them, for error texts."""

from collections.abc import Iterable
from typing import Any

__all__ = ["conversions", "type_name", "wrapping"]


def wrapping(given: Any, is_numpy: bool = False) -> str:
    """The call that makes an array of something: `nd.array(x)`, or `nd.from_torch(x)` for a tensor of torch.

    Args:
        given: what it is to be made from.
        is_numpy: whether an array of `mx.np` is needed.
    """
    if type(given).__module__.split(".")[0] == "torch":
        return "nd.from_torch(x).as_np_ndarray()" if is_numpy else "nd.from_torch(x)"
    return "np.array(x)" if is_numpy else "nd.array(x)"


def type_name(given: Any) -> str:
    """The type of something, with its module if it is not one of Python's own."""
    kind = type(given)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def conversions(args: Iterable[Any], is_numpy: bool = False) -> str:
    """A sentence that says how to convert the inputs of a network; empty if there is nothing to convert."""
    found = dict.fromkeys(wrapping(given, is_numpy) for given in args if _is_data(given))
    return f" Convert it: {' or '.join(found)}." if found else ""


def _is_data(given: Any) -> bool:
    return isinstance(given, (list, tuple, int, float)) or hasattr(given, "__array__")
