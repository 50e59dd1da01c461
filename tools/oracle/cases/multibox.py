"""Cases of the operators of single-shot detectors."""

import numpy as np

from ..case import Input, array, case, normal, uniform, zeros


def _anchors(count: int) -> Input:
    """Corners (1, count, 4) within the image."""
    return Input(lambda state: _corners(state, 1, count))


def _corners(state: np.random.RandomState, *shape: int) -> np.ndarray:
    centers, halves = state.uniform(0, 1, (*shape, 2)), state.uniform(0.05, 0.3, (*shape, 2))
    return np.clip(np.concatenate([centers - halves, centers + halves], -1), 0, 1).astype("float32")


def _labels(*counts: int, width: int = 5) -> Input:
    """Labels of as many images, the rest of the five rows filled with -1."""

    def draw(state: np.random.RandomState) -> np.ndarray:
        labels = np.full((len(counts), 5, width), -1, "float32")
        for image, count in enumerate(counts):
            labels[image, :count, 0] = state.randint(0, 3, count)
            labels[image, :count, 1:5] = _corners(state, count)
        return labels

    return Input(draw)


def _probabilities(batch: int, classes: int, anchors: int) -> Input:
    def draw(state: np.random.RandomState) -> np.ndarray:
        powers = np.exp(2 * state.normal(size=(batch, classes, anchors)))
        return (powers / powers.sum(1, keepdims=True)).astype("float32")

    return Input(draw)


_MAP = zeros(1, 2, 3, 4)

CASES = [
    case("_contrib_MultiBoxPrior", _MAP),
    case("_contrib_MultiBoxPrior", uniform(2, 3, 5, 2), sizes=(0.3, 0.7), ratios=(2, 1, 0.5), clip=True),
    case("_contrib_MultiBoxPrior", _MAP, sizes=(0.4,), ratios=(1, 3), steps=(0.2, 0.3), offsets=(0.1, 0.9)),
    case("_contrib_MultiBoxPrior", _MAP, sizes=(0.4, 0.2), steps=(0.2, 0)),
    case("_contrib_MultiBoxPrior", _MAP, steps=(0.2, -1), error=True),
    case("_contrib_MultiBoxPrior", _MAP, offsets=(0.2, 1.5), error=True),
    case("_contrib_MultiBoxPrior", zeros(2, 3, 4), error=True),
    case("_contrib_MultiBoxPrior", zeros(1, 2, 3, 4, dtype="float64"), error=True),
    case("_contrib_MultiBoxTarget", _anchors(20), _labels(3, 5), normal(2, 4, 20)),
    case(
        "_contrib_MultiBoxTarget", _anchors(40), _labels(2, 0, 5, 1, width=6), normal(4, 4, 40), overlap_threshold=0.2
    ),
    case(
        "_contrib_MultiBoxTarget",
        _anchors(60),
        _labels(2, 0, 1),
        normal(3, 4, 60),
        overlap_threshold=0.4,
        negative_mining_ratio=2.5,
        negative_mining_thresh=0.3,
        minimum_negative_samples=30,
        ignore_label=-3,
        variances=(1, 2, 3, 4),
    ),
    case("_contrib_MultiBoxTarget", _anchors(15), _labels(5, 4), normal(2, 4, 15), overlap_threshold=0),
    case("_contrib_MultiBoxTarget", _anchors(4), _labels(0), normal(1, 4, 4)),
    # Ties: anchors and labels that are alike.
    case(
        "_contrib_MultiBoxTarget",
        array([[[0, 0, 0.5, 0.5], [0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1], [0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]]),
        array([[[1, 0, 0, 0.5, 0.5], [2, 0, 0, 0.5, 0.5], [0, 0.5, 0.5, 1, 1], [1, 0.5, 0.5, 1, 1]]]),
        normal(1, 4, 5),
    ),
    case("_contrib_MultiBoxTarget", _anchors(4), array([[[-1, 0.1, 0.1, 0.4, 0.4]]]), normal(1, 4, 4), error=True),
    case("_contrib_MultiBoxTarget", _anchors(4), _labels(1), normal(1, 4, 3), error=True),
    case("_contrib_MultiBoxTarget", _anchors(4), _labels(1), normal(1, 4, 4), variances=(1, 1, 1), error=True),
    case(
        "_contrib_MultiBoxTarget",
        _anchors(4),
        _labels(1),
        normal(1, 4, 4),
        negative_mining_ratio=3,
        negative_mining_thresh=0,
        error=True,
    ),
    case(
        "_contrib_MultiBoxTarget",
        array([[[0, 0, 0.5, 0.5], [0, 0, 0.4, 0.5], [0, 0, 0.3, 0.5]]]),
        array([[[1, 0, 0, 0.5, 0.5]]]),
        normal(1, 4, 3),
        overlap_threshold=0.9,
        negative_mining_ratio=2,
        negative_mining_thresh=0.7,
        error=True,
    ),
    case("_contrib_MultiBoxDetection", _probabilities(2, 4, 12), normal(2, 48, scale=0.5), _anchors(12)),
    case(
        "_contrib_MultiBoxDetection",
        _probabilities(3, 3, 30),
        normal(3, 120),
        _anchors(30),
        clip=False,
        threshold=0.4,
        nms_threshold=0.2,
        force_suppress=True,
        variances=(0.2, 0.3, 0.4, 0.1),
    ),
    case(
        "_contrib_MultiBoxDetection", _probabilities(2, 3, 20), normal(2, 80), _anchors(20), nms_topk=6, threshold=0.2
    ),
    case(
        "_contrib_MultiBoxDetection",
        _probabilities(2, 3, 10),
        normal(2, 40),
        _anchors(10),
        threshold=0.5,
        nms_threshold=0,
    ),
    case("_contrib_MultiBoxDetection", _probabilities(1, 1, 3), normal(1, 12), _anchors(3)),
    case("_contrib_MultiBoxDetection", _probabilities(1, 3, 5), normal(1, 16), _anchors(5), error=True),
    case("_contrib_MultiBoxDetection", _probabilities(1, 3, 4), normal(1, 16), _anchors(4), variances=(1,), error=True),
]
