"""Cases of region proposals. Enough regions are large enough: MXNet does not say in which order the others come."""

from ..case import array, case, distinct, normal, uniform

_PARAMS = {"scales": (2, 4), "ratios": (0.5, 1, 2), "feature_stride": 8, "rpn_min_size": 4}


def _cases(op: str, batch: int) -> list:
    scores, moves = distinct(batch, 12, 4, 5, low=0, high=1), normal(batch, 24, 4, 5, scale=0.3)
    images = array([[32, 40, 1.0], [25, 33, 1.0]][:batch])
    return [
        case(op, scores, moves, images, rpn_post_nms_top_n=12, **_PARAMS),
        case(op, scores, moves, images, rpn_post_nms_top_n=9, output_score=True, threshold=0.3, **_PARAMS),
        case(op, scores, moves, images, rpn_pre_nms_top_n=6, rpn_post_nms_top_n=8, output_score=True, **_PARAMS),
        case(
            op,
            scores,
            normal(batch, 24, 4, 5, scale=4),
            images,
            rpn_post_nms_top_n=10,
            output_score=True,
            iou_loss=True,
            threshold=0.5,
            **_PARAMS,
        ),
        case(op, scores, uniform(batch, 20, 4, 5), images, rpn_post_nms_top_n=8, **_PARAMS, error=True),
        case(op, distinct(batch, 12, 4, 5), moves, images, scales=(2,), rpn_post_nms_top_n=8, error=True),
    ]


CASES = [
    *_cases("_contrib_Proposal", 1),
    case(
        "_contrib_Proposal",
        uniform(1, 12, 4, 5),
        uniform(1, 24, 4, 5),
        array([[60, 40, 1.0]]),
        rpn_post_nms_top_n=8,
        **_PARAMS,
        error=True,
    ),
    case(
        "_contrib_Proposal",
        uniform(2, 12, 4, 5),
        uniform(2, 24, 4, 5),
        array([[32, 40, 1.0]] * 2),
        rpn_post_nms_top_n=8,
        **_PARAMS,
        error=True,
    ),
    *_cases("_contrib_MultiProposal", 2),
]
