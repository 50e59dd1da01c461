"""Cases of the pooling of regions. The data have no ties, and samples keep away from where a gradient jumps."""

from ..case import array, case, distinct, uniform

# Number of the image, corners: inside, partly outside, upside down, at the end.
_REGIONS = [
    [0, 0, 0, 7, 5],
    [1, 3.3, 2.7, 12.2, 9.9],
    [1, -4.5, -3.2, 3.1, 20.4],
    [0, 8, 8, 2, 3],
    [0, 10.7, 9.1, 13.6, 13.4],
]
_TURNED = [
    [0, 6, 5, 8, 4, 30],
    [1, 3.3, 2.7, 12.2, 9.9, -75],
    [0, 11, 1, 6.5, 7.5, 180],
    [1, 4.2, 9.3, 0.4, 0.3, 45],
]


def _regions(dtype: str = "float32") -> object:
    return array(_REGIONS, dtype)


CASES = [
    case("ROIPooling", distinct(2, 3, 7, 8), _regions(), pooled_size=(2, 3), spatial_scale=0.5),
    case(
        "ROIPooling", distinct(2, 2, 6, 6, dtype="float64"), _regions("float64"), pooled_size=(4, 4), spatial_scale=1.0
    ),
    case(
        "ROIPooling",
        distinct(2, 2, 4, 4, dtype="float16"),
        array([[0, 0, 0, 3, 3], [-1, 0, 0, 2, 2], [1, 1, 0, 3, 2], [2, 1, 0, 3, 2]], "float16"),
        pooled_size=(2, 2),
        spatial_scale=1.0,
    ),
    case("ROIPooling", distinct(2, 1, 5, 5), _regions(), pooled_size=(7, 7), spatial_scale=0.25),
    case("ROIPooling", distinct(1, 1, 4, 4), array([[0, 0, 0, 3]]), pooled_size=(2, 2), spatial_scale=1.0, error=True),
    case("ROIPooling", distinct(2, 1, 4, 4), _regions(), pooled_size=(2, 2), spatial_scale=2.0, error=True),
    case("ROIPooling", distinct(2, 1, 4, 4), _regions(), pooled_size=(2,), spatial_scale=1.0, error=True),
    case("_contrib_ROIAlign", uniform(2, 3, 7, 8), _regions(), pooled_size=(2, 3), spatial_scale=0.5, sample_ratio=2),
    case("_contrib_ROIAlign", uniform(2, 3, 7, 8), _regions(), pooled_size=(3, 2), spatial_scale=0.8),
    case(
        "_contrib_ROIAlign",
        uniform(2, 12, 6, 5, dtype="float64"),
        _regions("float64"),
        pooled_size=(2, 3),
        spatial_scale=0.6,
        position_sensitive=True,
    ),
    case(
        "_contrib_ROIAlign",
        uniform(2, 4, 6, 5),
        array([_REGIONS[i] for i in (0, 1, 2, 4)]),
        pooled_size=(2, 2),
        spatial_scale=0.7,
        aligned=True,
        position_sensitive=True,
        sample_ratio=3,
    ),
    case(
        "_contrib_ROIAlign",
        uniform(1, 2, 5, 5, dtype="float16"),
        array([[0, 1, 1, 4, 3], [0, 0.5, 0, 2, 3.5]], "float16"),
        pooled_size=(2, 2),
        spatial_scale=1.0,
        sample_ratio=2,
        tolerance=(1e-2, 5e-3),
    ),
    case("_contrib_ROIAlign", uniform(2, 3, 4, 4), _regions(), pooled_size=(2, 0), spatial_scale=0.5, error=True),
    case(
        "_contrib_ROIAlign",
        uniform(2, 3, 4, 4),
        _regions(),
        pooled_size=(2, 2),
        spatial_scale=0.5,
        position_sensitive=True,
        error=True,
    ),
    case("_contrib_ROIAlign", uniform(3, 4, 4), _regions(), pooled_size=(2, 2), spatial_scale=0.5, error=True),
    # MXNet has no gradient of this one.
    case(
        "_contrib_RROIAlign",
        uniform(2, 3, 7, 8),
        array(_TURNED),
        pooled_size=(2, 3),
        spatial_scale=0.5,
        sampling_ratio=2,
        grad=False,
    ),
    case(
        "_contrib_RROIAlign", uniform(2, 3, 11, 12), array(_TURNED), pooled_size=(3, 2), spatial_scale=0.9, grad=False
    ),
    case(
        "_contrib_RROIAlign",
        uniform(2, 1, 7, 8, dtype="float64"),
        array(_TURNED, "float64"),
        pooled_size=(1, 1),
        spatial_scale=0.7,
        grad=False,
    ),
    case("_contrib_RROIAlign", uniform(2, 3, 7, 8), _regions(), pooled_size=(2, 3), spatial_scale=0.5, error=True),
    case(
        "_contrib_PSROIPooling",
        uniform(2, 18, 7, 8),
        _regions(),
        spatial_scale=0.5,
        output_dim=2,
        pooled_size=3,
    ),
    case(
        "_contrib_PSROIPooling",
        uniform(2, 13, 6, 5, dtype="float64"),
        _regions("float64"),
        spatial_scale=0.45,
        output_dim=3,
        pooled_size=3,
        group_size=2,
    ),
    case(
        "_contrib_PSROIPooling",
        uniform(2, 8, 5),
        _regions(),
        spatial_scale=0.5,
        output_dim=2,
        pooled_size=2,
        error=True,
    ),
    case(
        "_contrib_DeformablePSROIPooling",
        uniform(2, 18, 7, 8),
        _regions(),
        uniform(5, 2, 3, 3),
        spatial_scale=0.45,
        output_dim=2,
        pooled_size=3,
        group_size=3,
        sample_per_part=2,
        trans_std=0.1,
        tolerance=(1e-5, 1e-5),
    ),
    case(
        "_contrib_DeformablePSROIPooling",
        uniform(2, 16, 6, 7, dtype="float64"),
        _regions("float64"),
        uniform(5, 4, 3, 3, dtype="float64"),
        spatial_scale=0.37,
        output_dim=4,
        pooled_size=5,
        group_size=2,
        part_size=3,
        sample_per_part=3,
        trans_std=0.3,
    ),
    case(
        "_contrib_DeformablePSROIPooling",
        uniform(2, 9, 6, 7),
        _regions(),
        spatial_scale=0.4,
        output_dim=1,
        pooled_size=3,
        group_size=3,
        sample_per_part=4,
        no_trans=True,
    ),
    case(
        "_contrib_DeformablePSROIPooling",
        uniform(2, 9, 6, 7),
        _regions(),
        spatial_scale=0.4,
        output_dim=1,
        pooled_size=3,
        group_size=3,
        error=True,
    ),
    case(
        "_contrib_DeformablePSROIPooling",
        uniform(2, 9, 6, 7),
        _regions(),
        uniform(5, 2, 3),
        spatial_scale=0.4,
        output_dim=1,
        pooled_size=3,
        group_size=3,
        error=True,
    ),
]
