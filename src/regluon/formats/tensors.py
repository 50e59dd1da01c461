"""Arrays in `.safetensors` files, through the official package: a format that other frameworks and tools read too.

The package checks a file's header completely: sizes agree with shapes, and the tensors lie one after the other and
cover the file. Where each one begins follows from that, so the arrays are views of the mapped file.
"""

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from safetensors import SafetensorError, TensorSpec, safe_open, serialize_file

from ..base import MXNetError
from ..errors import FileFormatError, OpParamError
from .atomic import Path, atomic_path, open_mapped
from .commits import current
from .stored import MAX_NDIM, STORAGE_OF_NAME, Array, Contents, Stored, as_stored, is_countable
from .temporaries import folder_beside

SUFFIX = ".safetensors"
NAME_OF_TAG = {
    "F32": "float32",
    "F64": "float64",
    "F16": "float16",
    "U8": "uint8",
    "I32": "int32",
    "I8": "int8",
    "I64": "int64",
    "BOOL": "bool",
    "BF16": "bfloat16",
}
# The format knows only named tensors: this entry of the metadata says that the names are places in a list.
LIST_KEY, LIST_VALUE = "mxnet.container", "list"


def read_tensors(path: Path, who: str = "nd.load") -> Contents:
    """Reads a `.safetensors` file.

    Args:
        path: the file.
        who: the function named in errors.

    Returns:
        The arrays, as private writable views of the file, and their names in file order; no names if a list was saved.

    Raises:
        FileFormatError: the file is damaged, or holds data types MXNet does not have.
    """
    buffer = open_mapped(path, who)
    source = f"[{who}] {path}"
    try:
        with safe_open(current(os.fspath(path)), framework="np") as tensors:
            metadata = tensors.metadata() or {}
            heads = [(name, tensors.get_slice(name)) for name in tensors.offset_keys()]
            layout = [(name, head.get_dtype(), tuple(head.get_shape())) for name, head in heads]
    except (SafetensorError, OSError) as error:
        raise FileFormatError(
            f"{source}: received {len(buffer)} bytes that are no valid safetensors file ({error}); expected a header "
            "and exactly the data it describes. The download may be incomplete: fetch or save it again."
        ) from None
    arrays = _views(buffer, layout, source)
    if metadata.get(LIST_KEY) == LIST_VALUE:
        return Contents(_in_list_order(arrays, source), [])
    return Contents(list(arrays.values()), list(arrays))


def read_notes(path: Path, who: str = "nd.load") -> dict[str, str]:
    """The texts in a `.safetensors` file's metadata."""
    try:
        with safe_open(current(os.fspath(path)), framework="np") as tensors:
            return dict(tensors.metadata() or {})
    except (SafetensorError, OSError) as error:
        raise FileFormatError(f"[{who}] {path}: received no valid safetensors file ({error}).") from None


def write_tensors(
    path: Path,
    arrays: Sequence[Stored | Array],
    names: Sequence[str] = (),
    who: str = "nd.save",
    notes: Mapping[str, str] | None = None,
) -> None:
    """Writes a `.safetensors` file in one step: the old file stays until the new one is complete.

    Args:
        path: the file.
        arrays: dense arrays.
        names: one for each array, all different, or none to save a list.
        who: the function named in errors.
        notes: texts for the file's metadata, which loading passes over.
    """
    stored = [_dense(as_stored(array, who), who) for array in arrays]
    metadata = {**(notes or {}), **({} if names else {LIST_KEY: LIST_VALUE})} or None
    keys = list(names) or [str(number) for number in range(len(stored))]
    if len(keys) != len(stored) or len(set(keys)) != len(keys):
        raise OpParamError(
            f"[{who}] received {len(keys)} names, {len(set(keys))} of them different, for {len(stored)} arrays; "
            "expected one name of its own for each array."
        )
    # The package is given addresses, so the arrays behind them are held here until it is done.
    values = [np.asarray(array.data, STORAGE_OF_NAME[array.dtype], order="C") for array in stored]
    specs = {
        key: TensorSpec(dtype=array.dtype, shape=array.shape, data_ptr=value.ctypes.data, data_len=value.nbytes)
        for key, array, value in zip(keys, stored, values, strict=True)
    }
    with atomic_path(path, who) as temporary, folder_beside(temporary) as folder:
        written = os.path.join(folder, "content")
        try:
            serialize_file(specs, written, metadata=metadata)
            os.replace(written, temporary)
        except SafetensorError as error:
            raise MXNetError(
                f"[{who}] received {len(stored)} arrays for {path}; expected to write them: {error}. "
                "What was there before is unchanged."
            ) from None


def _views(buffer: Any, layout: list[tuple[str, str, tuple[int, ...]]], source: str) -> dict[str, Stored]:
    """The arrays as views of the file, from their order in it."""
    view = memoryview(buffer)
    at = 8 + int.from_bytes(view[:8], "little")
    arrays = {}
    for name, tag, shape in layout:
        dtype = NAME_OF_TAG.get(tag)
        if dtype is None or len(shape) > MAX_NDIM or not is_countable(shape, 8):
            raise FileFormatError(
                f"{source}, byte {at}: received tensor {name!r} of dtype {tag} and shape {shape}; expected one of "
                f"{', '.join(NAME_OF_TAG)} and at most {MAX_NDIM} dimensions. Convert it before loading."
            )
        storage = STORAGE_OF_NAME[dtype]
        end = at + math.prod(shape) * storage.itemsize
        # The package has checked this; a file that changed since then would be seen here.
        if end > len(view):
            raise FileFormatError(
                f"{source}, byte {at}: received {len(view) - at} bytes for {name!r}; expected {end - at}. "
                "The file changed while it was read: load it again."
            )
        data = np.empty(shape, storage) if 0 in shape else np.ndarray(shape, storage, buffer=view, offset=at)
        arrays[name] = Stored(dtype, shape, data)
        at = end
    return arrays


def _in_list_order(arrays: dict[str, Stored], source: str) -> list[Stored]:
    expected = [str(number) for number in range(len(arrays))]
    if arrays.keys() != set(expected):
        raise FileFormatError(
            f"{source}: received a saved list with the names {', '.join(sorted(arrays)[:8])}; expected the numbers "
            f"from 0 to {len(arrays) - 1}. The file was changed after saving: save it again."
        )
    return [arrays[name] for name in expected]


def _dense(array: Stored, who: str) -> Stored:
    if array.stype != "default":
        raise OpParamError(
            f"[{who}] received an array of storage type {array.stype} for a {SUFFIX} file, which holds dense arrays "
            "only; expected 'default'. Use `tostype('default')`, or save with the suffix .params."
        )
    return array
