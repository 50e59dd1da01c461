"""Shapes of results by arithmetic, for operators that networks of images have besides convolutions; see results.py."""

from collections.abc import Mapping, Sequence
from typing import Any

from .results import Rule, Spec, like_data, one_float_dtype


def _adaptive_pooling(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    data = _images(specs)
    sizes = params["output_size"] or (1,)
    if data is None or len(sizes) > 2 or any(not size or size < 1 for size in sizes):
        return None
    return [((*data[0][:2], sizes[0], sizes[-1]), data[1])]


def _bilinear_resize(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    data = _images(specs[:1])
    scales = [params["scale_height"], params["scale_width"]]
    if (
        data is None
        or params["mode"] != "size"
        or len([spec for spec in specs if spec]) != 1
        or scales.count(None) == 1
    ):
        return None
    shape, dtype = data
    if None in scales:
        sizes = [params["height"], params["width"]]
    else:
        sizes = [int(scale * length) for scale, length in zip(scales, shape[2:], strict=True)]
    return [((*shape[:2], *sizes), dtype)] if min(sizes) > 0 else None


def _up_sampling(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    data = _images(specs)
    if data is None or len(specs) != 1 or params["sample_type"] != "nearest" or params["scale"] < 1:
        return None
    (batch, channels, height, width), dtype = data
    return [((batch, channels, height * params["scale"], width * params["scale"]), dtype)]


def _padded(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if not one_float_dtype(specs) or specs[0] is None:
        return None
    (shape, dtype), widths = specs[0], params["pad_width"]
    is_usual = len(shape) in (4, 5) and len(widths) == 2 * len(shape) and not any(widths[:4]) and min(widths) >= 0
    if not is_usual or 0 in shape or params["mode"] == "reflect":  # which is refused beyond the length of an axis
        return None
    return [(tuple(n + a + b for n, a, b in zip(shape, widths[::2], widths[1::2], strict=True)), dtype)]


def _deconvolution(specs: Sequence[Spec | None], params: Mapping[str, Any]) -> list[Spec] | None:
    if not one_float_dtype(specs) or (params["layout"] or "NC")[1] != "C" or any(params["target_shape"]):
        return None
    (data, dtype), (weight, _) = specs[0], specs[1]  # type: ignore[misc]
    kernel, filters, groups = params["kernel"], params["num_filter"], params["num_group"]
    ndim = len(kernel)
    if len(data) != ndim + 2 or data[1] % groups or filters % groups or weight != (data[1], filters // groups, *kernel):
        return None
    biases = [spec[0] for spec in specs[2:] if spec is not None]
    if biases != ([] if params["no_bias"] else [(filters,)]) or 0 in data:
        return None
    names = (("stride", 1), ("dilate", 1), ("pad", 0), ("adj", 0))
    window = [params[name] or (default,) * ndim for name, default in names]
    if any(len(numbers) != ndim for numbers in window) or min(window[0]) < 1 or min(window[1]) < 1:
        return None
    if any(a >= s for a, s in zip(window[3], window[0], strict=True)):
        return None
    sizes = [
        (n - 1) * s + d * (k - 1) + 1 - 2 * p + a for n, k, s, d, p, a in zip(data[2:], kernel, *window, strict=True)
    ]
    return [((data[0], filters, *sizes), dtype)] if min(sizes) > 0 else None


def _images(specs: Sequence[Spec | None]) -> Spec | None:
    """The first input, if it is a batch of images that holds something."""
    first = specs[0]
    usual = first is not None and one_float_dtype(specs) and len(first[0]) == 4 and 0 not in first[0]
    return first if usual else None


IMAGE_RULES: dict[str, Rule] = {
    "_contrib_AdaptiveAvgPooling2D": _adaptive_pooling,
    "_contrib_BilinearResize2D": _bilinear_resize,
    "UpSampling": _up_sampling,
    "Pad": _padded,
    "Deconvolution": _deconvolution,
    "GroupNorm": like_data,
    "_contrib_SyncBatchNorm": like_data,
    "_contrib_BatchNormWithReLU": like_data,
}
