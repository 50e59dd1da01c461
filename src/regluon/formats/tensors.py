"""Store tensors in files: dtype, shape, storage type and bytes."""

import math
import mmap
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from safetensors import SafetensorError, TensorSpec, safe_open, serialize_file

from ..base import MXNetError
from ..dtypes import FLAG_OF_NAME
from ..errors import FileFormatError, OpParamError, OpTypeError
from .atomic import Path, atomic_path, open_mapped
from .commits import current
from .temporary_files import folder_beside

Buffer: TypeAlias = bytes | bytearray | memoryview | mmap.mmap
Array: TypeAlias = np.ndarray[Any, Any]
Shape: TypeAlias = tuple[int, ...]

CPU = (1, 0)
STYPE_OF_NUMBER = {0: "default", 1: "row_sparse", 2: "csr"}
NUMBER_OF_STYPE = {name: number for number, name in STYPE_OF_NUMBER.items()}
UNDEFINED = "undefined"
# How many index arrays a storage type has: row numbers; row starts and column numbers.
INDEX_ARRAYS = {"default": 0, "row_sparse": 1, "csr": 2}
INDEX_DTYPES = ("int64", "int32")

# NumPy 1 holds no more, and no operator of MXNet takes more than a handful.
MAX_NDIM = 32
MAX_BYTES = 2**63 - 1
# NumPy has no bfloat16: its bits travel as uint16 and the name is kept beside them.
STORAGE_OF_NAME = {name: np.dtype("uint16" if name == "bfloat16" else name).newbyteorder("<") for name in FLAG_OF_NAME}


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """One array as a file holds it.

    Attributes:
        dtype: MXNet's name of the data type.
        shape: the array's shape; for a sparse array, the shape it stands for.
        data: the values, a view of the buffer they were read from. bfloat16 is held as uint16 bits. For a sparse
            array only the stored values: `(rows, *shape[1:])` for row_sparse, `(count,)` for csr.
        context: (device type, device id) the array was saved from. A record only; reading never acts on it.
        stype: "default", "row_sparse", "csr", or "undefined" for the place of an array that was never made.
        aux: index arrays of a sparse array: (row numbers,) for row_sparse, (row starts, column numbers) for csr.
        np_shape: whether it was saved with NumPy shape semantics, where `()` is a number and not "unknown".
    """

    dtype: str
    shape: Shape
    data: Array
    context: tuple[int, int] = CPU
    stype: str = "default"
    aux: tuple[Array, ...] = ()
    np_shape: bool = False

    @property
    def is_none(self) -> bool:
        """Whether this is only the place of an array: it has no shape, dtype or values."""
        return self.stype == UNDEFINED


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Arrays in file order and their names; no names when a list was saved."""

    arrays: list[Stored]
    names: list[str]


NONE = Stored("float32", (), np.empty(0, np.float32), stype=UNDEFINED)
NP_NONE = Stored("float32", (), np.empty(0, np.float32), stype=UNDEFINED, np_shape=True)


def as_stored(array: Stored | Array, who: str = "nd.save") -> Stored:
    """The record to save for an array; a record is checked to be consistent."""
    if not isinstance(array, Stored):
        # Only packages that add the type to NumPy know this name; their bits are the ones stored.
        bits = array.view(np.uint16) if array.dtype.name == "bfloat16" else array
        return Stored(_saved_dtype(array.dtype.name, who), array.shape, bits)
    if array.is_none:
        return array
    storage = STORAGE_OF_NAME[_saved_dtype(array.dtype, who)]
    if array.data.dtype.newbyteorder("<") != storage:
        raise OpTypeError(f"[{who}] received {array.data.dtype} data for a {array.dtype} array; expected {storage}.")
    if array.stype not in NUMBER_OF_STYPE or len(array.aux) != INDEX_ARRAYS[array.stype]:
        expected = "default with 0, row_sparse with 1 or csr with 2"
        raise OpParamError(
            f"[{who}] received storage type {array.stype!r} with {len(array.aux)} index arrays; expected {expected}."
        )
    if any(index.dtype.name not in INDEX_DTYPES for index in array.aux):
        received = ", ".join(index.dtype.name for index in array.aux)
        raise OpTypeError(f"[{who}] received index arrays of dtype {received}; expected {' or '.join(INDEX_DTYPES)}.")
    if array.stype == "default" and array.data.shape != array.shape:
        raise OpParamError(f"[{who}] received data of shape {array.data.shape}; expected {array.shape}.")
    return array


def is_countable(shape: Shape, itemsize: int) -> bool:
    """Whether NumPy and torch can count the array's bytes, taking lengths of 0 as 1 as they do."""
    return math.prod(length or 1 for length in shape) * itemsize <= MAX_BYTES


def _saved_dtype(name: str, who: str) -> str:
    if name not in FLAG_OF_NAME:
        expected = ", ".join(FLAG_OF_NAME)
        raise OpTypeError(f"[{who}] received an array of dtype {name}; expected one of {expected}. Use `astype` first.")
    return name


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
