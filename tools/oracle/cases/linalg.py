"""Linear algebra."""

from ..case import Case, array, case, integers, normal, positive_definite, triangular, uniform

_LOOSE = (1e-4, 1e-5)


def _refusals(op: str, **params: object) -> list[Case]:
    """What every operator on square matrices refuses."""
    return [
        case(op, uniform(2, 3), **params, error=True),
        case(op, uniform(3), **params, error=True),
        case(op, integers(2, 2), **params, error=True),
        case(op, uniform(2, 2, dtype="float16"), **params, error=True),
    ]


def _triangular_products(op: str) -> list[Case]:
    return [
        case(op, triangular(3, 3), normal(3, 4)),
        case(op, triangular(3, 3), normal(4, 3), rightside=True, alpha=2.0),
        case(op, triangular(3, 3), normal(3, 4), transpose=True),
        case(op, triangular(3, 3), normal(4, 3), transpose=True, rightside=True),
        case(op, triangular(3, 3, lower=False), normal(3, 2), lower=False),
        case(op, triangular(2, 3, 3, lower=False), normal(2, 2, 3), lower=False, rightside=True, transpose=True),
        case(op, triangular(2, 3, 3, dtype="float64"), normal(2, 3, 2, dtype="float64"), alpha=-0.5),
        case(op, positive_definite(3, 3), normal(3, 2)),
        case(
            op, positive_definite(3, 3, dtype="float64"), B=normal(3, 2, dtype="float64"), lower=False, transpose=True
        ),
        case(op, uniform(3, 3), uniform(4, 3), error=True),
        case(op, uniform(2, 3), uniform(3, 4), error=True),
        case(op, uniform(2, 3, 3), uniform(3, 4), error=True),
        case(op, uniform(2, 3, 3), uniform(1, 3, 4), error=True),
        case(op, uniform(3, 3), uniform(3), error=True),
        case(op, uniform(3, 3), uniform(3, 4, dtype="float64"), error=True),
        case(op, integers(3, 3), integers(3, 4), error=True),
    ]


_DECOMPOSITIONS = [
    case("_linalg_det", positive_definite(3, 3), tolerance=_LOOSE),
    case("_linalg_det", normal(2, 2, 3, 3, dtype="float64")),
    case("_linalg_det", array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]])),
    *_refusals("_linalg_det"),
    case("_linalg_slogdet", positive_definite(3, 3), tolerance=_LOOSE),
    case("_linalg_slogdet", normal(2, 2, 3, 3, dtype="float64")),
    case("_linalg_slogdet", normal(4, 3, 3, dtype="float64"), head_outputs=(1,)),
    case("_linalg_slogdet", array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 0.0]]])),
    *_refusals("_linalg_slogdet"),
    case("_linalg_inverse", positive_definite(3, 3), tolerance=_LOOSE),
    case("_linalg_inverse", positive_definite(2, 3, 3, dtype="float64")),
    case("_linalg_inverse", array([[[0.0, 2.0], [1.0, 5.0]]], dtype="float64")),
    case("_linalg_inverse", array([[1.0, 2.0], [2.0, 4.0]]), error=True),
    *_refusals("_linalg_inverse"),
    case("_linalg_potrf", positive_definite(3, 3), tolerance=_LOOSE),
    case("_linalg_potrf", positive_definite(2, 2, 3, 3, dtype="float64")),
    case("_linalg_potrf", array([[4.0, 99.0], [2.0, 5.0]], dtype="float64")),
    case("_linalg_potrf", array([[1.0, 2.0], [2.0, 1.0]]), error=True),
    *_refusals("_linalg_potrf"),
    case("_linalg_potri", triangular(3, 3), tolerance=_LOOSE),
    case("_linalg_potri", triangular(2, 2, 3, 3, dtype="float64")),
    case("_linalg_potri", positive_definite(3, 3, dtype="float64")),
    *_refusals("_linalg_potri"),
    case("_linalg_gelqf", normal(2, 3), tolerance=_LOOSE),
    case("_linalg_gelqf", normal(3, 3, dtype="float64")),
    case("_linalg_gelqf", normal(2, 2, 3, 5, dtype="float64")),
    case("_linalg_gelqf", normal(1, 3, dtype="float64")),
    case("_linalg_gelqf", normal(3, 4, dtype="float64"), head_outputs=(0,)),
    case("_linalg_gelqf", normal(3, 4, dtype="float64"), head_outputs=(1,)),
    case("_linalg_gelqf", uniform(3, 2), error=True),
    case("_linalg_gelqf", uniform(3), error=True),
    case("_linalg_gelqf", integers(2, 3), error=True),
    case("_linalg_syevd", positive_definite(3, 3), tolerance=(1e-3, 1e-4)),
    case("_linalg_syevd", positive_definite(2, 2, 4, 4, dtype="float64")),
    case("_linalg_syevd", array([[1.0, -0.5], [-0.5, -2.0]], dtype="float64"), head_outputs=(0,)),
    case("_linalg_syevd", array([[1.0, 99.0], [-0.5, -2.0]], dtype="float64")),
    case("_linalg_syevd", positive_definite(5, 5, dtype="float64"), head_outputs=(1,)),
    *_refusals("_linalg_syevd"),
]

_PRODUCTS = [
    case("_linalg_gemm", normal(2, 3), normal(3, 4), normal(2, 4)),
    case("_linalg_gemm", normal(3, 2), normal(3, 4), normal(2, 4), transpose_a=True, alpha=2.0, beta=-0.5),
    case("_linalg_gemm", normal(2, 2, 3), normal(2, 4, 3), C=normal(2, 2, 4), transpose_b=True, beta=0.0),
    case(
        "_linalg_gemm",
        normal(2, 5, 3, dtype="float64"),
        normal(3, 5, 4, dtype="float64"),
        normal(2, 5, 4, dtype="float64"),
        axis=0,
    ),
    case("_linalg_gemm", normal(2, 3, 2, 4), normal(2, 3, 2, 4), normal(2, 4, 2, 4), axis=1, transpose_a=True),
    case("_linalg_gemm", normal(2, 3), normal(3, 4), normal(2, 5), error=True),
    case("_linalg_gemm", normal(2, 3), normal(4, 3), normal(2, 4), error=True),
    case("_linalg_gemm", normal(5, 2, 3), normal(5, 3, 4), normal(1, 2, 4), error=True),
    case("_linalg_gemm", normal(5, 2, 3), normal(3, 4), normal(2, 4), error=True),
    case("_linalg_gemm", normal(3), normal(3), normal(3), error=True),
    case("_linalg_gemm", normal(2, 2, 2), normal(2, 2, 2), normal(2, 2, 2), axis=-1, error=True),
    case("_linalg_gemm", normal(2, 3), normal(3, 4), normal(2, 4, dtype="float64"), error=True),
    case("_linalg_gemm", integers(2, 3), integers(3, 4), integers(2, 4), error=True),
    case("_linalg_gemm2", normal(2, 3), normal(3, 4)),
    case("_linalg_gemm2", normal(2, 3, 2), normal(2, 3, 4), transpose_a=True, alpha=-2.0),
    case("_linalg_gemm2", normal(2, 3, dtype="float64"), normal(4, 3, dtype="float64"), transpose_b=True),
    case("_linalg_gemm2", normal(2, 5, 3), normal(3, 5, 4), axis=0),
    case("_linalg_gemm2", normal(2, 5, 3), normal(4, 5, 2), axis=-3, transpose_a=True, transpose_b=True),
    case("_linalg_gemm2", normal(2, 3), normal(4, 3), error=True),
    case("_linalg_gemm2", normal(5, 2, 3), normal(1, 3, 4), error=True),
    case("_linalg_gemm2", normal(5, 2, 3), normal(3, 4), error=True),
    case("_linalg_gemm2", normal(2, 3), normal(3, 4), axis=-3, error=True),
    case("_linalg_gemm2", normal(2, 3), normal(3, 4, dtype="float64"), error=True),
    case("_linalg_gemm2", integers(2, 3), integers(3, 4), error=True),
    *_triangular_products("_linalg_trmm"),
    *_triangular_products("_linalg_trsm"),
    case("_linalg_trsm", array([[0.0, 5.0], [1.0, 2.0]]), array([[1.0, 2.0], [3.0, 4.0]]), grad=False),
    case("_linalg_syrk", normal(2, 3)),
    case("_linalg_syrk", normal(2, 3, 2, dtype="float64"), transpose=True, alpha=0.5),
    case("_linalg_syrk", uniform(3), error=True),
    case("_linalg_syrk", integers(2, 3), error=True),
]

_PARTS = [
    case("_linalg_sumlogdiag", positive_definite(3, 3)),
    case("_linalg_sumlogdiag", positive_definite(2, 2, 3, 3, dtype="float64")),
    case("_linalg_sumlogdiag", array([[0.0, 1.0], [2.0, 3.0]]), grad=False),
    *_refusals("_linalg_sumlogdiag"),
    case("_linalg_extractdiag", normal(3, 3)),
    case("_linalg_extractdiag", normal(2, 2, 3, 3, dtype="float64"), offset=1),
    case("_linalg_extractdiag", normal(4, 4), offset=-3),
    case("_linalg_extractdiag", normal(3, 3), offset=3, error=True),
    case("_linalg_extractdiag", normal(3, 3), offset=-3, error=True),
    *_refusals("_linalg_extractdiag"),
    case("_linalg_makediag", normal(3)),
    case("_linalg_makediag", normal(2, 3, dtype="float64"), offset=-1),
    case("_linalg_makediag", normal(2, 2, 2), offset=2),
    case("_linalg_makediag", integers(2, 3), error=True),
    case("_linalg_extracttrian", normal(3, 3)),
    case("_linalg_extracttrian", normal(2, 3, 3, dtype="float64"), lower=False),
    case("_linalg_extracttrian", normal(4, 4), offset=-1, lower=False),
    case("_linalg_extracttrian", normal(4, 4), offset=1),
    case("_linalg_extracttrian", normal(2, 2, 4, 4), offset=2, lower=False),
    case("_linalg_extracttrian", normal(3, 3), offset=3, error=True),
    *_refusals("_linalg_extracttrian"),
    case("_linalg_maketrian", normal(6)),
    case("_linalg_maketrian", normal(2, 3, dtype="float64"), lower=False),
    case("_linalg_maketrian", normal(2, 2, 6), offset=-2),
    case("_linalg_maketrian", normal(6), offset=1),
    case("_linalg_maketrian", normal(1), offset=-1, lower=False),
    case("_linalg_maketrian", normal(4), error=True),
    case("_linalg_maketrian", integers(3), error=True),
]

CASES = _DECOMPOSITIONS + _PRODUCTS + _PARTS
