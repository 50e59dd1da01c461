"""Which operators have a form for 8 bits, and what the graph pass must know about each."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from regluon.graph.node import Entry, Node


def _always(params: Mapping[str, Any]) -> bool:
    return True


class Quantizable(NamedTuple):
    """How an operator is quantized.

    Attributes:
        name: of the operator that takes 8 bits.
        is_wanted: whether it is quantized for its own sake; others only between such, in 'smart' mode.
        sums: whether its results are 32 bits wide, so that they are quantized once more.
        fits: from the parameters, whether there is a form for 8 bits.
        stays_real: from the position of an input, whether it is not quantized.
        is_asymmetric: whether its data are quantized to exactly cover their range, and its results are real numbers.
    """

    name: str
    is_wanted: bool = False
    sums: bool = False
    fits: Callable[[Mapping[str, Any]], bool] = _always
    stays_real: Callable[[int], bool] = lambda position: False
    is_asymmetric: bool = False


QUANTIZABLE = {
    "Activation": Quantizable("_contrib_quantized_act", fits=lambda params: params["act_type"] == "relu"),
    "BatchNorm": Quantizable("_contrib_quantized_batch_norm", stays_real=lambda position: position != 0),
    "Concat": Quantizable("_contrib_quantized_concat", fits=lambda params: params["dim"] > 0),
    "Convolution": Quantizable("_contrib_quantized_conv", is_wanted=True, sums=True),
    "Embedding": Quantizable(
        "_contrib_quantized_embedding",
        fits=lambda params: str(params["dtype"]).endswith("float32"),
        stays_real=lambda position: position == 0,
    ),
    "Flatten": Quantizable("_contrib_quantized_flatten"),
    "FullyConnected": Quantizable("_contrib_quantized_fully_connected", is_wanted=True, sums=True),
    "Pooling": Quantizable("_contrib_quantized_pooling", fits=lambda params: params["pool_type"] in ("max", "avg")),
    "RNN": Quantizable(
        "_contrib_quantized_rnn",
        is_wanted=True,
        fits=lambda params: params["mode"] == "lstm",
        stays_real=lambda position: position != 0,
        is_asymmetric=True,
    ),
    "elemwise_add": Quantizable("_contrib_quantized_elemwise_add", sums=True),
    "elemwise_mul": Quantizable("_contrib_quantized_elemwise_mul", sums=True),
}

# Operators that learn a range from calibration: of their first input, or of their first output.
BY_INPUT = ("_contrib_quantize_v2", "_contrib_quantize_asym", "_contrib_requantize")
BY_OUTPUT = ("_contrib_quantized_batch_norm",)


# Operators whose outputs MXNet has names for; the graph pass numbers those of others.
_NAMED_TEXT = """
    Activation BatchNorm BatchNorm_v1 BilinearSampler Concat Convolution Convolution_v1 Correlation Crop Deconvolution
    Dropout FullyConnected GridGenerator GroupNorm IdentityAttachKLSparseReg InstanceNorm L2Normalization LRN LayerNorm
    LeakyReLU MakeLoss Pad Pooling Pooling_v1 RNN ROIPooling SVMOutput SequenceLast SequenceMask SequenceReverse
    SliceChannel SoftmaxActivation SoftmaxOutput SpatialTransformer SwapAxis UpSampling _contrib_BatchNormWithReLU
    _contrib_DeformableConvolution _contrib_DeformablePSROIPooling _contrib_ModulatedDeformableConvolution
    _contrib_MultiBoxDetection _contrib_MultiBoxPrior _contrib_MultiBoxTarget _contrib_MultiProposal
    _contrib_PSROIPooling _contrib_Proposal _contrib_ROIAlign _contrib_RROIAlign _contrib_SyncBatchNorm
    _contrib_calibrate_entropy _contrib_count_sketch _contrib_fft _contrib_hawkesll _contrib_ifft
    _contrib_index_array _contrib_interleaved_matmul_encdec_qk _contrib_interleaved_matmul_encdec_valatt
    _contrib_interleaved_matmul_selfatt_qk _contrib_interleaved_matmul_selfatt_valatt _npi_concatenate _npi_matmul
    _npi_std _npi_var _rnn_param_concat col2im elemwise_add im2col make_loss softmax softmin
    """
_NAMED = frozenset(_NAMED_TEXT.split())


def output_suffix(entry: Entry) -> str:
    """What stands between the names of a node and of the one that quantizes its result."""
    node = entry.node
    if node.is_variable:
        return ""
    if node.op_name in _NAMED:
        return node.output_name(entry.index)[len(node.name) :]
    return f"_{entry.index}"


def quantizable(node: Node) -> Quantizable | None:
    """How a node is quantized; None if it cannot be."""
    found = QUANTIZABLE.get(node.op_name)
    if found is None or node.operator is None:
        return None
    return found if found.fits(node.operator.full_params(node.params)) else None


def as_text(threshold: Any) -> str:
    """A threshold as saved graphs have it: single precision, six digits behind the point."""
    return f"{float(np.float32(np.asarray(threshold).item())):f}"
