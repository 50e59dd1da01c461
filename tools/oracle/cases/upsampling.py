"""Cases of enlarging images."""

from ..case import case, integers, uniform

CASES = [
    case("UpSampling", uniform(2, 2, 2, 3), scale=2, sample_type="nearest"),
    case("UpSampling", uniform(1, 1, 2, 2, dtype="float64"), scale=3, sample_type="nearest", num_args=1),
    case("UpSampling", uniform(1, 1, 2, 2, dtype="float16"), scale=2, sample_type="nearest"),
    case("UpSampling", uniform(1, 2, 3, 2), scale=1, sample_type="nearest"),
    case("UpSampling", uniform(1, 1, 2, 2), uniform(1, 2, 4, 4), scale=2, sample_type="nearest", num_args=2),
    case(
        "UpSampling",
        uniform(1, 1, 4, 6),
        uniform(1, 2, 2, 3),
        uniform(1, 1, 4, 6),
        scale=1,
        sample_type="nearest",
        num_args=3,
    ),
    case(
        "UpSampling",
        uniform(2, 2, 4, 4),
        uniform(2, 2, 2, 2),
        scale=2,
        sample_type="nearest",
        num_args=2,
        multi_input_mode="sum",
    ),
    case(
        "UpSampling",
        uniform(1, 2, 3, 3),
        uniform(2, 1, 1, 1),
        scale=1,
        sample_type="bilinear",
        num_filter=2,
        num_args=2,
    ),
    case(
        "UpSampling",
        uniform(1, 2, 3, 4),
        uniform(2, 1, 4, 4),
        scale=2,
        sample_type="bilinear",
        num_filter=2,
        num_args=2,
    ),
    case(
        "UpSampling",
        uniform(1, 1, 3, 3),
        uniform(1, 1, 5, 5),
        scale=3,
        sample_type="bilinear",
        num_filter=1,
        num_args=2,
    ),
    case(
        "UpSampling",
        uniform(1, 2, 2, 2, dtype="float64"),
        uniform(2, 1, 8, 8, dtype="float64"),
        scale=4,
        sample_type="bilinear",
        num_filter=2,
        num_args=2,
    ),
    case("UpSampling", uniform(1, 4, 4), scale=2, sample_type="nearest", error=True),
    case("UpSampling", uniform(1, 1, 2, 2), scale=0, sample_type="nearest", error=True),
    case("UpSampling", integers(1, 1, 2, 2), scale=2, sample_type="nearest", error=True),
    case(
        "UpSampling", uniform(1, 1, 4, 4), uniform(1, 2, 3, 3), scale=2, sample_type="nearest", num_args=2, error=True
    ),
    case(
        "UpSampling", uniform(1, 1, 4, 4), uniform(2, 1, 4, 4), scale=2, sample_type="nearest", num_args=2, error=True
    ),
    case(
        "UpSampling",
        uniform(1, 1, 4, 4),
        uniform(1, 2, 4, 4),
        scale=2,
        sample_type="nearest",
        num_args=2,
        multi_input_mode="sum",
        error=True,
    ),
    case(
        "UpSampling",
        uniform(1, 2, 3, 3),
        uniform(2, 1, 3, 3),
        scale=2,
        sample_type="bilinear",
        num_filter=2,
        num_args=2,
        error=True,
    ),
]
