"""Declare the keyword arguments of iterators over image records."""

import dataclasses
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal, TypeVar, cast, get_type_hints

from regluon.arguments import nearest
from regluon.ops.params import Floats, Kind, Shape, kind_of

from ..error import OpParamError
from ._base import check_batch_size, check_part

_Params = TypeVar("_Params")


def read_params(declared: type[_Params], who: str, given: dict[str, Any]) -> _Params:
    """Values of declared parameters, from Python values or their texts.

    Raises:
        OpParamError: a parameter is unknown, missing, or has a value of another kind.
    """
    kinds = _kinds(cast(Any, declared))
    for name, value in given.items():
        if name not in kinds:
            near = nearest(name, kinds, 3)
            meant = f" Did you mean {' or '.join(near)}?" if near else f" Known: {', '.join(kinds)}."
            raise OpParamError(f"[{who}] received the parameter {name}={value!r}, which does not exist.{meant}")
    values = {name: _parse(who, name, kinds[name], value) for name, value in given.items()}
    for field in dataclasses.fields(declared):  # type: ignore[arg-type]  # a dataclass: all declarations are
        if field.name not in given and field.default is dataclasses.MISSING:
            raise OpParamError(
                f"[{who}] received no {field.name}; expected {kinds[field.name].expects}: it is required."
            )
    return declared(**values)


def _parse(who: str, name: str, kind: Kind, value: Any) -> Any:
    try:
        return kind.parse(value)
    except (ValueError, TypeError, KeyError):
        raise OpParamError(f"[{who}] {name}: received {value!r}; expected {kind.expects}.") from None


@cache
def _kinds(declared: Any) -> dict[str, Kind]:
    hints = get_type_hints(declared)
    return {field.name: kind_of(hints[field.name]) for field in dataclasses.fields(declared)}


@dataclass(frozen=True)
class RecordParams:
    """Where image records come from, and how they are put into batches."""

    data_shape: Shape
    batch_size: int
    path_imgrec: str = ""
    path_imglist: str = ""
    path_imgidx: str = ""
    label_width: int = 1
    preprocess_threads: int = 4
    verbose: bool = True
    num_parts: int = 1
    part_index: int = 0
    device_id: int = 0
    shuffle_chunk_size: int = 0
    shuffle_chunk_seed: int = 0
    seed_aug: int | None = None
    shuffle: bool = False
    seed: int = 0
    round_batch: bool = True
    prefetch_buffer: int = 4
    ctx: Literal["cpu", "gpu"] = "gpu"
    dtype: Literal["float32", "uint8", "int8"] | None = None
    data_name: str = "data"
    label_name: str = "softmax_label"


@dataclass(frozen=True)
class ColorParams:
    """How pixels become numbers."""

    mean_img: str = ""
    mean_r: float = 0.0
    mean_g: float = 0.0
    mean_b: float = 0.0
    mean_a: float = 0.0
    std_r: float = 1.0
    std_g: float = 1.0
    std_b: float = 1.0
    std_a: float = 1.0
    scale: float = 1.0


@dataclass(frozen=True, kw_only=True)
class ImageParams(ColorParams, RecordParams):
    """What `ImageRecordIter` takes."""

    aug_seq: str = "aug_default"
    mirror: bool = False
    rand_mirror: bool = False
    max_random_contrast: float = 0.0
    max_random_illumination: float = 0.0
    resize: int = -1
    rand_crop: bool = False
    random_resized_crop: bool = False
    max_rotate_angle: int = 0
    max_aspect_ratio: float = 0.0
    min_aspect_ratio: float | None = None
    max_shear_ratio: float = 0.0
    max_crop_size: int = -1
    min_crop_size: int = -1
    max_random_scale: float = 1.0
    min_random_scale: float = 1.0
    max_random_area: float = 1.0
    min_random_area: float = 1.0
    max_img_size: float = 1e10
    min_img_size: float = 0.0
    brightness: float = 0.0
    contrast: float = 0.0
    saturation: float = 0.0
    pca_noise: float = 0.0
    random_h: int = 0
    random_s: int = 0
    random_l: int = 0
    rotate: int = -1
    fill_value: int = 255
    inter_method: int = 1
    pad: int = 0


def check_records(given: RecordParams, who: str) -> None:
    """Refuses what no batch can be made with."""
    check_batch_size(given.batch_size, who)
    check_part(given.num_parts, given.part_index, who)
    if not given.path_imgrec:
        raise OpParamError(f"[{who}] received no path_imgrec; expected a .rec file.")
    if len(given.data_shape) != 3 or min(given.data_shape) < 1 or given.data_shape[0] not in (1, 3, 4):
        raise OpParamError(
            f"[{who}] data_shape: received {given.data_shape}; expected (channels, height, width) with 1, 3 or 4 "
            "channels."
        )
    for name, least in (("preprocess_threads", 1), ("prefetch_buffer", 0)):
        if getattr(given, name) < least:
            raise OpParamError(f"[{who}] {name}: received {getattr(given, name)}; expected {least} or more.")


def check_interpolation(inter_method: int, who: str) -> None:
    """Refuses numbers that stand for no interpolation."""
    if inter_method not in (0, 1, 2, 3, 4, 9, 10):
        raise OpParamError(
            f"[{who}] inter_method: received {inter_method}; expected 0 (nearest), 1 (linear), 2 (cubic), 3 (area), 4 "
            "(Lanczos), 9 (by size) or 10 (random)."
        )


def check_augmenter(given: ImageParams, who: str) -> None:
    """Refuses settings of the standard augmenter that contradict each other."""
    check_interpolation(given.inter_method, who)
    if given.aug_seq != "aug_default":
        raise OpParamError(
            f"[{who}] aug_seq: received {given.aug_seq!r}; expected 'aug_default', the only one there is."
        )
    if given.random_resized_crop and (
        given.rand_crop
        or (given.min_random_scale, given.max_random_scale) != (1.0, 1.0)
        or (given.min_crop_size, given.max_crop_size) != (-1, -1)
    ):
        raise OpParamError(
            f"[{who}] random_resized_crop: received True together with rand_crop, a random scale or a crop size; "
            "expected it alone: it chooses place and size itself."
        )
    least = given.min_aspect_ratio
    if given.random_resized_crop and least is None and not 0 <= given.max_aspect_ratio < 1:
        raise OpParamError(
            f"[{who}] max_aspect_ratio: received {given.max_aspect_ratio}; expected 0 up to 1: ratios are drawn from "
            "1 - v to 1 + v. Give min_aspect_ratio too to draw them from min to max."
        )
    if given.random_resized_crop and least is not None and not 0 < least <= given.max_aspect_ratio:
        raise OpParamError(
            f"[{who}] min_aspect_ratio: received {least}; expected above 0 and up to max_aspect_ratio="
            f"{given.max_aspect_ratio}."
        )
    for low, high in (("min_random_area", "max_random_area"), ("min_random_scale", "max_random_scale")):
        if getattr(given, low) > getattr(given, high):
            raise OpParamError(
                f"[{who}] {low}: received {getattr(given, low)}; expected at most {high}={getattr(given, high)}."
            )
    if given.min_crop_size > given.max_crop_size:
        raise OpParamError(
            f"[{who}] min_crop_size: received {given.min_crop_size}; expected at most "
            f"max_crop_size={given.max_crop_size}."
        )


@dataclass(frozen=True, kw_only=True)
class DetectionParams(ColorParams, RecordParams):
    """What `ImageDetRecordIter` takes."""

    aug_seq: str = "det_aug_default"
    label_width: int = -1
    label_pad_width: int = 0
    label_pad_value: float = -1.0
    std_r: float = 0.0
    std_g: float = 0.0
    std_b: float = 0.0
    std_a: float = 0.0
    resize: int = -1
    rand_crop_prob: float = 0.0
    min_crop_scales: Floats = (0.0,)
    max_crop_scales: Floats = (1.0,)
    min_crop_aspect_ratios: Floats = (1.0,)
    max_crop_aspect_ratios: Floats = (1.0,)
    min_crop_overlaps: Floats = (0.0,)
    max_crop_overlaps: Floats = (1.0,)
    min_crop_sample_coverages: Floats = (0.0,)
    max_crop_sample_coverages: Floats = (1.0,)
    min_crop_object_coverages: Floats = (0.0,)
    max_crop_object_coverages: Floats = (1.0,)
    num_crop_sampler: int = 1
    crop_emit_mode: Literal["center", "overlap"] = "center"
    emit_overlap_thresh: float = 0.3
    max_crop_trials: Shape = (25,)
    rand_pad_prob: float = 0.0
    max_pad_scale: float = 1.0
    max_random_hue: int = 0
    random_hue_prob: float = 0.0
    max_random_saturation: int = 0
    random_saturation_prob: float = 0.0
    max_random_illumination: int = 0
    random_illumination_prob: float = 0.0
    max_random_contrast: float = 0.0
    random_contrast_prob: float = 0.0
    rand_mirror_prob: float = 0.0
    fill_value: int = 127
    inter_method: int = 1
    resize_mode: Literal["fit", "force", "shrink"] = "force"


def check_detection(given: DetectionParams, who: str) -> None:
    """Refuses what no batch can be made with."""
    check_records(given, who)
    check_interpolation(given.inter_method, who)
    if given.aug_seq != "det_aug_default":
        raise OpParamError(f"[{who}] aug_seq: received {given.aug_seq!r}; expected 'det_aug_default', the only one.")
    if given.dtype not in (None, "float32"):
        raise OpParamError(f"[{who}] dtype: received {given.dtype!r}; expected 'float32'.")
    for field in fields(given):
        value = getattr(given, field.name)
        if field.name.endswith("_prob") and not 0 <= value <= 1:
            raise OpParamError(f"[{who}] {field.name}: received {value}; expected a probability from 0 to 1.")
        per_rule = field.name.startswith(("min_crop_", "max_crop_"))
        if per_rule and len(value) not in (1, given.num_crop_sampler):
            raise OpParamError(
                f"[{who}] {field.name}: received {len(value)} values; expected one, or one for each of "
                f"num_crop_sampler={given.num_crop_sampler} rules."
            )
