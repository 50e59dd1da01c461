"""Operators of mx.nd under their names in mx.np and mx.npx: single numbers and empty arrays are legal there."""

from ..case import array, case, distinct, integers, ones, positive_definite, uniform, zeros

_EVERYWHERE = ("_npi_maximum_scalar", "_npi_minimum_scalar", "_npi_hypot_scalar")
_FUNCTIONS = ("_npx_erf", "_npx_gamma", "_npx_gammaln", "_npx_erfinv", "_npx_smooth_l1")

CASES = [
    case("_npi_det", uniform(3, 3)),
    case("_npi_det", uniform(2, 3, 3, dtype="float64")),
    case("_npi_det", zeros(0, 2, 2), grad=False),
    case("_npi_det", uniform(2, 3), error=True),
    case("_npi_slogdet", positive_definite(3, 3), head_outputs=(1,)),
    case("_npi_slogdet", uniform(2, 3, 3, dtype="float64"), head_outputs=(1,)),
    case("_npi_inv", positive_definite(3, 3)),
    case("_npi_inv", zeros(0, 2, 2), grad=False),
    *(
        each
        for op in ("_npi_maximum", "_npi_minimum")
        for each in (
            case(op, uniform(2, 3), uniform(3)),
            case(op, uniform(), uniform(2)),
            case(op, uniform(), uniform()),
            case(op, zeros(0, 3), ones(3)),
            case(op, integers(2, 3), integers(2, 1)),
            case(op, uniform(2), uniform(2, dtype="float64"), error=True),
        )
    ),
    *(
        each
        for op in _EVERYWHERE
        for each in (
            case(op, uniform(2, 3, low=0.5, high=0.9), scalar=0.25),
            case(op, uniform(low=0.5, high=0.9), scalar=2),
            case(op, zeros(0, 3), scalar=1),
            case(op, integers(4), scalar=3),
        )
    ),
    *(
        each
        for op in _FUNCTIONS
        for each in (
            case(op, uniform(2, 3, low=0.1, high=0.9)),
            case(op, uniform(low=0.1, high=0.9)),
            case(op, zeros(0, 3)),
        )
    ),
    case("_npi_clip", uniform(2, 3), a_min=-0.5, a_max=0.5),
    case("_npi_clip", array(2.0), a_min=-0.5, a_max=0.5),
    case("_npi_clip", zeros(0, 2), a_min=0, a_max=1),
    case("_npi_cast", uniform(), dtype="float64"),
    case("_npi_cast", array([0.5, 0.0]), dtype="bool", grad=False),
    case("_npi_cast", zeros(0, 2), dtype="float16"),
    case("_npx_cast", array([1, 0], dtype="bool"), dtype="int32"),
    case("_npi_full", shape=(), value=2.5),
    case("_npi_full", shape=(0, 2), value=2.5, dtype="float64"),
    case("_npi_linspace", start=0, stop=1, num=3),
    case("_npi_linspace", start=0, stop=1, num=0),
    case("_npi_linspace", start=0, stop=1, num=4, endpoint=False, dtype="float64"),
    case("_npi_expand_dims", uniform(), axis=0),
    case("_npi_expand_dims", zeros(0, 2), axis=-1),
    case("_npi_swapaxes", uniform(2, 3, 4), dim1=0, dim2=2),
    case("_npi_swapaxes", zeros(0, 2), dim1=0, dim2=1),
    case("_np_repeat", uniform(2, 3), repeats=2, axis=1),
    case("_np_repeat", uniform(2, 3), repeats=2),
    case("_npi_tile", uniform(2, 3), reps=(2, 1)),
    case("_npi_tile", uniform(), reps=(2, 3)),
    case("_npi_tile", uniform(2), reps=()),
    case("_npi_tile", uniform(2, 3), reps=(0, 1), grad=False),
    case("_npi_slice", uniform(4, 3), begin=(1, None), end=(3, None)),
    case("_npi_slice", uniform(4, 3), begin=(1,), end=(1,), grad=False),
    case("_npi_slice_assign", uniform(4, 3), uniform(2, 3), begin=(1,), end=(3,), grad=False),
    case("_npi_slice_assign_scalar", uniform(4, 3), scalar=2, begin=(1,), end=(3,), grad=False),
    case("_npi_take", uniform(4, 3), integers(2, high=4), axis=0),
    case("_npi_take", uniform(4, 3), array(2, dtype="int32"), axis=0),
    case("_npi_take", uniform(4), array(2, dtype="int64"), axis=0),
    case("_npi_take", uniform(4, 3), zeros(0, dtype="int32"), axis=1, grad=False),
    case("_npi_take", uniform(4, 3), array([-1, 5], dtype="int32"), axis=0, mode="wrap"),
    case("_npx_pick", uniform(4, 3), integers(4, high=3), axis=1),
    case("_npi_gather_nd", uniform(4, 3), integers(2, 2, high=3, dtype="int64")),
    case("_npi_gather_nd", uniform(4, 3), array([1, 2], dtype="int64"), error=True),
    case("_npx_one_hot", integers(2, 2, high=4), depth=4),
    case("_npx_one_hot", array(1, dtype="int32"), depth=3),
    case("_npx_one_hot", zeros(0, dtype="int32"), depth=3, dtype="int32"),
    case("_npi_boolean_mask", uniform(4, 3), array([1, 0, 1, 0], dtype="bool"), axis=0, infer=False),
    case("_npi_boolean_mask", uniform(4), zeros(4, dtype="bool"), axis=0, infer=False, grad=False),
    case("_npi_sort", distinct(2, 5), axis=1),
    case("_npi_sort", distinct(2, 5), axis=None),
    case("_npi_argsort", distinct(2, 5), axis=0, dtype="int64"),
    case("_npi_argsort", distinct(5), dtype="int64"),
    case("_npx_topk", distinct(2, 5), k=2, axis=1),
    case("_npx_topk", distinct(2, 5), k=2, ret_typ="both", dtype="int32", head_outputs=(0,)),
    case("_npx_softmax", uniform(2, 3)),
    case("_npx_softmax", zeros(0, 3)),
    case("_npx_log_softmax", uniform(2, 3), axis=0),
    case("_npi_split", uniform(2, 4), indices=(0, 1), axis=1),
    case("_npi_split", zeros(0, 4), indices=(), axis=1, sections=2),
    case("_npi_split", uniform(4, 2), indices=(0, 2, 2), axis=0),
    case("_npx_activation", uniform(2, 3), act_type="softrelu"),
    case("_npx_activation", uniform(), act_type="tanh"),
    case("_npx_leaky_relu", uniform(2, 3), act_type="gelu"),
    case("_npx_leaky_relu", uniform(2, 3), act_type="elu", slope=0.5),
    case("_npx_layer_norm", uniform(2, 3), uniform(3), uniform(3)),
    case("_npx_fully_connected", uniform(2, 3), uniform(4, 3), uniform(4), num_hidden=4),
    case("_npx_fully_connected", zeros(0, 3), uniform(4, 3), num_hidden=4, no_bias=True, grad=False),
    case("_npx_embedding", integers(2, 2, high=4), uniform(4, 3), input_dim=4, output_dim=3),
    case("_npx_batch_dot", uniform(2, 3, 4), uniform(2, 4, 2)),
    case("_npx_batch_dot", zeros(0, 3, 4), zeros(0, 4, 2), grad=False),
    case("_npx_batch_flatten", uniform(2, 3, 4)),
    case("_npx_batch_flatten", zeros(0, 3, 4)),
    case("_npx_shape_array", uniform(2, 3)),
    case("_npx_shape_array", uniform()),
    case("_npx_reshape_like", uniform(2, 3), uniform(3, 2)),
    case("_npx_arange_like", uniform(2, 3), axis=1),
    case("_npx_arange_like", uniform(2, 3)),
    case("_npx_sequence_mask", uniform(3, 2, 2), array([1, 2]), use_sequence_length=True),
    case("_npi_histogram", uniform(9), bin_cnt=4, range=(-1, 1), grad=False),
    case("_npi_histogram", array([0.1, 0.6, 0.7]), array([0, 0.5, 1]), grad=False),
]
