"""Densities of distributions. MXNet rounds the constants of the normal density to single precision."""

from ..case import array, case, integers, uniform

_ROUGH = (1e-4, 1e-5)
_SINGLE = (1e-6, 1e-7)


def _positive(*shape, dtype="float32"):
    return uniform(*shape, low=0.5, high=3.0, dtype=dtype)


def _probability(*shape, dtype="float32"):
    return uniform(*shape, low=0.2, high=0.8, dtype=dtype)


def _counts(*shape, dtype="float32"):
    return integers(*shape, low=0, high=6, dtype=dtype)


CASES = [
    case("_random_pdf_uniform", uniform(2, 3), uniform(2, low=-2, high=-1), uniform(2, low=1, high=2)),
    case(
        "_random_pdf_uniform", uniform(2, 3), uniform(2, 3, low=-2, high=-1), uniform(2, 3, low=1, high=2), is_log=True
    ),
    case("_random_pdf_uniform", array([[0.5, 7.0]]), array([2.0]), array([1.0])),
    case(
        "_random_pdf_uniform",
        uniform(2, 3, dtype="float64"),
        uniform(2, low=-2, high=-1, dtype="float64"),
        uniform(2, low=1, high=2, dtype="float64"),
    ),
    case("_random_pdf_uniform", uniform(2, 3), uniform(3), uniform(3), error=True),
    case("_random_pdf_normal", uniform(2, 3), uniform(2), _positive(2)),
    case("_random_pdf_normal", uniform(2, 3, 2), uniform(2, 3), _positive(2, 3), is_log=True),
    case(
        "_random_pdf_normal",
        uniform(2, 3, dtype="float64"),
        uniform(2, dtype="float64"),
        _positive(2, dtype="float64"),
        is_log=True,
        tolerance=_SINGLE,
    ),
    case(
        "_random_pdf_normal", uniform(2, 3, dtype="float16"), uniform(2, dtype="float16"), _positive(2, dtype="float16")
    ),
    case("_random_pdf_normal", uniform(2), uniform(2, 3), _positive(2, 3), error=True),
    case("_random_pdf_normal", uniform(2, 3), uniform(2), _positive(2, dtype="float64"), error=True),
    case("_random_pdf_gamma", _positive(2, 3), _positive(2), _positive(2), tolerance=_ROUGH),
    case("_random_pdf_gamma", _positive(3), _positive(3), _positive(3), is_log=True, tolerance=_ROUGH),
    case(
        "_random_pdf_gamma",
        _positive(2, 3, dtype="float64"),
        _positive(2, dtype="float64"),
        _positive(2, dtype="float64"),
        is_log=True,
        tolerance=_ROUGH,
    ),
    case("_random_pdf_gamma", _positive(2, 3), _positive(2), _positive(3), error=True),
    case("_random_pdf_exponential", _positive(2, 3), _positive(2)),
    case("_random_pdf_exponential", _positive(2, 2, 2), _positive(2, 2), is_log=True),
    case("_random_pdf_exponential", _positive(2, 3, dtype="float64"), _positive(2, dtype="float64")),
    case("_random_pdf_exponential", array([[-1.0, 0.0]]), array([2.0])),
    case("_random_pdf_exponential", _positive(2, 3), _positive(1), error=True),
    case("_random_pdf_poisson", _counts(2, 3), _positive(2), tolerance=_ROUGH),
    case("_random_pdf_poisson", _counts(4), _positive(4), is_log=True, tolerance=_ROUGH),
    case("_random_pdf_poisson", _counts(2, 3, dtype="float64"), _positive(2, dtype="float64"), tolerance=_SINGLE),
    case("_random_pdf_poisson", array([[0.0, 1.0]]), array([0.0]), grad=False),
    case("_random_pdf_poisson", _counts(2, 3), _positive(2, 3, 1), error=True),
    case("_random_pdf_negative_binomial", _counts(2, 3), _positive(2), _probability(2), tolerance=_ROUGH),
    case(
        "_random_pdf_negative_binomial",
        _counts(2, 3),
        _positive(2, 3),
        _probability(2, 3),
        is_log=True,
        tolerance=_ROUGH,
    ),
    case(
        "_random_pdf_negative_binomial",
        _counts(2, 3, dtype="float64"),
        _positive(2, dtype="float64"),
        _probability(2, dtype="float64"),
        tolerance=_ROUGH,
    ),
    case("_random_pdf_negative_binomial", _counts(2, 3), _positive(2), _probability(2, 3), error=True),
    case("_random_pdf_generalized_negative_binomial", _counts(2, 3), _positive(2), _positive(2), tolerance=_ROUGH),
    case(
        "_random_pdf_generalized_negative_binomial",
        _counts(2, 3),
        _positive(2, 3),
        _positive(2, 3),
        is_log=True,
        tolerance=_ROUGH,
    ),
    case(
        "_random_pdf_generalized_negative_binomial",
        _counts(2, 3, dtype="float64"),
        _positive(2, dtype="float64"),
        _positive(2, dtype="float64"),
        is_log=True,
        tolerance=_ROUGH,
    ),
    case("_random_pdf_generalized_negative_binomial", _counts(3), _positive(2), _positive(2), error=True),
    case("_random_pdf_dirichlet", _probability(2, 4, 3), _positive(2, 3), tolerance=_ROUGH),
    case("_random_pdf_dirichlet", _probability(2, 3), _positive(2, 3), is_log=True, tolerance=_ROUGH),
    case(
        "_random_pdf_dirichlet", _probability(2, 2, 3, dtype="float64"), _positive(3, dtype="float64"), tolerance=_ROUGH
    ),
    case("_random_pdf_dirichlet", _probability(3), _positive(3), is_log=True, tolerance=_ROUGH),
    case("_random_pdf_dirichlet", _probability(2, 4, 3), _positive(4, 3), error=True),
    case("_random_pdf_dirichlet", integers(2, 3), integers(3), grad=False, error=True),
]
