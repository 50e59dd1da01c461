"""Cases of quantizing. MXNet's CPU build does this with oneDNN; quantize_asym takes arrays of 3 axes only there."""

import numpy as np

from ..case import Input, array, case, integers, normal, uniform

_HALVES = array([[-1.2, -1.0, -0.5, -0.25, 0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.2]])
_BIG = array([[1000, -100000, 7, 2_000_000_000], [-5, 0, 1_500_000_000, -2_100_000_000]], "int32")


def _histogram(bins: int, empty: bool = False, spread: float = 1.0) -> Input:
    """Counts as normal numbers have them, with gaps if `empty`."""

    def draw(state: np.random.RandomState) -> np.ndarray:
        counts, _ = np.histogram(state.normal(0, spread, 20000), bins, (-6, 6))
        return (counts * (state.uniform(0, 1, bins) > 0.3) if empty else counts).astype("float32")

    return Input(draw)


def _edges(bins: int) -> Input:
    return array(np.linspace(-6, 6, bins + 1))


CASES = [
    case("_contrib_quantize", uniform(3, 4), array([-1]), array([1]), grad=False),
    case("_contrib_quantize", uniform(2, 3, 2, 2), array([-0.5]), array([0.8]), out_type="int8", grad=False),
    case("_contrib_quantize", _HALVES, array([0]), array([1]), out_type="uint8", grad=False),
    case("_contrib_quantize", _HALVES, array([-1]), array([1]), out_type="int8", grad=False),
    case("_contrib_quantize", uniform(3, dtype="float64"), array([-1]), array([1]), error=True),
    case("_contrib_quantize", uniform(3), array([-1, 2]), array([1]), error=True),
    case("_contrib_quantize_v2", normal(3, 4), grad=False),
    case("_contrib_quantize_v2", uniform(2, 3, 2, 2, low=0), out_type="uint8", grad=False),
    case("_contrib_quantize_v2", normal(5), min_calib_range=-0.5, max_calib_range=0.7, grad=False),
    case("_contrib_quantize_v2", normal(6), out_type="auto", min_calib_range=0.0, max_calib_range=0.7, grad=False),
    case("_contrib_quantize_v2", normal(6), out_type="auto", min_calib_range=-0.1, max_calib_range=0.7, grad=False),
    case("_contrib_quantize_v2", integers(4, low=-100, high=100, dtype="int8")),
    case("_contrib_quantize_v2", integers(4, high=200, dtype="uint8"), out_type="uint8"),
    case("_contrib_quantize_v2", integers(4, dtype="int8"), min_calib_range=-3.0, max_calib_range=2.0),
    case("_contrib_quantize_v2", uniform(3, dtype="float64"), error=True),
    case("_contrib_quantize_asym", normal(3, 2, 4), grad=False),
    case("_contrib_quantize_asym", normal(1, 5, 2), min_calib_range=-0.5, max_calib_range=1.5, grad=False),
    case("_contrib_quantize_asym", integers(1, 2, 2, dtype="int32"), error=True),
    case("_contrib_dequantize", integers(3, 4, low=-128, high=128, dtype="int8"), array([-0.7]), array([0.3])),
    case("_contrib_dequantize", integers(2, 2, 3, 2, high=256, dtype="uint8"), array([0]), array([3])),
    case("_contrib_dequantize", integers(3, dtype="float32"), array([0]), array([3]), error=True),
    case("_contrib_requantize", _BIG, array([-3]), array([2])),
    case("_contrib_requantize", _BIG, array([-3]), array([2]), min_calib_range=-0.4, max_calib_range=0.2),
    case(
        "_contrib_requantize",
        _BIG,
        array([-3]),
        array([2]),
        out_type="auto",
        min_calib_range=0.0,
        max_calib_range=2.5,
    ),
    case("_contrib_requantize", integers(3), array([-3]), array([2]), out_type="uint8"),
    case("_contrib_requantize", integers(3, dtype="int8"), array([-3]), array([2]), error=True),
    case("_contrib_calibrate_entropy", _histogram(401), _edges(401), num_quantized_bins=31, grad=False),
    case("_contrib_calibrate_entropy", _histogram(301, True), _edges(301), num_quantized_bins=25, grad=False),
    case("_contrib_calibrate_entropy", _histogram(801, spread=2.5), _edges(801), grad=False),
    case("_contrib_calibrate_entropy", _histogram(301), _edges(300), num_quantized_bins=25, error=True),
]
