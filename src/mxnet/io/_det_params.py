"""Keyword arguments of the iterator over image records with boxes."""

from dataclasses import dataclass, fields
from typing import Literal

from regluon.ops.params import Floats, Shape

from ..error import OpParamError
from ._image_params import ColorParams, RecordParams, check_interpolation, check_records


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
