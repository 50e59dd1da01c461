"""Cases of images of another size."""

from ..case import case, integers, uniform

_RESIZE, _POOL = "_contrib_BilinearResize2D", "_contrib_AdaptiveAvgPooling2D"

CASES = [
    case(_RESIZE, uniform(2, 3, 4, 5), height=3, width=7),
    # MXNet works out places in float32.
    case(
        _RESIZE,
        uniform(1, 2, 4, 5, dtype="float64"),
        height=6,
        width=2,
        align_corners=False,
        tolerance=(1e-5, 1e-6),
    ),
    case(_RESIZE, uniform(1, 1, 4, 5), height=4, width=5),
    case(_RESIZE, uniform(1, 1, 4, 5), height=1, width=3, align_corners=False),
    case(_RESIZE, uniform(1, 1, 4, 5), height=3, width=1),
    case(_RESIZE, uniform(1, 1, 4, 5), scale_height=1.3, scale_width=0.5),
    case(_RESIZE, uniform(1, 1, 5, 4), mode="odd_scale", scale_height=2, scale_width=0.5),
    *(case(_RESIZE, uniform(1, 1, 4, 5), mode=f"to_{kind}") for kind in ("even_down", "even_up")),
    *(case(_RESIZE, uniform(1, 1, 4, 5), mode=f"to_{kind}") for kind in ("odd_down", "odd_up")),
    case(_RESIZE, uniform(1, 2, 4, 5), uniform(2, 3, 2, 6), mode="like"),
    case(_RESIZE, uniform(1, 2, 4, 5, dtype="float16"), height=2, width=3, grad=False),
    case(_RESIZE, uniform(1, 1, 4, 5), height=0, width=3, error=True),
    case(_RESIZE, uniform(1, 1, 4, 5), scale_height=2.0, error=True),
    case(_RESIZE, uniform(1, 1, 4, 5), mode="odd_scale", error=True),
    case(_RESIZE, uniform(1, 1, 4, 5), mode="like", error=True),
    case(_RESIZE, uniform(1, 1, 4, 5), uniform(1, 1, 4, 5), error=True),
    case(_RESIZE, uniform(4, 5), height=3, width=2, error=True),
    case(_RESIZE, integers(1, 1, 4, 5), height=3, width=2, error=True),
    case(_POOL, uniform(2, 3, 4, 5)),
    case(_POOL, uniform(2, 3, 4, 5), output_size=3),
    case(_POOL, uniform(1, 2, 4, 5, dtype="float64"), output_size=(3, 2)),
    case(_POOL, uniform(1, 1, 3, 2), output_size=(5, 3)),
    case(_POOL, uniform(1, 1, 4, 4, dtype="float16"), output_size=(2, 2)),
    case(_POOL, uniform(3, 4, 5), output_size=(2, 2), error=True),
    case(_POOL, integers(1, 1, 4, 5), output_size=2, error=True),
]
