"""Cases of changes of light and color. Two equal limits leave no choice to the random ones."""

from ..case import case
from .image import pixels

PICTURE, PRECISE = pixels(4, 2, 3, dtype="float32"), pixels(3, 4, 3, dtype="float64")
CLOSE = (1e-5, 1e-3)  # MXNet computes float64 in float32
FACTORS = ("brightness", "contrast", "saturation", "hue")

CASES = [
    case("_image_adjust_lighting", pixels(3, 4, 3), alpha=(0.1, -0.2, 0.3)),
    case("_image_adjust_lighting", pixels(2, 3, 3, dtype="float32"), alpha=(0.1, 0.2, 0.3)),
    case("_image_adjust_lighting", pixels(2, 3, 3, dtype="int32"), alpha=(-2.0, 0.0, 1.0)),
    case("_image_adjust_lighting", pixels(2, 3, 3), alpha=(0.1, 0.2), error=True),
    case("_image_adjust_lighting", pixels(1, 2, 3, 3), alpha=(0.1, 0.2, 0.3), error=True),
    case("_image_random_lighting", pixels(3, 4, 3), alpha_std=0.0),
    case("_image_random_lighting", pixels(2, 3, 3, dtype="float64"), alpha_std=0.0),
    case("_image_random_lighting", pixels(2, 3), error=True),
    *(
        each
        for name in FACTORS
        for each in (
            case(f"_image_random_{name}", PICTURE, min_factor=0.4, max_factor=0.4, grad=False, tolerance=CLOSE),
            case(f"_image_random_{name}", PRECISE, min_factor=1.3, max_factor=1.3, grad=False, tolerance=CLOSE),
            case(f"_image_random_{name}", pixels(2, 2, 3), min_factor=-1.0, max_factor=1.0, error=True),
            case(f"_image_random_{name}", pixels(2, 2, 2), min_factor=1.0, max_factor=1.0, error=True),
        )
    ),
    # Whole numbers show the rounding; hue has none that two compilers agree on.
    *(
        each
        for name in FACTORS[:3]
        for each in (
            case(f"_image_random_{name}", pixels(3, 4, 3), min_factor=1.3, max_factor=1.3),
            case(f"_image_random_{name}", pixels(2, 2, 3, dtype="int32"), min_factor=0.0, max_factor=0.0),
            case(f"_image_random_{name}", pixels(3, 2, 1), min_factor=0.4, max_factor=0.4),
        )
    ),
    case("_image_random_color_jitter", pixels(3, 2), brightness=0.1, contrast=0.1, saturation=0.1, hue=0.1, error=True),
    case("_image_random_flip_left_right", pixels(3, 2), error=True),
    case("_image_random_flip_top_bottom", pixels(3, 2, 2), error=True),
]
