"""Saving `mx.np` arrays to files and loading them."""

from collections.abc import Mapping
from typing import Any

from regluon.array.numpy.array import ndarray

from ..ndarray.utils import load as nd_load
from ..ndarray.utils import save as nd_save
from ..util import is_np_array, is_np_shape

__all__ = ["load", "save"]


def _expect_numpy_mode(who: str) -> None:
    if not (is_np_shape() and is_np_array()):
        raise ValueError(f"[npx.{who}] NumPy's semantics are off; call npx.set_np() first.")


def save(file: str, arr: ndarray | list[ndarray] | dict[str, ndarray]) -> None:
    """Saves an array, a list or a dict of them; see `nd.save`."""
    _expect_numpy_mode("save")
    if not isinstance(arr, (ndarray, list, dict)):
        raise ValueError(
            f"[npx.save] received {type(arr).__module__}.{type(arr).__name__}; expected an mx.np array, or a list or "
            "dict of them."
        )
    arrays = [arr] if isinstance(arr, ndarray) else list(arr.values()) if isinstance(arr, Mapping) else arr
    for each in arrays:
        if not isinstance(each, ndarray):
            raise TypeError(
                f"[npx.save] received {type(each).__module__}.{type(each).__name__}; expected an mx.np array, or a "
                "list or dict of them."
            )
    nd_save(file, arr)


def load(file: str) -> Any:
    """Loads what `save` saved: a list of `mx.np` arrays, or a dict if there are names."""
    _expect_numpy_mode("load")
    if not isinstance(file, str):
        raise TypeError(f"[npx.load] file: received {type(file).__name__}; expected a text.")
    loaded = nd_load(file)
    if isinstance(loaded, dict):
        return {name: array.as_np_ndarray() for name, array in loaded.items()}
    return [array.as_np_ndarray() for array in loaded]
