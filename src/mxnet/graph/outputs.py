"""How MXNet numbers and names the outputs of operators: saved graphs and output lists show it."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..ops.registry import Operator

# Operators that have more outputs in MXNet than can be used: masks, saved means, workspaces. Only their number matters.
_HIDDEN = {
    "BatchNorm": 3,
    "BatchNorm_v1": 3,
    "BilinearSampler": 2,
    "CTCLoss": 2,
    "Correlation": 3,
    "Dropout": 2,
    "GridGenerator": 2,
    "GroupNorm": 3,
    "InstanceNorm": 3,
    "L2Normalization": 2,
    "LRN": 2,
    "LayerNorm": 3,
    "ROIPooling": 2,
    "SpatialTransformer": 3,
    "_contrib_BatchNormWithReLU": 4,
    "_contrib_DeformablePSROIPooling": 2,
    "_contrib_MultiProposal": 2,
    "_contrib_Proposal": 2,
    "_contrib_SyncBatchNorm": 3,
    "_contrib_box_nms": 2,
    "_linalg_det": 3,
    "_linalg_slogdet": 4,
    "_npi_average": 2,
    "_npi_exponential": 2,
    "_npi_gumbel": 2,
    "_npi_logistic": 2,
    "_npi_norm": 4,
    "_npi_normal": 2,
    "_npi_normal_n": 2,
    "_npi_pareto": 2,
    "_npi_rayleigh": 2,
    "_npi_std": 2,
    "_npi_var": 2,
    "_npi_weibull": 2,
    "sort": 2,
}

_STATISTICS = ("output", "mean", "var")
_DEVIATION = ("output", "mean", "std")
_RANGE = ("output", "min_output", "max_output")
# Operators whose outputs have names of their own; the others' are `output`, or numbered.
_NAMES = {
    "BatchNorm": _STATISTICS,
    "BatchNorm_v1": _STATISTICS,
    "_contrib_SyncBatchNorm": _STATISTICS,
    "_contrib_BatchNormWithReLU": (*_STATISTICS, "mask"),
    "LayerNorm": _DEVIATION,
    "GroupNorm": _DEVIATION,
    "InstanceNorm": _STATISTICS,
    "LeakyReLU": ("output", "mask"),
    "Dropout": ("output", "mask"),
    "make_loss": ("loss",),
    "RNN": ("output", "state_output", "statecell_output"),
    "L2Normalization": ("output", "norm"),
    "LRN": ("output", "tmp_norm"),
    "Pooling": ("output", "workspace"),
    "ROIPooling": ("output", "maxidx"),
    "BilinearSampler": ("output", "tmp"),
    "GridGenerator": ("output", "grid_dst"),
    "SpatialTransformer": ("output", "grid_dst", "grid_src"),
    "Correlation": ("output", "tmp1", "tmp2"),
    "_contrib_DeformablePSROIPooling": ("output", "top_count"),
    "_contrib_MultiBoxTarget": ("loc_target", "loc_mask", "cls_target"),
    "_contrib_MultiProposal": ("output", "score"),
    "_contrib_Proposal": ("output", "score"),
    "_contrib_calibrate_entropy": ("threshold", "divergence"),
    "_contrib_hawkesll": ("output", "out_state"),
    "_contrib_quantize_asym": ("output", "scale", "shift"),
    "_npi_std": ("std", "mean"),
    "_npi_var": ("var", "mean"),
}

_NUMBERED = {"SliceChannel"}  # outputs are numbered even if there is only one


# Operators of one input that MXNet calls by its name; the one input of the others is `input0`.
_NAMED_INPUT = {
    *("BilinearResize2D", "Dropout", "IdentityAttachKLSparseReg", "L2Normalization", "LRN", "LeakyReLU", "MakeLoss"),
    *("Pad", "Pooling", "SequenceLast", "SequenceMask", "SequenceReverse", "SliceChannel", "SwapAxis"),
    *("_contrib_BilinearResize2D", "_np_cumsum", "_np_diag", "_split_v2", "depth_to_space", "diag", "log_softmax"),
    *("moments", "one_hot", "repeat", "reverse", "softmax", "space_to_depth", "squeeze", "tile"),
}


def input_labels(operator: Operator, names: Sequence[str], count: int) -> list[str]:
    """The names of a node's inputs as monitors report them."""
    if operator.variadic and not names:
        return [f"arg{place}" for place in range(count)]
    if len(operator.inputs) == 1 and operator.name not in _NAMED_INPUT and not operator.name.startswith("_linalg_"):
        return ["input0"]
    return list(names)


def total_outputs(operator: Operator, params: Mapping[str, Any], usable: int) -> int:
    """How many outputs MXNet counts."""
    if operator.name == "Pooling":  # the maximum's places are kept for the gradient
        full = operator.full_params(params)
        channels_last = (full["layout"] or "").endswith("C")
        return 2 if full["pool_type"] == "max" and full["kernel"] and not channels_last else 1
    if operator.name == "topk":  # the places are found with the values
        return 2 if operator.full_params(params)["ret_typ"] in ("value", "both") else 1
    return max(usable, _HIDDEN.get(operator.name, 1))


def output_names(operator: Operator, total: int) -> tuple[str, ...]:
    """The names of that many outputs, without the node's name before them."""
    names = _NAMES.get(operator.name)
    if names is None and operator.name.startswith("_contrib_quantized_"):
        names = _RANGE
    if names is not None:
        return names
    if operator.name in _NUMBERED:
        return tuple(f"output{i}" for i in range(total))
    return ("output",) if total == 1 else tuple(f"output{i}" for i in range(total))
