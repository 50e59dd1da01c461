"""Dropout where nothing is random."""

from ..case import case, integers, normal, uniform

CASES = [
    case("Dropout", normal(2, 3)),
    case("Dropout", normal(2, 3, 4, dtype="float64"), p=0.9, axes=(0, 2)),
    case("Dropout", normal(2, 3, dtype="float16"), p=1.0, cudnn_off=True),
    case("Dropout", normal(2, 3), p=0.0, train=True),
    case("Dropout", normal(2, 3), p=0.0, mode="always"),
    case("Dropout", uniform(2, 3), p=1.0, train=True),
    case("Dropout", uniform(2, 3), p=1.5, error=True),
    case("Dropout", uniform(2, 3), p=-0.1, error=True),
    case("Dropout", uniform(2, 3), mode="never", error=True),
    case("Dropout", uniform(2, 3), axes=(2,), error=True),
    case("Dropout", uniform(2, 3), axes=(-1,), error=True),
    case("Dropout", integers(2, 3), error=True),
]
