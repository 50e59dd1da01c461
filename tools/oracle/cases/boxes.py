"""Cases of the operators on boxes. Scores differ, so that how a sort treats ties does not matter."""

import numpy as np

from ..case import Input, array, case, distinct, integers, ones, uniform, zeros


def _boxes(*shape: int, size: float = 0.6, classes: int = 0, lowest: float = 0.0, dtype: str = "float32") -> Input:
    """Boxes of an id (if there are classes), a score, and corners."""

    def draw(state: np.random.RandomState) -> np.ndarray:
        centers, halves = state.uniform(lowest, 1, (*shape, 2)), state.uniform(0.1, size, (*shape, 2)) / 2
        scores = state.permutation(int(np.prod(shape))).reshape(*shape, 1) / np.prod(shape)
        ids = [state.randint(-1, classes, (*shape, 1))] if classes else []
        return np.concatenate([*ids, scores, centers - halves, centers + halves], -1).astype(dtype)

    return Input(draw)


def _anchors(*shape: int, dtype: str = "float32") -> Input:
    """Corners."""
    return Input(lambda state: _boxes(*shape, dtype=dtype).draw(state)[..., 1:])


CASES = [
    case("_contrib_box_nms", _boxes(2, 12, classes=3), overlap_thresh=0.3, id_index=0),
    case("_contrib_box_nms", _boxes(2, 12, classes=3), overlap_thresh=0.3, id_index=0, force_suppress=True, topk=7),
    case(
        "_contrib_box_nms",
        _boxes(2, 3, 8, lowest=-0.3, dtype="float64"),
        overlap_thresh=0.1,
        score_index=0,
        coord_start=1,
        valid_thresh=0.25,
        out_format="center",
    ),
    case(
        "_contrib_box_nms",
        uniform(2, 10, 8, low=0, high=1),
        overlap_thresh=0.2,
        score_index=6,
        coord_start=1,
        in_format="center",
    ),
    case(
        "_contrib_box_nms",
        _boxes(12, classes=2),
        overlap_thresh=0.3,
        id_index=0,
        background_id=0,
        in_format="center",
        out_format="center",
    ),
    case("_contrib_box_nms", _boxes(1, 10, classes=2, dtype="float16"), overlap_thresh=0.4, id_index=0),
    case("_contrib_box_nms", _boxes(1, 6, classes=2), topk=0, out_format="center"),
    case("_contrib_box_nms", _boxes(2, 6, classes=2), valid_thresh=2),
    case("_contrib_box_nms", _boxes(1, 300, classes=2, size=0.3), overlap_thresh=0.4, id_index=0),
    case("_contrib_box_nms", _boxes(1, 300, classes=2, size=0.2), overlap_thresh=0.2),
    case("_contrib_box_nms", _boxes(1, 3, classes=2), coord_start=3, error=True),
    case("_contrib_box_nms", _boxes(1, 3, classes=2), score_index=3, error=True),
    case("_contrib_box_nms", _boxes(1, 3, classes=2), id_index=1, error=True),
    case("_contrib_box_nms", integers(1, 3, 6), error=True),
    case("_contrib_box_iou", _anchors(3), _anchors(4)),
    case("_contrib_box_iou", _anchors(2, 3, dtype="float64"), _anchors(2, 1, dtype="float64")),
    case("_contrib_box_iou", uniform(2, 4), uniform(5, 4), format="center"),
    case("_contrib_box_iou", zeros(1, 4), ones(2, 4)),
    case("_contrib_box_iou", uniform(2, 3), uniform(5, 4), error=True),
    case("_contrib_box_iou", uniform(4), uniform(5, 4), error=True),
    case("_contrib_bipartite_matching", distinct(5, 3), threshold=-0.5),
    case("_contrib_bipartite_matching", distinct(2, 3, 7), threshold=0.5, is_ascend=True),
    case("_contrib_bipartite_matching", distinct(2, 2, 6, 6, dtype="float64"), threshold=-2, topk=3),
    case("_contrib_bipartite_matching", integers(2, 6, 5, high=3, dtype="float32"), threshold=0.5),
    case("_contrib_bipartite_matching", integers(2, 5, 6, high=3, dtype="float16"), threshold=1.5, is_ascend=True),
    case("_contrib_bipartite_matching", integers(1, 5, 6, low=-1, high=2, dtype="float64"), threshold=-1),
    case("_contrib_bipartite_matching", uniform(5), threshold=0.5, error=True),
    case(
        "_contrib_box_encode",
        integers(2, 5, low=-1, high=2, dtype="float32"),
        integers(2, 5, high=3, dtype="float32"),
        _anchors(2, 5),
        _anchors(2, 3),
        uniform(4),
        uniform(4, low=0.1),
    ),
    case(
        "_contrib_box_encode",
        ones(1, 3, dtype="float64"),
        integers(1, 3, high=2, dtype="float64"),
        _anchors(1, 3, dtype="float64"),
        _anchors(1, 2, dtype="float64"),
        zeros(4, dtype="float64"),
        ones(4, dtype="float64"),
    ),
    case("_contrib_box_encode", ones(1, 3), ones(1, 3), _anchors(1, 3), _anchors(1, 2), ones(3), ones(4), error=True),
    case("_contrib_box_decode", uniform(2, 5, 4), _anchors(1, 5)),
    case(
        "_contrib_box_decode", uniform(2, 5, 4), _anchors(1, 5), std0=0.1, std1=0.2, std2=0.3, clip=0.1, format="corner"
    ),
    case(
        "_contrib_box_decode",
        uniform(2, 5, 4, dtype="float64"),
        _anchors(1, 5, dtype="float64"),
        std0=0.1,
        clip=0.1,
        format="corner",
    ),
    case("_contrib_box_decode", array([[1.0, 2.0, 3.0, 4.0]]), _anchors(1, 1), error=True),
    case("_contrib_box_decode", uniform(2, 5, 4), _anchors(2, 5), error=True),
]
