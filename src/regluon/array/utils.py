"""Save and load arrays, and decode images: `nd.save`, `nd.load`, `nd.imdecode`."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..config import switches
from ..context import cpu
from ..errors import OpParamError, OpShapeError
from ..formats import params, tensors
from ..formats.atomic import atomic_write, open_mapped
from ..ops.image.codec import decode_image
from ..runtime.handle import STORAGE_TYPES
from .creation import array, empty, zeros
from .ndarray import NDArray
from .tensor_conversion import to_tensor

__all__ = ["imdecode", "array", "empty", "load", "load_frombuffer", "save", "zeros"]


def imdecode(
    str_img: bytes | bytearray | memoryview,
    clip_rect: Sequence[int] = (0, 0, 0, 0),
    out: NDArray | None = None,
    index: int = 0,
    channels: int = 3,
    mean: NDArray | None = None,
) -> NDArray:
    """Decodes the bytes of an image file to float32 of (channels, height, width), red first.

    Args:
        str_img: the bytes.
        clip_rect: the part to keep, (x0, y0, x1, y1); all of it if empty.
        out: an array to write to: (channels, height, width), or a batch of those.
        index: where in a batch `out` to write.
        channels: 3, or 1 for gray.
        mean: to subtract, of the shape of the result.
    """
    if channels not in (1, 3):
        raise OpParamError(f"[nd.imdecode] channels: received {channels}; expected 3, or 1 for gray.")
    pixels = decode_image(np.frombuffer(str_img, np.uint8), flag=int(channels == 3))
    x0, y0, x1, y1 = clip_rect
    if x1 > x0 and y1 > y0:
        height, width = pixels.shape[:2]
        if x0 < 0 or y0 < 0 or x1 > width or y1 > height:
            raise OpParamError(
                f"[nd.imdecode] clip_rect: received {tuple(clip_rect)}; expected a part of the image, which is {width} "
                f"wide and {height} high."
            )
        pixels = pixels[y0:y1, x0:x1]
    result = array(pixels.transpose(2, 0, 1), ctx=cpu() if out is None else out.context)
    if mean is not None:
        result -= mean
    if out is None:
        return result
    target = out if out.ndim == 3 else out[index]
    if target.shape != result.shape:
        raise OpShapeError(f"[nd.imdecode] out: received room for {target.shape}; expected {result.shape}.")
    target[:] = result
    return out


Arrays = list[NDArray] | dict[str, NDArray]


def save(fname: str | os.PathLike[str], data: NDArray | Sequence[NDArray] | Mapping[str, NDArray]) -> None:
    """Saves an array, a list or a dict of them.

    The file is replaced in one step: if anything goes wrong, the old one is still there.

    Args:
        fname: the file. The suffix `.safetensors` chooses that format, any other MXNet's own.
        data: what to save.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "two.params")
        >>> nd.save(path, {"w": nd.ones((2, 3)), "b": nd.zeros((3,))})
        >>> sorted(nd.load(path))
        ['b', 'w']
    """
    names, arrays = _named(data)
    stored = [each._to_stored() for each in arrays]
    if os.fspath(fname).endswith(tensors.SUFFIX):
        tensors.write_tensors(fname, stored, names)
        return
    # MXNet marks files written under NumPy shapes, where it knows dense arrays only.
    is_marked = switches.np_shape and not any(each.aux for each in stored)
    with atomic_write(fname) as stream:
        params.write(stream, stored, names, np_shape=is_marked or None)


def _named(data: Any) -> tuple[list[str], list[NDArray]]:
    if isinstance(data, NDArray):
        data = [data]
    elif not isinstance(data, (list, tuple, Mapping)):
        raise ValueError(
            f"[nd.save] received {type(data).__module__}.{type(data).__name__}; expected an NDArray, or a list or dict "
            "of them."
        )
    names = list(data) if isinstance(data, Mapping) else []
    arrays = list(data.values()) if isinstance(data, Mapping) else list(data)
    for each in arrays:
        if not isinstance(each, NDArray):
            raise TypeError(
                f"[nd.save] received {type(each).__module__}.{type(each).__name__}; expected an NDArray, or a list or "
                "dict of them."
            )
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"[nd.save] received the name {name!r}; expected texts as the keys of a dict.")
    return names, arrays


def from_stored(stored: params.Stored, who: str) -> NDArray:
    """The array that a record holds, on the CPU."""
    if stored.stype in STORAGE_TYPES:
        array: NDArray = STORAGE_TYPES[stored.stype]._from_stored(stored, cpu())
        return array
    return NDArray(to_tensor(stored, who), cpu())


def _arrays(contents: params.Contents, who: str) -> Arrays:
    arrays = [from_stored(stored, who) for stored in contents.arrays]
    return dict(zip(contents.names, arrays, strict=True)) if contents.names else arrays


def load(fname: str | os.PathLike[str]) -> Arrays:
    """Loads what `save` saved, here or in any version of MXNet: a list, or a dict if there are names.

    A large file is mapped, not read: pages come from the disk when they are used. Changing the arrays does not change
    the file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "list.params")
        >>> nd.save(path, [nd.ones((2, 3)), nd.zeros((3,))])
        >>> [each.shape for each in nd.load(path)]
        [(2, 3), (3,)]
    """
    if os.fspath(fname).endswith(tensors.SUFFIX):
        return _arrays(tensors.read_tensors(fname), "nd.load")
    return _arrays(params.read(open_mapped(fname), os.fspath(fname)), "nd.load")


def load_frombuffer(buf: bytes | bytearray | memoryview) -> Arrays:
    """Loads arrays from the bytes of a saved file."""
    if not isinstance(buf, (bytes, bytearray, memoryview)):
        raise TypeError(f"[nd.load_frombuffer] received {type(buf).__name__}; expected bytes.")
    own = bytearray(buf)  # the arrays view it, and must not change the caller's bytes
    return _arrays(params.read(own, who="nd.load_frombuffer"), "nd.load_frombuffer")
