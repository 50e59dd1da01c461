"""Cases of attention. MXNet computes it on a CPU in float32 only."""

from ..case import case, integers, uniform

_SELF, _ENCDEC = "_contrib_interleaved_matmul_selfatt", "_contrib_interleaved_matmul_encdec"

CASES = [
    case(f"{_SELF}_qk", uniform(3, 2, 12), heads=2),
    case(f"{_SELF}_qk", uniform(2, 3, 18), heads=1),
    case(f"{_SELF}_qk", uniform(3, 2), heads=2, error=True),
    case(f"{_SELF}_valatt", uniform(3, 2, 12), uniform(4, 3, 3), heads=2),
    case(f"{_SELF}_valatt", uniform(2, 1, 9), uniform(3, 2, 2), heads=3),
    case(f"{_SELF}_valatt", uniform(3, 2, 12), uniform(4, 3, 4), heads=2, error=True),
    case(f"{_SELF}_valatt", uniform(3, 2, 12), uniform(4, 2, 3), heads=2, error=True),
    case(f"{_ENCDEC}_qk", uniform(3, 2, 4), uniform(5, 2, 8), heads=2),
    case(f"{_ENCDEC}_qk", uniform(1, 2, 6), uniform(2, 2, 12), heads=3),
    case(f"{_ENCDEC}_qk", uniform(3, 2, 4), uniform(5, 2, 6), heads=2, error=True),
    case(f"{_ENCDEC}_qk", uniform(3, 2, 4), uniform(5, 3, 8), heads=2, error=True),
    case(f"{_ENCDEC}_valatt", uniform(5, 2, 8), uniform(4, 3, 5), heads=2),
    case(f"{_ENCDEC}_valatt", uniform(2, 2, 6), uniform(2, 1, 2), heads=1),
    case(f"{_ENCDEC}_valatt", uniform(5, 2, 8), uniform(4, 3, 4), heads=2, error=True),
    case("_contrib_div_sqrt_dim", uniform(3, 2, 5)),
    case("_contrib_div_sqrt_dim", uniform(4, dtype="float64")),
    case("_contrib_div_sqrt_dim", uniform(2, 3, dtype="float16")),
    case("_contrib_div_sqrt_dim", integers(2, 4)),
]
