"""Translate resizing and creation of tensors."""

from typing import Any

import torch

import regluon.symbol

from ..batch_axis import number, varies
from ..conversion_errors import NotConvertible
from ..node import AtenNode, mxnet_dtype, translates

S: Any = regluon.symbol
_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "bicubic"}


def _mode(node: AtenNode) -> str:
    return str(node.target).split("upsample_")[1].split(".")[0].rstrip("123d")


def _data(node: AtenNode) -> str:
    return "input" if node.takes("input") else "self"


def _scales(node: AtenNode, count: int) -> list[float | None]:
    """The factors that the program was given; torch computes places with these where there are any."""
    if node.takes("scale_factors"):
        return list(node["scale_factors"]) if node.has("scale_factors") else [None] * count
    names = ["scales"] if count == 1 else ["scales_d", "scales_h", "scales_w"][-count:]
    return [node[name] for name in names]


@translates(
    *("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"),
    *("upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec"),
)
def nearest(node: AtenNode) -> Any:
    """UpSampling by a whole factor, else take along each axis."""
    before, after = node.lengths(_data(node))[2:], node.result[2:]
    data = node.symbol(_data(node))
    factors = {b // a for one, two in zip(before, after, strict=True) for a, b in zip(one, two, strict=True)}
    is_whole = all(b % a == 0 for one, two in zip(before, after, strict=True) for a, b in zip(one, two, strict=True))
    if len(before) == 2 and len(factors) == 1 and is_whole:
        return S.UpSampling(data, scale=factors.pop(), sample_type="nearest")
    return _along_axes(node, data, "nearest")


@translates("upsample_bilinear2d", "upsample_bilinear2d.vec")
def bilinear(node: AtenNode) -> Any:
    """BilinearResize2D; with a factor that does not give the size exactly, a product along each axis."""
    before, after = node.lengths(_data(node))[2:], node.result[2:]
    scales = _scales(node, 2)
    exact = all(
        scale is None or one[0] * scale == two[0] for scale, one, two in zip(scales, before, after, strict=True)
    )
    if not exact and not node["align_corners"]:
        return _along_axes(node, node.symbol(_data(node)), "linear")
    height, width = (node.fixed(length, "the size of a resized image") for length in after)
    return S.contrib.BilinearResize2D(
        node.symbol(_data(node)), height=height, width=width, align_corners=bool(node["align_corners"])
    )


@translates(
    *("upsample_linear1d", "upsample_trilinear3d", "upsample_bicubic2d"),
    *("upsample_linear1d.vec", "upsample_trilinear3d.vec", "upsample_bicubic2d.vec"),
)
def others(node: AtenNode) -> Any:
    """A product along each axis."""
    return _along_axes(node, node.symbol(_data(node)), _MODES[_mode(node)])


def _along_axes(node: AtenNode, data: Any, mode: str) -> Any:
    """Resizes one axis after the other: by indices, or by a matrix of what each element gives to each result."""
    before, after = node.lengths(_data(node)), node.result
    scales = _scales(node, len(before) - 2)
    for axis, scale in zip(range(2, len(before)), scales, strict=True):
        length, size = (node.fixed(each[axis], "the size of a resized image") for each in (before, after))
        if length == size and scale in (None, 1.0):
            continue
        matrix = _matrix(length, size, scale, mode, bool(node.takes("align_corners") and node["align_corners"]))
        if mode == "nearest":
            data = S.take(data, node.parameter(f"places{axis}", matrix.argmax(0)), axis=axis)
            continue
        weights = node.parameter(f"weights{axis}", matrix.to(node.result_dtype))
        last = len(before) - 1
        turned = data if axis == last else S.swapaxes(data, dim1=axis, dim2=last)
        found = S.dot(turned, weights)
        data = found if axis == last else S.swapaxes(found, dim1=axis, dim2=last)
    return data


def _matrix(length: int, size: int, scale: float | None, mode: str, align_corners: bool) -> torch.Tensor:
    """What each of `length` elements gives to each of `size` results, as torch resizes rows that have a single 1."""
    rows = torch.eye(length)[:, None]
    options: dict[str, Any] = {"scale_factor": scale} if scale is not None else {"size": size}
    if mode == "bicubic":
        # There is none for one axis: a second one of length 1 stays as it is.
        options = {"scale_factor": (1.0, scale)} if scale is not None else {"size": (1, size)}
        return torch.nn.functional.interpolate(
            rows[:, None], mode=mode, align_corners=align_corners, **options
        ).reshape(length, size)
    corners = {} if mode == "nearest" else {"align_corners": align_corners}
    return torch.nn.functional.interpolate(rows, mode=mode, **corners, **options).reshape(length, size)


def _filled(node: AtenNode, value: float) -> Any:
    """A number in the shape of the result, of which lengths vary."""
    ones = tuple(number(1) if varies(length) else length for length in node.result)
    shape = tuple(length[0] for length in ones) or (1,)
    one = S.ones(shape=shape, dtype=mxnet_dtype(node.result_dtype))
    return node.expanded(one * float(value), ones, node.result)


@translates("full", "full_like", "new_full")
def full(node: AtenNode) -> Any:
    """A number everywhere."""
    value = node.number("fill_value")
    if value is None:
        raise NotConvertible("its value depends on an input; multiply ones with it")
    return _filled(node, value)


@translates("zeros", "zeros_like", "new_zeros", "empty.memory_format", "empty_like", "new_empty")
def zeros(node: AtenNode) -> Any:
    """0 everywhere."""
    return _filled(node, 0)


@translates("ones", "ones_like", "new_ones")
def ones(node: AtenNode) -> Any:
    """1 everywhere."""
    return _filled(node, 1)


@translates("arange", "arange.start", "arange.start_step")
def arange(node: AtenNode) -> Any:
    """Numbers one after the other along a length that varies."""
    start = node["start"] if node.takes("start") else 0
    step = node["step"] if node.takes("step") else 1
    like, axis = node.with_length(node.result[0])
    found = S.contrib.arange_like(like, start=float(start), step=float(step), axis=axis)
    return S.Cast(found, dtype=mxnet_dtype(node.result_dtype))


@translates("_to_copy", "to.dtype", "to.dtype_layout", "to.device", "type_as", "to.other")
def convert(node: AtenNode) -> Any:
    """Cast; devices mean nothing here."""
    return node.cast(node.symbol("self"), node.dtype("self"), node.result_dtype)
