"""Cases of images as tensors. Widths are even where an image is mirrored: MXNet leaves the middle column unwritten."""

from ..case import case, integers, uniform


def pixels(*shape, dtype="uint8"):
    """Values of 0 to 255."""
    return integers(*shape, low=0, high=256, dtype=dtype)


CASES = [
    case("_image_to_tensor", pixels(3, 4, 3), grad=False),
    case("_image_to_tensor", pixels(2, 3, 2, 3, dtype="float32"), grad=False),
    case("_image_to_tensor", pixels(3, 2, 1, dtype="int32"), grad=False),
    case("_image_to_tensor", pixels(3, 2, 2, dtype="float64"), grad=False, tolerance=(1e-6, 1e-7)),
    case("_image_to_tensor", pixels(3, 2, 3, dtype="float16"), grad=False),
    case("_image_to_tensor", pixels(3, 4), error=True),
    case("_image_normalize", uniform(3, 4, 2), mean=(0.1, 0.2, 0.3), std=(0.5, 0.25, 2.0)),
    case("_image_normalize", uniform(2, 3, 2, 3), mean=(0.1, 0.2, 0.3), std=(0.5, 0.25, 2.0)),
    case("_image_normalize", uniform(2, 1, 3, 3, dtype="float64"), mean=0.5, std=2.0),
    case("_image_normalize", uniform(3, 2, 2, dtype="float16"), mean=(0.5,), std=(2.0, 4.0, 0.5)),
    case("_image_normalize", pixels(3, 3, 3), mean=(1.0, 20.0, 30.0), std=(2.0, 3.0, 4.0)),
    case("_image_normalize", integers(3, 2, 4, low=-50, high=50), mean=(7.0,), std=(3.0,)),
    case("_image_normalize", uniform(3, 2, 2), error=True),
    case("_image_normalize", uniform(2, 2, 2), mean=1.0, std=1.0, error=True),
    case("_image_normalize", uniform(3, 2), mean=1.0, std=1.0, error=True),
    case("_image_crop", uniform(4, 5, 3), x=1, y=2, width=3, height=2),
    case("_image_crop", uniform(2, 4, 5, 3, dtype="float64"), x=0, y=0, width=2, height=3),
    case("_image_crop", pixels(4, 5, 1), x=0, y=0, width=5, height=4),
    case("_image_crop", uniform(4, 5, 3), x=3, y=2, width=3, height=2, error=True),
    case("_image_crop", uniform(4, 5, 3), x=0, y=0, width=0, height=2, error=True),
    case("_image_crop", uniform(4, 5), x=0, y=0, width=1, height=1, error=True),
    case("_image_flip_left_right", pixels(3, 4, 3)),
    case("_image_flip_left_right", uniform(2, 4, 1), grad=False),
    case("_image_flip_left_right", uniform(2, 2, 4, 3), error=True),
    case("_image_flip_left_right", uniform(2, 4, 2), error=True),
    case("_image_flip_top_bottom", pixels(4, 3, 3)),
    case("_image_flip_top_bottom", uniform(2, 4, 1, dtype="float64"), grad=False),
    case("_image_flip_top_bottom", uniform(4, 3), error=True),
    case("_image_resize", pixels(6, 8, 3), size=(4, 3)),
    case("_image_resize", pixels(6, 8, 3), size=5),
    case("_image_resize", pixels(6, 8, 3), size=5, keep_ratio=True),
    case("_image_resize", pixels(8, 6, 1), size=(4,), keep_ratio=True, interp=0),
    case("_image_resize", pixels(2, 4, 6, 3), size=(9, 7), interp=4),
    case("_image_resize", pixels(7, 5, 3, dtype="float32"), size=(3, 4), interp=3, grad=False),
    case("_image_resize", pixels(7, 5, 3, dtype="float32"), size=(9, 8), interp=4, grad=False),
    case("_image_resize", pixels(7, 5, 3, dtype="float64"), size=(3, 4), grad=False, tolerance=(1e-6, 1e-5)),
    case("_image_resize", pixels(5, 4, 3), error=True),
    case("_image_resize", pixels(5, 4, 3), size=(0, 2), error=True),
    case("_image_resize", pixels(5, 4, 3), size=(2, 2), interp=7, error=True),
    case("_image_resize", pixels(5, 4, 3, dtype="float16"), size=(2, 2), grad=False, error=True),
    case("_image_resize", pixels(5, 4), size=(2, 2), error=True),
]
