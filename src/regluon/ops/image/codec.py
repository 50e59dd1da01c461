"""Images through OpenCV, in CPU memory: decoding files, resizing, borders.

MXNet uses OpenCV as well, so results are the same.
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ...base import MXNetError
from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ...formats.images import Pixels, decode, opencv
from ..params import Floats
from ..registry import operator

_INTERPOLATIONS = range(6)  # nearest, linear, cubic, area, Lanczos, exact linear: the codes are OpenCV's own
_ISOLATED = 16  # added to a border's code: look at this image alone, which is all there is here
_BORDERS = range(5)  # constant, the edge repeated, mirrored, wrapped, mirrored without the edge: OpenCV's codes
_RESIZABLE = (torch.uint8, torch.float32, torch.float64)
_PADDABLE = (*_RESIZABLE, torch.int8, torch.int32)


def decode_image(encoded: Pixels, flag: int = 1, to_rgb: bool = True) -> Pixels:
    """Decodes the bytes of an image file.

    Args:
        encoded: the bytes, as uint8.
        flag: 1 for three channels, 0 for gray.
        to_rgb: red first; False leaves OpenCV's order, blue first.

    Returns:
        The image as uint8 of (height, width, channels), turned upright if the file says how.
    """
    if flag < 0:
        raise OpParamError(f"flag={flag}; expected 1 for a color image or 0 for gray")
    image = decode(encoded, flag)
    if image.dtype != np.uint8:
        raise OpParamError(f"flag={flag} gives an image of {image.dtype}; expected 1 for a color image or 0 for gray")
    if image.ndim == 2:
        return image[:, :, None]
    if to_rgb:
        cv2 = opencv("imdecode")
        cv2.cvtColor(image, cv2.COLOR_BGR2RGB, dst=image)
    return image


def resize_image(image: Pixels, width: int, height: int, interp: int = 1) -> Pixels:
    """Resizes an image of (height, width, channels) with one of OpenCV's interpolations, 0 to 5."""
    if interp not in _INTERPOLATIONS:
        raise OpParamError(
            f"interp={interp}; expected 0 (nearest), 1 (linear), 2 (cubic), 3 (area) or 4 (Lanczos); "
            "9 and 10, which choose among these, are known to the functions of mx.image"
        )
    cv2 = opencv("imresize")
    try:
        resized = cv2.resize(image, (width, height), interpolation=interp)
    except cv2.error as error:
        raise MXNetError(f"OpenCV cannot resize to width {width}, height {height}: {_reason(error)}") from error
    return resized.reshape(height, width, image.shape[2])


def _reason(error: Exception) -> str:
    return str(error).strip().replace("\n", " ")


def to_cpu_array(data: Tensor) -> Pixels:
    """The values in CPU memory; without a copy where they already are there."""
    return data.detach().cpu().numpy()


def from_cpu_array(values: Pixels, like: Tensor) -> Tensor:
    """A tensor of these values on the device of another one."""
    return torch.from_numpy(np.ascontiguousarray(values)).to(like.device)


def expect_dtype(data: Tensor, choices: tuple[torch.dtype, ...]) -> None:
    """Refuses dtypes that OpenCV has no code for."""
    if data.dtype not in choices:
        listed = ", ".join(NAME_OF_TORCH[dtype] for dtype in choices)
        raise OpTypeError(f"expected one of {listed}, got {NAME_OF_TORCH[data.dtype]}; convert it with astype()")


def expect_resizable(data: Tensor) -> None:
    """Refuses what OpenCV cannot resize."""
    expect_dtype(data, _RESIZABLE)


def _expect_image(src: Tensor) -> None:
    if src.dim() != 3:
        raise OpShapeError(f"expected an image of shape (height, width, channels), got {tuple(src.shape)}")


def _refuse_inference(device: torch.device) -> None:
    if device.type == "meta":
        raise OpShapeError("the shape of the result is known only when the image is decoded")


@operator("_cvimdecode", "_npi_cvimdecode", has_gradient=False, reads_values=True)
def cvimdecode(buf: Tensor, *, flag: int = 1, to_rgb: bool = True) -> Tensor:
    """Decodes the bytes of an image file to uint8 of (height, width, channels).

    Args:
        buf: the bytes, as uint8.
        flag: 1 for three channels, 0 for gray.
        to_rgb: red first; otherwise blue first, as OpenCV has it.
    """
    _refuse_inference(buf.device)
    if buf.dtype != torch.uint8:
        raise OpTypeError(f"expected the bytes of an image as uint8, got {NAME_OF_TORCH[buf.dtype]}")
    return from_cpu_array(decode_image(np.ascontiguousarray(to_cpu_array(buf)).reshape(-1), flag, to_rgb), buf)


@operator("_cvimread", "_npi_cvimread", has_gradient=False)
def cvimread(*, filename: str, flag: int = 1, to_rgb: bool = True) -> Tensor:
    """Reads an image file to uint8 of (height, width, channels).

    Args:
        filename: its path.
        flag: 1 for three channels, 0 for gray.
        to_rgb: red first; otherwise blue first, as OpenCV has it.
    """
    try:
        encoded = np.frombuffer(Path(filename).read_bytes(), np.uint8)
    except OSError as error:
        raise MXNetError(f"cannot read the image file {filename!r}: {error.strerror or error}") from error
    try:
        return torch.from_numpy(decode_image(encoded, flag, to_rgb))
    except MXNetError as error:
        raise type(error)(f"image file {filename!r}: {error}") from error


@operator("_cvimresize", "_npi_cvimresize", has_gradient=False, reads_values=True)
def cvimresize(src: Tensor, *, w: int, h: int, interp: int = 1) -> Tensor:
    """Resizes one image of (height, width, channels).

    Args:
        src: the image: uint8, float32 or float64.
        w: the new width.
        h: the new height.
        interp: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
    """
    _expect_image(src)
    expect_resizable(src)
    if w < 1 or h < 1:
        raise OpParamError(f"w={w}, h={h}; expected a width and a height of at least 1")
    if src.device.type == "meta":
        return src.new_empty((h, w, src.shape[2]))
    return from_cpu_array(resize_image(to_cpu_array(src), w, h, interp), src)


@operator("_cvcopyMakeBorder", has_gradient=False, reads_values=True)
def cv_copy_make_border(
    src: Tensor,
    *,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int = 0,
    value: float = 0.0,
    values: Floats = (),
) -> Tensor:
    """Puts a border around an image of (height, width, channels).

    Args:
        src: the image.
        top: rows above.
        bot: rows below.
        left: columns on the left.
        right: columns on the right.
        type: 0 constant, 1 the edge repeated, 2 mirrored, 3 wrapped around, 4 mirrored without the edge.
        value: what a constant border is filled with, in all channels.
        values: the same by channel, at most four; those left out are 0.
    """
    _expect_image(src)
    expect_dtype(src, _PADDABLE)
    if min(top, bot, left, right) < 0:
        raise OpParamError(f"top={top}, bot={bot}, left={left}, right={right}; expected none below 0")
    if type & ~_ISOLATED not in _BORDERS:
        raise OpParamError(f"type={type}; expected 0 constant, 1 repeated, 2 or 4 mirrored, 3 wrapped")
    height, width, channels = src.shape
    shape = (height + top + bot, width + left + right, channels)
    if src.device.type == "meta":
        return src.new_empty(shape)
    cv2 = opencv("copyMakeBorder")
    fill = (*values, 0.0, 0.0, 0.0, 0.0)[:4] if values else (value,) * 4
    try:
        padded = cv2.copyMakeBorder(to_cpu_array(src), top, bot, left, right, type, value=fill)
    except cv2.error as error:
        raise MXNetError(f"OpenCV cannot make this border: {_reason(error)}") from error
    return from_cpu_array(padded.reshape(shape), src)
