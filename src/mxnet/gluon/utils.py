"""Helpers for training: splitting batches, clipping gradients, fetching files, hooks."""

import contextlib
import hashlib
import itertools
import os
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import mxnet.ndarray as ndarray
from regluon.array.array_kind import in_force
from regluon.config import read

from ..base import MXNetError
from ..context import Context
from ..ndarray import NDArray
from ..util import is_np_array, is_np_shape
from ._downloads import DownloadError, download, file_hash

__all__ = [
    "split_data",
    "split_and_load",
    "clip_global_norm",
    "check_sha1",
    "download",
    "replace_file",
    "ArgumentError",
    "DownloadError",
    "HookHandle",
    "is_np_array",
    "is_np_shape",
    "shape_is_known",
]


class ArgumentError(MXNetError, ValueError, AssertionError):
    """An argument does not fit; MXNet raised an AssertionError there."""


# -- batches --------------------------------------------------------------------------------------------------------


def split_data(data: Any, num_slice: int, batch_axis: int = 0, even_split: bool = True) -> list[Any]:
    """Cuts a batch into slices, one for each device.

    Args:
        data: an array.
        num_slice: number of slices.
        batch_axis: the axis to cut.
        even_split: refuse lengths that the number of slices does not divide; otherwise the first slices are one
            longer than the others.

    Returns:
        The slices; along axis 0 they are views of the data.
    """
    if num_slice < 1:
        raise ArgumentError(f"[split_data] num_slice: received {num_slice}; expected at least 1.")
    size = data.shape[batch_axis]
    each, extra = divmod(size, num_slice)
    if even_split and extra:
        raise ValueError(
            f"[split_data] received data of shape {data.shape} for {num_slice} slices along axis {batch_axis}; "
            f"expected a length that {num_slice} divides. Choose another batch size, or pass even_split=False for "
            "slices that differ by one."
        )
    ends = [each * (i + 1) + min(i + 1, extra) for i in range(num_slice)]
    bounds = list(zip([0, *ends], ends, strict=False))
    if batch_axis == 0:
        return [data[begin:end] for begin, end in bounds]
    return [ndarray.slice_axis(data, axis=batch_axis, begin=begin, end=end) for begin, end in bounds]


def split_and_load(
    data: Any, ctx_list: Sequence[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Cuts a batch into slices and puts each on its device.

    Args:
        data: an array, or what `nd.array` makes one of.
        ctx_list: the devices.
        batch_axis: the axis to cut.
        even_split: see split_data.
    """
    if isinstance(ctx_list, Context):
        ctx_list = [ctx_list]
    if not isinstance(data, NDArray):
        data = in_force(ndarray.array(data, ctx=ctx_list[0]))
    if len(ctx_list) == 1:
        return [data.as_in_context(ctx_list[0])]
    slices = split_data(data, len(ctx_list), batch_axis, even_split)
    return [each.as_in_context(context) for each, context in zip(slices, ctx_list, strict=True)]


# -- gradients ------------------------------------------------------------------------------------------------------


def clip_global_norm(arrays: Sequence[NDArray], max_norm: float, check_isfinite: bool = True) -> float | NDArray:
    """Scales arrays in place so that their common 2-norm is at most `max_norm`.

    Args:
        arrays: the arrays, such as all gradients.
        max_norm: the norm allowed.
        check_isfinite: look at the norm, which waits for the device, and warn if it is not finite.

    Returns:
        The norm before: a number, or an array of one element without check_isfinite.
    """
    if not len(arrays):
        raise ArgumentError("[clip_global_norm] received no arrays; expected at least one.")
    context = arrays[0].context
    # One fused sum for each device and dtype: usually one in all.
    groups: dict[tuple[Context, Any], list[NDArray]] = {}
    for array in arrays:
        groups.setdefault((array.context, array.dtype), []).append(array)
    sums = [
        ndarray.sum(ndarray.multi_sum_sq(*group, num_arrays=len(group))).as_in_context(context)
        for group in groups.values()
    ]
    norm = ndarray.sqrt(sums[0] if len(sums) == 1 else ndarray.add_n(*sums))
    scale = ndarray.minimum(max_norm / (norm + 1e-8), 1.0)
    total = norm.asscalar() if check_isfinite else None
    if total is not None and not np.isfinite(total):
        warnings.warn(f"[clip_global_norm] the norm is {total}: what clipping leaves is of no use.", stacklevel=2)
    # With the norm at hand, arrays that are short enough need not be touched.
    if total is None or not total + 1e-8 <= max_norm:
        for (device, dtype), group in groups.items():
            factor = scale.as_in_context(device).astype(dtype, copy=False)
            for array in group:
                array *= factor if array.ndim else factor.as_np_ndarray().reshape(())
    return norm if total is None else total


# -- files ----------------------------------------------------------------------------------------------------------


def check_sha1(filename: str | os.PathLike[str], sha1_hash: str) -> bool:
    """Whether a file has this SHA-1 hash, written in hexadecimal."""
    with open(filename, "rb") as stream:
        return file_hash(stream, hashlib.sha1(usedforsecurity=False)) == sha1_hash.lower()


def replace_file(src: str | os.PathLike[str], dst: str | os.PathLike[str]) -> None:
    """Moves a file to a place of the same disk in one step, over the file that may be there.

    If that fails, the source is removed.
    """
    try:
        os.replace(src, dst)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(src)
        raise OSError(
            f"[replace_file] moving {os.fspath(src)!r} to {os.fspath(dst)!r} failed: {error.strerror}. "
            "The source is removed: make it again."
        ) from error


def _repo_urls() -> list[str]:
    """The addresses of the repository of data sets and parameters; each ends with a slash."""
    text = read("MXNET_GLUON_REPO")
    urls = [url.strip() for url in text.split(",") if url.strip()]
    if not urls:
        raise ValueError(
            f"[MXNET_GLUON_REPO] received {text!r}; expected an address, or several separated by commas. Unset the "
            "variable to use MXNet's repository."
        )
    return [url if url.endswith("/") else f"{url}/" for url in urls]


def _repo_file_urls(namespace: str, filename: str) -> list[str]:
    """The addresses of a file of the repository, to be tried in turn."""
    return [f"{url}{namespace}/{filename}" for url in _repo_urls()]


def _get_repo_url() -> str:
    """The first address of the repository, ending with a slash."""
    return _repo_urls()[0]


def _get_repo_file_url(namespace: str, filename: str) -> str:
    """The first address of a file of the repository.

    Args:
        namespace: its folder, such as 'gluon/models'.
        filename: its name.
    """
    return _repo_file_urls(namespace, filename)[0]


# -- small things ---------------------------------------------------------------------------------------------------


def shape_is_known(shape: Sequence[int] | None) -> bool:
    """Whether a shape has no unknown lengths; 0 is one, or -1 with NumPy shapes.

    Without NumPy shapes an empty shape is unknown as a whole.
    """
    if shape is None:
        return False
    unknown = -1 if is_np_shape() else 0
    for length in shape:
        if length < unknown:
            raise ArgumentError(
                f"[shape_is_known] received the shape {tuple(shape)}; expected no length less than {unknown}."
            )
    return unknown not in shape and (bool(shape) or is_np_shape())


# Not id(): a handle that nobody keeps is gone, and its id goes to the next one.
_hook_numbers = itertools.count()


class HookHandle:
    """What registering a hook returns: `detach()`, or leaving a `with` block, removes the hook."""

    def __init__(self) -> None:
        self._hooks: Any = None
        self._id: int | None = None

    def attach(self, hooks: "OrderedDict[int, Callable[..., Any]]", hook: Callable[..., Any]) -> None:
        """Adds a hook to those of a block."""
        if self._hooks is not None:
            raise RuntimeError("[HookHandle] is attached already; make a new one for each hook.")
        self._hooks, self._id = weakref.ref(hooks), next(_hook_numbers)
        hooks[self._id] = hook

    def detach(self) -> None:
        """Removes the hook; doing it again has no effect."""
        hooks = self._hooks() if self._hooks is not None else None
        if hooks is not None and self._id is not None:
            hooks.pop(self._id, None)

    def __enter__(self) -> "HookHandle":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.detach()
