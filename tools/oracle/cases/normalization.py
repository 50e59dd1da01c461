"""Cases of normalization.

With `fix_gamma` gamma is given as ones: MXNet overwrites it with ones, this library leaves it alone.
"""

from typing import Any

from ..case import Case, case, full, integers, normal, ones, uniform, zeros

_loose = {"tolerance": (1e-4, 1e-5)}


def _batch_norm(*shape: int, channels: int, dtype: str = "float32", fixed: bool = False, **options: Any) -> Case:
    """A case of BatchNorm with statistics that are not those of the batch."""
    kind = "float32" if dtype == "float16" else dtype
    gamma = ones(channels, dtype=kind) if fixed else uniform(channels, low=0.5, high=1.5, dtype=kind)
    if "tolerance" not in options and dtype == "float32":
        options.update(_loose)
    return case(
        "BatchNorm",
        normal(*shape, dtype=dtype),
        gamma,
        uniform(channels, dtype=kind),
        uniform(channels, dtype=kind),
        uniform(channels, low=0.5, high=1.5, dtype=kind),
        fix_gamma=fixed,
        no_grad=(3, 4),
        **options,
    )


# MXNet reads these parameters as 32-bit floats.
_float_param = {"tolerance": (1e-6, 1e-7)}

CASES = [
    _batch_norm(2, 3, 4, 4, channels=3, train=True),
    _batch_norm(2, 3, 4, 4, channels=3, train=True, fixed=True),
    _batch_norm(2, 3, 4, 4, channels=3),
    _batch_norm(2, 3, 4, 4, channels=3, fixed=True),
    _batch_norm(2, 3, 4, 4, channels=3, train=True, use_global_stats=True),
    _batch_norm(2, 3, 4, 4, channels=3, train=True, output_mean_var=True),
    _batch_norm(2, 3, 4, 4, channels=3, output_mean_var=True),
    _batch_norm(2, 3, 4, channels=3, train=True, output_mean_var=True, use_global_stats=True),
    _batch_norm(5, 3, channels=3, train=True, momentum=0.5, eps=0.01),
    _batch_norm(2, 3, 5, channels=3, train=True, momentum=0.0),
    _batch_norm(2, 2, 2, 3, 2, channels=2, train=True),
    _batch_norm(2, 3, 2, 4, channels=4, train=True, axis=-1),
    _batch_norm(2, 3, 2, 4, channels=4, axis=3),
    _batch_norm(3, 4, 2, channels=3, train=True, axis=0),
    _batch_norm(2, 3, 4, 2, channels=4, train=True, axis=2, output_mean_var=True),
    _batch_norm(4, channels=4, train=True, axis=0),
    _batch_norm(4, 3, channels=3, train=True, dtype="float64", **_float_param),
    _batch_norm(4, 3, 2, channels=3, dtype="float64", output_mean_var=True),
    _batch_norm(2, 3, 2, 2, channels=3, train=True, dtype="float16", output_mean_var=True),
    _batch_norm(2, 3, 2, 2, channels=3, dtype="float16"),
    _batch_norm(2, 3, channels=3, axis=2, error=True),
    case("BatchNorm", normal(2, 3, 2), ones(3), zeros(3), error=True),
    case("BatchNorm", normal(2, 3), *[ones(3, dtype="float64")] * 4, error=True),
    case("BatchNorm", integers(2, 3), *[ones(3)] * 4, error=True),
    case("LayerNorm", uniform(3, 4), uniform(4), uniform(4), **_loose),
    case("LayerNorm", uniform(3, 4), uniform(4), uniform(4), output_mean_var=True, eps=0.1, **_loose),
    case("LayerNorm", uniform(2, 3, 4), uniform(3), uniform(3), axis=1, output_mean_var=True, **_loose),
    case("LayerNorm", uniform(2, 3, 4), uniform(3), uniform(3), axis=-2, **_loose),
    case("LayerNorm", uniform(5), uniform(5), uniform(5), output_mean_var=True, **_loose),
    case("LayerNorm", *[uniform(4, 4, dtype="float64"), *[uniform(4, dtype="float64")] * 2], **_float_param),
    case(
        "LayerNorm",
        uniform(3, 8, dtype="float16"),
        uniform(8, dtype="float16"),
        uniform(8, dtype="float16"),
        output_mean_var=True,
        tolerance=(1e-2, 1e-2),
    ),
    case("LayerNorm", uniform(3, 4), uniform(3), uniform(3), error=True),
    case("LayerNorm", uniform(3, 4), uniform(4), uniform(4), axis=2, error=True),
    case("LayerNorm", uniform(3, 4, dtype="float16"), uniform(4), uniform(4), error=True),
    case("GroupNorm", uniform(2, 4, 3), uniform(2), uniform(2), num_groups=2, **_loose),
    case("GroupNorm", uniform(2, 6, 3, 2), uniform(3), uniform(3), num_groups=3, output_mean_var=True, **_loose),
    case("GroupNorm", uniform(2, 4, 3), uniform(1), uniform(1), eps=0.1, **_loose),
    case("GroupNorm", uniform(2, 4, 3), uniform(1, 2, 1), uniform(1, 2, 1), num_groups=2, **_loose),
    case(
        "GroupNorm",
        uniform(2, 4, 3, dtype="float64"),
        uniform(4, dtype="float64"),
        uniform(4, dtype="float64"),
        num_groups=4,
        output_mean_var=True,
        **_float_param,
    ),
    case(
        "GroupNorm",
        uniform(2, 4, 3, dtype="float16"),
        uniform(2, dtype="float16"),
        uniform(2, dtype="float16"),
        num_groups=2,
        output_mean_var=True,
        tolerance=(1e-2, 1e-2),
    ),
    case("GroupNorm", uniform(2, 4, 3), uniform(3), uniform(3), num_groups=3, error=True),
    case("GroupNorm", uniform(2, 4), uniform(2), uniform(2), num_groups=2, error=True),
    case("GroupNorm", uniform(2, 4, 3), uniform(4), uniform(4), num_groups=2, error=True),
    case("InstanceNorm", uniform(2, 4, 3), uniform(4), uniform(4), **_loose),
    case("InstanceNorm", uniform(2, 2, 3, 2), uniform(2), uniform(2), eps=0.1, **_loose),
    case("InstanceNorm", uniform(1, 2, 2, 3, 2), uniform(2), uniform(2), **_loose),
    case("InstanceNorm", uniform(2, 4), uniform(4), uniform(4), error=True),
    case("InstanceNorm", uniform(2, 4, 3), uniform(3), uniform(3), error=True),
    case("L2Normalization", uniform(2, 3)),
    case("L2Normalization", uniform(3)),
    case("L2Normalization", uniform(2, 3, 2, 2), eps=0.5),
    case("L2Normalization", zeros(2, 3)),
    case("L2Normalization", uniform(2, 3, 2), mode="channel"),
    case("L2Normalization", uniform(2, 3, 2, 2, dtype="float64"), mode="channel"),
    case("L2Normalization", uniform(2, 3, 2), mode="spatial"),
    case("L2Normalization", uniform(2, 3, 2, 2), mode="spatial", eps=0.1),
    case("L2Normalization", uniform(2, 3, 2, dtype="float16"), mode="spatial", tolerance=(1e-2, 1e-2)),
    case("L2Normalization", uniform(2, 3), mode="channel", error=True),
    case("L2Normalization", uniform(2, 3), mode="spatial", error=True),
    case("L2Normalization", integers(2, 3), error=True),
    case("LRN", uniform(2, 5, 2, 2), nsize=3),
    case("LRN", uniform(1, 5, 2, 1, low=-3, high=3), nsize=5, alpha=2.0, beta=0.5, knorm=1.5),
    case("LRN", uniform(1, 5, 1, 2, low=-3, high=3), nsize=4, alpha=2.0),
    case("LRN", uniform(1, 3, 1, 2, low=-3, high=3), nsize=9, alpha=2.0),
    case("LRN", full(1, 2, 2, 2, value=2), nsize=1, alpha=1.0),
    case("LRN", uniform(2, 5, low=-3, high=3), nsize=3, alpha=2.0),
    case("LRN", uniform(1, 3, 2, 2), error=True),
]
