"""Networks in 8 bits, made from networks in float32.

Example:
    >>> from mxnet.contrib.quantization import quantize_net_v2
    >>> qnet = quantize_net_v2(net, calib_data=loader, calib_mode="entropy")
"""

from ...context import Context as Context
from ...context import cpu as cpu
from ...io import DataBatch as DataBatch
from ...io import DataDesc as DataDesc
from ...io import DataIter as DataIter
from ...module import Module as Module
from ...ndarray import NDArray as NDArray
from ...ndarray import load as nd_load
from ...ndarray import save as nd_save
from ...symbol import Symbol as Symbol
from ...symbol import load as sym_load
from ._calibration import _as_data_iter, _DataIterWrapper
from ._calibration import calib_graph as calib_graph
from ._calibration import quantize_graph as quantize_graph
from ._checks import QuantizationError as QuantizationError
from ._collectors import (
    _collect_layer_histogram,
    _collect_layer_output_min_max,
    _collect_layer_statistics,
    _LayerHistogramCollector,
    _LayerOutputMinMaxCollector,
)
from ._collectors import combine_histogram as combine_histogram
from ._graph import _calibrate_quantized_sym, _quantize_symbol
from ._models import quantize_model as quantize_model
from ._models import quantize_model_mkldnn as quantize_model_mkldnn
from ._nets import quantize_net as quantize_net
from ._nets import quantize_net_v2 as quantize_net_v2
from ._parameters import _load_params, _load_sym, _quantize_params
from ._thresholds import _get_optimal_threshold, _get_optimal_thresholds, _smooth_distribution
