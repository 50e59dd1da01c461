"""Operators of mx.npx. Made by tools/stubs.py from the operator registry; do not edit."""

from .._internal import _npx_activation as activation
from .._internal import _npx_arange_like as arange_like
from .._internal import _npx_batch_dot as batch_dot
from .._internal import _npx_batch_flatten as batch_flatten
from .._internal import _npx_batch_norm as batch_norm
from .._internal import _npx_cast as cast
from .._internal import _npx_convolution as convolution
from .._internal import _npx_deconvolution as deconvolution
from .._internal import _npx_dropout as dropout
from .._internal import _npx_embedding as embedding
from .._internal import _npx_erf as erf
from .._internal import _npx_erfinv as erfinv
from .._internal import _npx_fully_connected as fully_connected
from .._internal import _npx_gamma as gamma
from .._internal import _npx_gammaln as gammaln
from .._internal import _npx_gather_nd as gather_nd
from .._internal import _npx_layer_norm as layer_norm
from .._internal import _npx_leaky_relu as leaky_relu
from .._internal import _npx_log_softmax as log_softmax
from .._internal import _npx_multibox_detection as multibox_detection
from .._internal import _npx_multibox_prior as multibox_prior
from .._internal import _npx_multibox_target as multibox_target
from .._internal import _npx_one_hot as one_hot
from .._internal import _npx_pick as pick
from .._internal import _npx_pooling as pooling
from .._internal import _npx_relu as relu
from .._internal import _npx_reshape_like as reshape_like
from .._internal import _npx_rnn as rnn
from .._internal import _npx_roi_pooling as roi_pooling
from .._internal import _npx_sequence_mask as sequence_mask
from .._internal import _npx_shape_array as shape_array
from .._internal import _npx_sigmoid as sigmoid
from .._internal import _npx_slice as slice
from .._internal import _npx_smooth_l1 as smooth_l1
from .._internal import _npx_softmax as softmax
from .._internal import _npx_topk as topk

__all__ = ['activation', 'arange_like', 'batch_dot', 'batch_flatten', 'batch_norm', 'cast', 'convolution', 'deconvolution', 'dropout', 'embedding', 'erf', 'erfinv', 'fully_connected', 'gamma', 'gammaln', 'gather_nd', 'layer_norm', 'leaky_relu', 'log_softmax', 'multibox_detection', 'multibox_prior', 'multibox_target', 'one_hot', 'pick', 'pooling', 'relu', 'reshape_like', 'rnn', 'roi_pooling', 'sequence_mask', 'shape_array', 'sigmoid', 'slice', 'smooth_l1', 'softmax', 'topk']
