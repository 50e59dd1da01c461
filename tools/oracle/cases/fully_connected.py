"""Cases of the fully connected layer."""

from ..case import case, integers, uniform

CASES = [
    case("FullyConnected", uniform(4, 5), uniform(3, 5), uniform(3), num_hidden=3),
    case("FullyConnected", uniform(2, 3, 2), uniform(4, 6), uniform(4), num_hidden=4),
    case("FullyConnected", uniform(2, 3, 2), uniform(4, 2), uniform(4), num_hidden=4, flatten=False),
    case("FullyConnected", uniform(2, 3, 2, 2), uniform(4, 2), num_hidden=4, flatten=False, no_bias=True),
    case("FullyConnected", uniform(3), uniform(4, 1), uniform(4), num_hidden=4),
    case("FullyConnected", uniform(3), uniform(4, 3), uniform(4), num_hidden=4, flatten=False),
    case("FullyConnected", uniform(4, 5, dtype="float64"), uniform(3, 5, dtype="float64"), num_hidden=3, no_bias=True),
    case("FullyConnected", uniform(4, 5), weight=uniform(3, 5), bias=uniform(3), num_hidden=3),
    case("FullyConnected", uniform(4, 5), uniform(3, 6), uniform(3), num_hidden=3, error=True),
    case("FullyConnected", uniform(4, 5), uniform(3, 5), uniform(2), num_hidden=3, error=True),
    case("FullyConnected", uniform(4, 5), uniform(3, 5), num_hidden=3, error=True),
    case("FullyConnected", uniform(4, 5), uniform(3, 5), uniform(3), num_hidden=3, no_bias=True, error=True),
    case("FullyConnected", uniform(4, 5), uniform(3, 5), uniform(3), num_hidden=0, error=True),
    case("FullyConnected", integers(4, 5), integers(3, 5), integers(3), num_hidden=3, error=True),
    case("FullyConnected", uniform(4, 5), uniform(3, 5, dtype="float64"), uniform(3), num_hidden=3, error=True),
]
