"""All public operators on symbols. Made by tools/stubs.py from the operator registry; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ..context import Context
from .symbol import Symbol

Shape: TypeAlias = int | Sequence[int]
Floats: TypeAlias = float | Sequence[float]
DTypeLike: TypeAlias = Any

def Activation(
    data: Symbol | None = None,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Applies an activation function to every element.

    Args:
        data: any shape.
        act_type: `relu` max(x, 0), `sigmoid` 1 / (1 + exp(-x)), `softrelu` log(1 + exp(x)), `softsign` x / (1 + |x|),
            or `tanh`.
    """
    ...

def BatchNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    moving_mean: Symbol | None = None,
    moving_var: Symbol | None = None,
    eps: float = 0.0010000000474974513,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Gives every channel the mean `beta` and the deviation `gamma`, judged by the batch or by moving averages.

    Args:
        data: any number of axes, one of them the channels.
        gamma: (channels,); float32 for float16 data, as are all further inputs.
        beta: (channels,).
        moving_mean: (channels,); average over past batches, updated in training.
        moving_var: (channels,); likewise.
        eps: added to the variance.
        momentum: how much of the old average an update keeps.
        fix_gamma: whether gamma counts as 1 and gets no gradient.
        use_global_stats: whether to use the moving averages in training too, and leave them alone.
        output_mean_var: whether to return the mean and 1 / sqrt(variance + eps) of the channels as well.
        axis: where the channels are.
        cudnn_off: has no effect.
        min_calib_range: has no effect; quantized graphs use it.
        max_calib_range: has no effect; quantized graphs use it.
        training: whether the batch counts.
    """
    ...

def BatchNorm_v1(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    moving_mean: Symbol | None = None,
    moving_var: Symbol | None = None,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Batch normalization of axis 1; new code uses `BatchNorm`.

    Args:
        data: (batch, channels, *sizes).
        gamma: (channels,).
        beta: (channels,).
        moving_mean: (channels,); average over past batches, updated in training.
        moving_var: (channels,); likewise.
        eps: added to the variance.
        momentum: how much of the old average an update keeps.
        fix_gamma: whether gamma counts as 1 and gets no gradient.
        use_global_stats: whether to use the moving averages in training too, and leave them alone.
        output_mean_var: whether to return the mean and the variance of the channels as well.
        training: whether the batch counts.
    """
    ...

def BilinearSampler(
    data: Symbol | None = None,
    grid: Symbol | None = None,
    cudnn_off: bool | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Reads images between their elements, by bilinear interpolation; around them everything is zero.

    Args:
        data: (batch, channels, height, width).
        grid: (batch, 2, output height, output width): for each place of the result the column, then the row to read,
            where -1 is the first one and 1 the last one.
        cudnn_off: has no effect.
    """
    ...

def BlockGrad(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The same elements; no gradient flows back through it."""
    ...

def CTCLoss(
    data: Symbol | None = None,
    label: Symbol | None = None,
    data_lengths: Symbol | None = None,
    label_lengths: Symbol | None = None,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal['first', 'last'] = 'first',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The negative log probability of each label sequence, over all its alignments with the data.

    A label that no alignment can produce, being too long for the data, has the loss zero and no gradient.

    Args:
        data: (time, batch, classes), scores before softmax; the blank is one of the classes.
        label: (batch, length), classes. Without label_lengths, a label ends before its first 0, or -1 if the blank
            is the last class.
        data_lengths: number of steps of each sequence.
        label_lengths: length of each label.
        use_data_lengths: whether data_lengths is given; all sequences are full otherwise.
        use_label_lengths: whether label_lengths is given.
        blank_label: which class is the blank.
    """
    ...

def Cast(
    data: Symbol | None = None,
    dtype: DTypeLike = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Converts the elements to another dtype."""
    ...

def Concat(
    *data: Symbol,
    num_args: int = ...,
    dim: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Joins arrays along an axis they have."""
    ...

def Convolution(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    kernel: Shape = ...,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int = ...,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: Literal['fastest', 'limited_workspace', 'off'] | None = None,
    cudnn_off: bool = False,
    layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC'] | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Convolves a batch of sequences, images or volumes with learned filters.

    Args:
        data: (batch, channels, *sizes), or (batch, *sizes, channels) in the layouts that end with C.
        weight: (num_filter, channels / num_group, *kernel); in the layouts that end with C,
            (num_filter, *kernel, channels / num_group).
        bias: (num_filter,); left out with `no_bias`.
        kernel: size of the filters; its length, 1 to 3, is the number of spatial axes.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters, hence of output channels.
        num_group: number of groups of channels that are convolved apart from each other.
        workspace: has no effect.
        no_bias: whether there is no bias.
        cudnn_tune: has no effect.
        cudnn_off: has no effect.
        layout: order of the axes; channels first if not given.
    """
    ...

def Convolution_v1(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    kernel: Shape = ...,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int = ...,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: Literal['fastest', 'limited_workspace', 'off'] | None = None,
    cudnn_off: bool = False,
    layout: Literal['NCDHW', 'NCHW', 'NDHWC', 'NHWC'] | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Convolves a batch of images or volumes with learned filters; new code uses `Convolution`.

    Args:
        data: (batch, channels, *sizes).
        weight: (num_filter, channels / num_group, *kernel).
        bias: (num_filter,); left out with `no_bias`.
        kernel: size of the filters along 2 or 3 spatial axes.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters, hence of output channels.
        num_group: number of groups of channels that are convolved apart from each other.
        workspace: has no effect.
        no_bias: whether there is no bias.
        cudnn_tune: has no effect.
        cudnn_off: has no effect.
        layout: 'NCHW' or 'NCDHW'; the others are refused.
    """
    ...

def Correlation(
    data1: Symbol | None = None,
    data2: Symbol | None = None,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Compares each neighbourhood of one image with those around the same place in another, as for optical flow.

    Args:
        data1: (batch, channels, height, width).
        data2: likewise.
        kernel_size: size of the neighbourhoods, an odd number.
        max_displacement: how far away the places in the second image are at most.
        stride1: step between neighbourhoods in the first image.
        stride2: step between displacements in the second one.
        pad_size: zeros put around both images.
        is_multiply: whether to take the mean product of elements; otherwise it is their mean distance.

    Returns:
        (batch, number of displacements, rows, columns), displacements row by row.
    """
    ...

def Crop(
    *data: Symbol,
    num_args: int = ...,
    offset: Shape = (0, 0),
    h_w: Shape = (0, 0),
    center_crop: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Cuts a window out of images.

    Args:
        data: the images (batch, channel, height, width), and, if given, an array whose height and width to cut to.
        offset: row and column of the upper left corner.
        h_w: height and width of the window, if there is no second array.
        center_crop: cut from the middle instead.
    """
    ...

def Custom(
    *data: Symbol,
    op_type: str = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Runs an operator that was registered with `mxnet.operator.register`.

    Args:
        data: the arrays it takes: arguments, then auxiliary states.
        op_type: the name it was registered under; further parameters go to its property as texts.
        description: what the property tells.
        training: whether it runs in training.
        surroundings: where it runs.
    """
    ...

def Deconvolution(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    kernel: Shape = ...,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    adj: Shape = (),
    target_shape: Shape = (),
    num_filter: int = ...,
    num_group: int = 1,
    workspace: int = 512,
    no_bias: bool = True,
    cudnn_tune: Literal['fastest', 'limited_workspace', 'off'] | None = None,
    cudnn_off: bool = False,
    layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC'] | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Applies the transpose of a convolution, which enlarges the data.

    Args:
        data: (batch, channels, *sizes), or (batch, *sizes, channels) in the layouts that end with C.
        weight: (channels, num_filter / num_group, *kernel); in the layouts that end with C,
            (channels, *kernel, num_filter / num_group).
        bias: (num_filter,); left out with `no_bias`.
        kernel: size of the filters; its length, 1 to 3, is the number of spatial axes.
        stride: step of the filters over the result, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: how much is cut off on both sides of the result, 0 if not given.
        adj: how much of that is kept at the end after all; less than the stride.
        target_shape: spatial size of the result; `pad` and `adj` follow from it.
        num_filter: number of output channels.
        num_group: number of groups of channels that are treated apart from each other.
        workspace: has no effect.
        no_bias: whether there is no bias.
        cudnn_tune: has no effect.
        cudnn_off: has no effect.
        layout: order of the axes; channels first if not given.
    """
    ...

def Dropout(
    data: Symbol | None = None,
    p: float = 0.5,
    mode: Literal['always', 'training'] = 'training',
    axes: Shape = (),
    cudnn_off: bool | None = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Sets elements to zero at random in training, and scales the others up so that the mean stays.

    Args:
        data: any shape.
        p: the probability that an element becomes zero.
        mode: `training`, or `always`: in prediction as well.
        axes: axes along which all elements share one fate.
        cudnn_off: has no effect here.
        training: whether this is training.
        rng: what the fates are drawn from.
    """
    ...

def Embedding(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Replaces every index by a row of the weight.

    Args:
        data: the indices; one out of range takes the first or last row.
        weight: (input_dim, output_dim).
        input_dim: the number of rows.
        output_dim: their length.
        dtype: of a weight that is yet to be made.
        sparse_grad: whether the gradient of the weight may hold only the rows that were used.
    """
    ...

def Flatten(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Joins all axes but the first."""
    ...

def FullyConnected(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    num_hidden: int = ...,
    no_bias: bool = False,
    flatten: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Multiplies by a weight matrix and adds a bias.

    Args:
        data: a batch; all axes but the first are joined, unless `flatten` is False: then the last axis is transformed.
        weight: (num_hidden, width of the data).
        bias: (num_hidden,) or (num_hidden, 1); left out with `no_bias`.
        num_hidden: number of outputs.
        no_bias: whether there is no bias.
        flatten: whether to join all axes but the first.
    """
    ...

def GridGenerator(
    data: Symbol | None = None,
    transform_type: Literal['affine', 'warp'] = ...,
    target_shape: Shape = (0, 0),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Makes the grid that `BilinearSampler` reads at.

    Args:
        data: for 'affine' (batch, 6): two rows of three numbers, by which (column, row, 1) is multiplied. For 'warp'
            (batch, 2, height, width): how many elements to the right and down each place moves.
        transform_type: what the data means.
        target_shape: height and width of the grid for 'affine'.

    Returns:
        (batch, 2, height, width).
    """
    ...

def GroupNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    num_groups: int = 1,
    eps: float = 1e-05,
    output_mean_var: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Normalizes groups of channels of each sample, then multiplies by gamma and adds beta.

    Args:
        data: (batch, channels, *sizes).
        gamma: (num_groups,), one factor for all channels of a group.
        beta: (num_groups,).
        num_groups: number of groups.
        eps: added to the variance.
        output_mean_var: whether to return the mean and the deviation, sqrt(variance + eps), as well; both
            (batch, num_groups).
    """
    ...

def IdentityAttachKLSparseReg(
    data: Symbol | None = None,
    moving_avg: Symbol | None = None,
    sparseness_target: float = 0.1,
    penalty: float = 0.001,
    momentum: float = 0.9,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The identity whose gradient pulls the mean activation of each unit to a target, for sparse autoencoders.

    Args:
        data: activations between 0 and 1, units along axis 1.
        moving_avg: the running mean activation of each unit; a state.
        sparseness_target: the mean activation wanted.
        penalty: weight of the pull.
        momentum: share of the old running mean in the new one.
        training: without it the operator is a plain identity.
    """
    ...

def InstanceNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    eps: float = 0.001,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Normalizes every channel of every sample by itself, then multiplies by gamma and adds beta.

    Args:
        data: (batch, channels, *sizes).
        gamma: (channels,).
        beta: (channels,).
        eps: added to the variance.
    """
    ...

def L2Normalization(
    data: Symbol | None = None,
    eps: float = 1e-10,
    mode: Literal['channel', 'instance', 'spatial'] = 'instance',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Scales to unit length.

    Args:
        data: (batch, ...); (batch, channels, *sizes) unless the mode is 'instance'.
        eps: added to the sum of squares.
        mode: what becomes a vector of length 1: each sample ('instance'), the channels at each place ('channel'), or
            the places of each channel ('spatial').
    """
    ...

def LRN(
    data: Symbol | None = None,
    alpha: float = 0.0001,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: int = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Divides every element by a power of the squares of its neighbours in other channels.

    Args:
        data: (batch, channels, *sizes).
        alpha: weight of the mean of the squares.
        beta: the power.
        knorm: added to the weighted mean.
        nsize: number of channels the mean is taken over; odd.
    """
    ...

def LayerNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Normalizes along one axis, then multiplies by gamma and adds beta.

    Args:
        data: any number of axes.
        gamma: as long as the axis.
        beta: as long as the axis.
        axis: which axis.
        eps: added to the variance.
        output_mean_var: whether to return the mean and the deviation, sqrt(variance + eps), as well.
    """
    ...

def LeakyReLU(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'rrelu', 'selu'] = 'leaky',
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.333999991,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Applies an activation function that does not cut negative elements off.

    Args:
        data: any shape.
        gamma: the slopes that `prelu` learns, one per channel (axis 1) or one for all; only for `prelu`.
        act_type: `leaky` slope * x, `prelu` gamma * x, `rrelu` a random slope * x, `elu` slope * (exp(x) - 1),
            each for negative x; `selu`; or `gelu`, x times the normal distribution function of x.
        slope: of `leaky` and `elu`.
        lower_bound: smallest slope `rrelu` draws in training; in prediction it uses the mean.
        upper_bound: largest slope `rrelu` draws.
        training: whether `rrelu` draws slopes.
        rng: what it draws from.

    Returns:
        The result; for `rrelu` the result and the slopes.
    """
    ...

def LinearRegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The data, with the gradient of half the squared difference to the label, averaged over an example's outputs.

    Args:
        data: predictions.
        label: what they should be.
        grad_scale: factor of the gradient.
    """
    ...

def LogisticRegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The sigmoid, with the gradient of its cross entropy with the label, averaged over an example's outputs.

    Args:
        data: scores.
        label: probabilities.
        grad_scale: factor of the gradient.
    """
    ...

def MAERegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The data, with the gradient of the absolute difference to the label, averaged over an example's outputs.

    Args:
        data: predictions.
        label: what they should be.
        grad_scale: factor of the gradient.
    """
    ...

def MakeLoss(
    data: Symbol | None = None,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal['batch', 'null', 'valid'] = 'null',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The data as a loss: its gradient is `grad_scale` everywhere.

    Args:
        data: a loss.
        grad_scale: the gradient.
        valid_thresh: above it an element counts as valid.
        normalization: what the gradient is divided by: `null` nothing, `batch` the length of the first axis (1 for a
            vector), `valid` the number of valid elements.
    """
    ...

def Pad(
    data: Symbol | None = None,
    mode: Literal['constant', 'edge', 'reflect'] = ...,
    pad_width: Shape = ...,
    constant_value: float = 0.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Adds a border to images (4 axes) or volumes (5 axes).

    Args:
        data: a batch with the channels in the second axis.
        mode: what the border holds: a constant, the nearest element, or the elements mirrored at the edge.
        pad_width: how much to add before and after each axis, in pairs; nothing for batch and channels.
        constant_value: the constant.
    """
    ...

def Pooling(
    data: Symbol | None = None,
    kernel: Shape = (),
    pool_type: Literal['avg', 'lp', 'max', 'sum'] = 'max',
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: Literal['full', 'same', 'valid'] = 'valid',
    stride: Shape = (),
    pad: Shape = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', 'NWC'] | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes the maximum, mean, sum or p-norm over windows of the data.

    Args:
        data: (batch, channels, *sizes) with 1 to 3 spatial axes, or (batch, *sizes, channels) in the layouts that end
            with C.
        kernel: size of the windows.
        pool_type: what is taken. 'lp' is the p-th root of the sum of p-th powers, signs kept.
        global_pool: takes the whole data as one window.
        cudnn_off: has no effect.
        pooling_convention: 'valid' leaves out elements at the end that do not fill a window, 'full' keeps a partial
            window, 'same' starts a window at every step of the data.
        stride: step of the windows, 1 if not given.
        pad: padding on both sides of the data, 0 if not given.
        p_value: the p of 'lp': 1, 2 or 3.
        count_include_pad: whether padding counts in the mean; it does if not given.
        layout: order of the axes; channels first if not given.
    """
    ...

def Pooling_v1(
    data: Symbol | None = None,
    kernel: Shape = (),
    pool_type: Literal['avg', 'max', 'sum'] = 'max',
    global_pool: bool = False,
    pooling_convention: Literal['full', 'valid'] = 'valid',
    stride: Shape = (),
    pad: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes the maximum, mean or sum over windows of images; new code uses `Pooling`.

    Padding is zeros even for the maximum, and the mean of a window that reaches beyond the padded data still divides
    by the size of a whole window.

    Args:
        data: (batch, channels, height, width).
        kernel: size of the windows.
        pool_type: what is taken.
        global_pool: takes the whole data as one window.
        pooling_convention: 'valid' leaves out elements at the end that do not fill a window, 'full' keeps a partial
            window.
        stride: step of the windows, 1 if not given.
        pad: zeros on both sides of the data, none if not given.
    """
    ...

def RNN(
    data: Symbol | None = None,
    parameters: Symbol | None = None,
    state: Symbol | None = None,
    state_cell: Symbol | None = None,
    sequence_length: Symbol | None = None,
    state_size: int = ...,
    num_layers: int = ...,
    bidirectional: bool = False,
    mode: Literal['gru', 'lstm', 'rnn_relu', 'rnn_tanh'] = ...,
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Applies a recurrent network of several layers to a batch of sequences.

    Args:
        data: (time, batch, input size).
        parameters: all weights, then all biases, in one vector; `parameter_layout` says where each one is.
        state: (layers times directions, batch, state size), the hidden states before the first step; the last axis
            has the size of the projection if there is one.
        state_cell: (layers times directions, batch, state size), the cell states before the first step; `lstm` only.
        sequence_length: the length of each sequence. Outputs behind it are zero, the last states are those at its
            end, where the reverse direction begins.
        state_size: size of the hidden and cell states.
        num_layers: number of layers; each reads the output of the one before.
        bidirectional: whether each layer reads in both directions, and joins their outputs.
        mode: the kind of cell.
        p: the probability that an element of a layer's output is dropped before the next layer, in training.
        state_outputs: whether to return the last hidden states, and cell states, too.
        projection_size: size that a linear map brings the hidden state of `lstm` to.
        lstm_state_clip_min: lower limit of the cell state, together with the upper one.
        lstm_state_clip_max: upper limit of the cell state.
        lstm_state_clip_nan: whether a NaN in the cell state becomes the lower limit.
        use_sequence_length: whether sequence_length is given; all sequences are full otherwise.
        training: whether this is training.
        rng: what is dropped is drawn from it.
    """
    ...

def ROIPooling(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    pooled_size: Shape = ...,
    spatial_scale: float = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Divides each region into bins and takes the largest number of each.

    Args:
        data: (batch, channels, height, width).
        rois: (regions, 5) number of the image and corners; regions of images that do not exist give 0.
        pooled_size: height and width of the result.
        spatial_scale: by which the corners are multiplied to be places of the data.

    Returns:
        (regions, channels, *pooled_size).
    """
    ...

def Reshape(
    data: Symbol | None = None,
    shape: Shape = (),
    reverse: bool = False,
    target_shape: Shape = (),
    keep_highest: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Gives the elements another shape; see `NDArray.reshape` for the codes.

    `target_shape` and `keep_highest` are the parameters of graphs saved by very old versions: 0 is worked out there.
    """
    ...

def SVMOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The data, with the gradient of a support vector machine: each class against all others.

    Args:
        data: scores, (batch, classes).
        label: the right class of each example, (batch,).
        margin: how far from 0 a score must be to give no loss.
        regularization_coefficient: factor of the gradient.
        use_linear: whether the loss is what a score lacks, instead of its square.
    """
    ...

def SequenceLast(
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool = False,
    axis: int = 0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes the last element of each sequence.

    Args:
        data: (time, batch, ...), or (batch, time, ...) with axis 1.
        sequence_length: the length of each sequence of the batch, at least 1.
        use_sequence_length: whether lengths are given; the last place of the axis is taken otherwise.
        axis: the axis of time.
    """
    ...

def SequenceMask(
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Overwrites what lies behind the end of each sequence.

    Args:
        data: (time, batch, ...), or (batch, time, ...) with axis 1.
        sequence_length: the length of each sequence of the batch.
        use_sequence_length: whether lengths are given; nothing is overwritten otherwise.
        value: what to write.
        axis: the axis of time.
    """
    ...

def SequenceReverse(
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool = False,
    axis: int = 0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Reverses each sequence; what lies behind its end stays where it is.

    Args:
        data: (time, batch, ...).
        sequence_length: the length of each sequence of the batch.
        use_sequence_length: whether lengths are given; sequences are full otherwise.
        axis: the axis of time, 0 always.
    """
    ...

def SliceChannel(
    data: Symbol | None = None,
    num_outputs: int = ...,
    axis: int = 1,
    squeeze_axis: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Cuts an array into equal parts along an axis.

    Args:
        data: the array.
        num_outputs: the number of parts.
        axis: the axis to cut.
        squeeze_axis: leave the axis out of the parts, which then must have length 1 on it.
    """
    ...

def SoftmaxActivation(
    data: Symbol | None = None,
    mode: Literal['channel', 'instance'] = 'instance',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Softmax along the last axis (`instance`), or for each position along axis 1 (`channel`); prefer `softmax`."""
    ...

def SoftmaxOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Literal['batch', 'null', 'valid'] = 'null',
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Softmax, with the gradient of the cross entropy between it and the label.

    Args:
        data: scores; softmax is taken over all axes but the first, unless the next two say otherwise.
        label: the right class of each example, or its probabilities in the shape of the data.
        grad_scale: factor of the gradient.
        ignore_label: the class of examples without gradient, with `use_ignore`.
        multi_output: whether the classes lie along axis 1 and each position along the later axes is an example.
        use_ignore: whether to ignore examples of the class `ignore_label`.
        preserve_shape: whether the classes lie along the last axis.
        normalization: what the gradient is divided by: `null` nothing (with `multi_output` the number of positions),
            `batch` the number of labels, `valid` the number of labels other than `ignore_label`.
        out_grad: whether to multiply the gradient with the output.
        smooth_alpha: the probability that is taken from the right class and spread over the others.
    """
    ...

def SpatialTransformer(
    data: Symbol | None = None,
    loc: Symbol | None = None,
    target_shape: Shape = (0, 0),
    transform_type: Literal['affine'] = ...,
    sampler_type: Literal['bilinear'] = ...,
    cudnn_off: bool | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Moves, turns and stretches images by affine transformations, one for each.

    Args:
        data: (batch, channels, height, width).
        loc: (batch, 6): two rows of three numbers, by which the place (column, row, 1) in the result is multiplied to
            give the place in the image; both run from -1 to 1.
        target_shape: height and width of the result.
        transform_type: 'affine'.
        sampler_type: 'bilinear'.
        cudnn_off: has no effect.
    """
    ...

def SwapAxis(
    data: Symbol | None = None,
    dim1: int = 0,
    dim2: int = 0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Exchanges two axes."""
    ...

def UpSampling(
    *data: Symbol,
    num_args: int = ...,
    scale: int = ...,
    num_filter: int = 0,
    sample_type: Literal['bilinear', 'nearest'] = ...,
    multi_input_mode: Literal['concat', 'sum'] = 'concat',
    workspace: int = 512,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Enlarges images by a whole factor.

    Args:
        *data: images (batch, channels, height, width). With 'nearest' there may be several of different sizes, all
            enlarged to the size of the first one's result. With 'bilinear' the second input is the weight,
            (channels, 1, size, size) with the size 2 * scale - scale % 2.
        scale: the factor.
        num_filter: number of channels; only 'bilinear' uses it.
        sample_type: 'nearest' repeats elements, 'bilinear' is a deconvolution with the given weight.
        multi_input_mode: whether several results are joined along the channels or added.
        workspace: has no effect.
    """
    ...

def abs(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The absolute value."""
    ...

def adam_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    lr: float = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Adam: weight - lr * mean / (sqrt(var) + epsilon); the caller's `lr` corrects the bias of the averages.

    Args:
        weight: what to update.
        grad: its gradient.
        mean: average of the gradient.
        var: average of its square.
        lr: learning rate.
        beta1: how much of `mean` is kept.
        beta2: how much of `var` is kept.
        epsilon: added to the root of `var`.
        wd: weight decay, added to the gradient before clipping.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
        lazy_update: has no effect on dense gradients.
    """
    ...

def add_n(
    *args: Symbol,
    num_args: int = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The sum of any number of arrays of the same shape."""
    ...

def all_finite(
    data: Symbol | None = None,
    init_output: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """1 if no element is infinite or NaN, else 0. `init_output` changes nothing: the result is always a new one."""
    ...

def amp_cast(
    data: Symbol | None = None,
    dtype: DTypeLike = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Converts floating-point elements to another dtype and leaves others alone, for mixed precision."""
    ...

def amp_multicast(
    *data: Symbol,
    num_outputs: int = ...,
    cast_narrow: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Converts floating-point arrays to the widest dtype among them, or the narrowest; others are left alone.

    Args:
        data: the arrays.
        num_outputs: how many arrays there are.
        cast_narrow: take the narrowest dtype instead of the widest.
    """
    ...

def arccos(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The angle whose cosine this is."""
    ...

def arccosh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The inverse of the hyperbolic cosine."""
    ...

def arcsin(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The angle whose sine this is."""
    ...

def arcsinh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The inverse of the hyperbolic sine."""
    ...

def arctan(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The angle whose tangent this is."""
    ...

def arctanh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The inverse of the hyperbolic tangent."""
    ...

def argmax(
    data: Symbol | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The position of the largest element along an axis, or in the flattened array."""
    ...

def argmax_channel(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The position of the largest element along axis 1."""
    ...

def argmin(
    data: Symbol | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The position of the smallest element along an axis, or in the flattened array."""
    ...

def argsort(
    data: Symbol | None = None,
    axis: int | None = -1,
    is_ascend: bool = True,
    dtype: DTypeLike = 'float32',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The indices that would sort an array along an axis; equal elements keep their order."""
    ...

def batch_dot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Multiplies matrices pairwise: those in the last two axes, for all positions along the axes before.

    Args:
        lhs: the left matrices.
        rhs: the right matrices; the axes before the last two have the same lengths.
        transpose_a: whether to transpose the left matrices.
        transpose_b: whether to transpose the right matrices.
        forward_stype: the storage type of the result, for sparse inputs.
    """
    ...

def batch_take(
    a: Symbol | None = None,
    indices: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes one element from each row; an index out of range takes the nearest."""
    ...

def broadcast_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Adds two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_axis(
    data: Symbol | None = None,
    axis: Shape = (),
    size: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Stretches the given axes, which must have length 1, to the given sizes."""
    ...

def broadcast_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Divides two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Tests equality of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_greater(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Tests `lhs > rhs` for two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_greater_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Tests `lhs >= rhs` for two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_hypot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes the hypotenuse over two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_lesser(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Tests `lhs < rhs` for two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_lesser_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Tests `lhs <= rhs` for two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_like(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_axes: Shape | None = None,
    rhs_axes: Shape | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Stretches axes of `lhs` to the lengths of `rhs`: all of them, or `lhs_axes` to the lengths of `rhs_axes`."""
    ...

def broadcast_logical_and(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Tests whether both are non-zero of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_logical_or(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Tests whether any is non-zero of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_logical_xor(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Tests whether exactly one is non-zero of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_maximum(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes the larger of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_minimum(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes the smaller of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_mod(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes the remainder of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Multiplies two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_not_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Tests inequality of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_power(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Raises to a power two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Subtracts two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def broadcast_to(
    data: Symbol | None = None,
    shape: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Stretches axes of length 1 to the lengths in `shape`, where 0 leaves an axis as it is."""
    ...

def cast_storage(
    data: Symbol | None = None,
    stype: Literal['csr', 'default', 'row_sparse'] = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The array in another storage type: `default` is dense, `csr` for matrices, `row_sparse` for tall arrays."""
    ...

def cbrt(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The cube root."""
    ...

def ceil(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The nearest whole number above."""
    ...

def clip(
    data: Symbol | None = None,
    a_min: float = ...,
    a_max: float = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Limits every element to the interval [a_min, a_max], whose ends have single precision.

    The gradient at its ends is that of the inside.
    """
    ...

def col2im(
    data: Symbol | None = None,
    output_size: Shape = ...,
    kernel: Shape = ...,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Adds columns back into images: the transpose of `im2col`.

    Args:
        data: (batch, channels * elements of a window, number of windows).
        output_size: spatial size of the images.
        kernel: size of the windows.
        stride: distance between windows, 1 if not given.
        dilate: distance between the elements of a window, 1 if not given.
        pad: zeros that `im2col` added on both sides, 0 if not given.
    """
    ...

def cos(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The cosine of an angle in radians."""
    ...

def cosh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The hyperbolic cosine."""
    ...

def degrees(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """An angle converted from radians to degrees."""
    ...

def depth_to_space(
    data: Symbol | None = None,
    block_size: int = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Moves blocks of channels into the plane: (n, c b b, h, w) becomes (n, c, h b, w b) with b the block size."""
    ...

def diag(
    data: Symbol | None = None,
    k: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The k-th diagonal of the matrices in two axes, or, from one axis, a matrix with it as its k-th diagonal."""
    ...

def dot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Sums products over the last axis of `lhs` and the first axis of `rhs`.

    For two vectors this is the inner product, for two matrices the matrix product; the other axes of both arrays follow
    each other in the result.

    Args:
        lhs: the left array.
        rhs: the right array.
        transpose_a: whether to sum over the first axis of `lhs` instead; has no effect on a vector.
        transpose_b: whether to sum over the last axis of `rhs` instead; has no effect on a vector.
        forward_stype: the storage type of the result, for sparse inputs.
    """
    ...

def elemwise_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Adds two arrays of the same shape, element by element."""
    ...

def elemwise_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Divides two arrays of the same shape, element by element."""
    ...

def elemwise_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Multiplies two arrays of the same shape, element by element."""
    ...

def elemwise_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Subtracts two arrays of the same shape, element by element."""
    ...

def erf(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The error function."""
    ...

def erfinv(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The inverse of the error function."""
    ...

def exp(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The exponential."""
    ...

def expand_dims(
    data: Symbol | None = None,
    axis: int = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Puts in a new axis of length 1."""
    ...

def expm1(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """exp(x) - 1, precise for small x."""
    ...

def fill_element_0index(
    lhs: Symbol | None = None,
    mhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """A copy of the matrix `lhs` with one element of each row replaced.

    Args:
        lhs: the matrix.
        mhs: the new element of each row.
        rhs: its column; nothing is replaced where it is out of range.
    """
    ...

def fix(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The nearest whole number towards zero."""
    ...

def floor(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The nearest whole number below."""
    ...

def ftml_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    d: Symbol | None = None,
    v: Symbol | None = None,
    z: Symbol | None = None,
    lr: float = ...,
    beta1: float = 0.6,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    t: int = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_grad: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Follow the moving leader: -z / d.

    Args:
        weight: what to update.
        grad: its gradient.
        d: curvature.
        v: average of the squared gradient.
        z: average of the gradient, minus the growth of `d` times the weight.
        lr: learning rate.
        beta1: how much of `z` and `d` is kept.
        beta2: how much of `v` is kept.
        epsilon: added to the root of `v`.
        t: number of this update, from 1.
        wd: weight decay, added to the gradient before clipping.
        rescale_grad: what to multiply the gradient by.
        clip_grad: limit of the gradient's elements; below 0 means none.
    """
    ...

def ftrl_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    z: Symbol | None = None,
    n: Symbol | None = None,
    lr: float = ...,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Follow the regularized leader: weights that have not earned more than `lamda1` are 0.

    Args:
        weight: what to update.
        grad: its gradient.
        z: sum of the gradients, minus the growth of sqrt(n) / lr times the weight.
        n: sum of the squared gradients.
        lr: learning rate.
        lamda1: strength of the L1 regularization.
        beta: added to the root of `n`.
        wd: strength of the L2 regularization.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
    """
    ...

def gamma(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The gamma function, (x - 1)! for a whole number x."""
    ...

def gammaln(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The logarithm of the gamma function's size."""
    ...

def gather_nd(
    data: Symbol | None = None,
    indices: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes elements, or slices, at the places given by coordinates.

    Args:
        data: the array.
        indices: along its first axis, the coordinates on the first axes of the data.
    """
    ...

def hard_sigmoid(
    data: Symbol | None = None,
    alpha: float = 0.2,
    beta: float = 0.5,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """alpha * x + beta, limited to [0, 1]; the gradient at both limits is 0."""
    ...

def im2col(
    data: Symbol | None = None,
    kernel: Shape = ...,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Lays out every window of a sliding kernel as a column.

    Args:
        data: (batch, channels, height, width), or (batch, channels, width).
        kernel: size of the windows.
        stride: distance between windows, 1 if not given.
        dilate: distance between the elements of a window, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.

    Returns:
        (batch, channels * elements of a window, number of windows).
    """
    ...

def khatri_rao(
    *args: Symbol,
    num_args: int = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The Kronecker product column by column of matrices with equally many columns."""
    ...

def lamb_update_phase1(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    t: int = ...,
    bias_correction: bool = True,
    wd: float = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The direction of a LAMB step: mean / (sqrt(var) + epsilon) + wd * weight.

    Args:
        weight: what to update.
        grad: its gradient.
        mean: average of the gradient.
        var: average of its square.
        beta1: how much of `mean` is kept.
        beta2: how much of `var` is kept.
        epsilon: added to the root of `var`.
        t: number of this update, from 1.
        bias_correction: whether to undo that the averages began at 0.
        wd: weight decay.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
    """
    ...

def lamb_update_phase2(
    weight: Symbol | None = None,
    g: Symbol | None = None,
    r1: Symbol | None = None,
    r2: Symbol | None = None,
    lr: float = ...,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Goes in a LAMB direction, by `lr` times the length of the weight: weight - lr * r1 / r2 * g.

    Args:
        weight: what to update.
        g: the direction, from `lamb_update_phase1`.
        r1: (1,), the weight's norm.
        r2: (1,), the direction's norm. If either is 0, their ratio counts as 1.
        lr: learning rate.
        lower_bound: the least that r1 counts as; below 0 means no bound.
        upper_bound: the most that r1 counts as; below 0 means no bound.
    """
    ...

def log(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The natural logarithm."""
    ...

def log10(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The logarithm to base 10."""
    ...

def log1p(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """log(1 + x), precise for small x."""
    ...

def log2(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The logarithm to base 2."""
    ...

def log_softmax(
    data: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The logarithm of softmax along an axis; the parameters are those of `softmax`, without lengths."""
    ...

def logical_not(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """1 where the number is 0, and 0 elsewhere."""
    ...

def make_loss(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Marks the elements as a loss: their gradient is 1, whatever is computed from them."""
    ...

def max(
    data: Symbol | None = None,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The largest element along axes.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def mean(
    data: Symbol | None = None,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The mean over axes; of integers, cut off towards zero.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def min(
    data: Symbol | None = None,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The smallest element along axes.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def moments(
    data: Symbol | None = None,
    axes: Shape | None = None,
    keepdims: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The mean and the variance over axes, which have to be named."""
    ...

def mp_lamb_update_phase1(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    weight32: Symbol | None = None,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    t: int = ...,
    bias_correction: bool = True,
    wd: float = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`lamb_update_phase1` in float32 for a weight of lower precision; its result is float32."""
    ...

def mp_lamb_update_phase2(
    weight: Symbol | None = None,
    g: Symbol | None = None,
    r1: Symbol | None = None,
    r2: Symbol | None = None,
    weight32: Symbol | None = None,
    lr: float = ...,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`lamb_update_phase2` in float32 for a weight of lower precision."""
    ...

def mp_nag_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    weight32: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`nag_mom_update` in float32 for a weight of lower precision."""
    ...

def mp_sgd_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    weight32: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`sgd_mom_update` in float32 for a weight of lower precision."""
    ...

def mp_sgd_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    weight32: Symbol | None = None,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`sgd_update` in float32 for a weight of lower precision."""
    ...

def multi_all_finite(
    *data: Symbol,
    num_arrays: int = 1,
    init_output: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """1 if no element of any of the arrays is infinite or NaN, else 0.

    Args:
        data: the arrays.
        num_arrays: how many there are.
        init_output: changes nothing: the result is always a new one.
    """
    ...

def multi_lars(
    lrs: Symbol | None = None,
    weights_sum_sq: Symbol | None = None,
    grads_sum_sq: Symbol | None = None,
    wds: Symbol | None = None,
    eta: float = ...,
    eps: float = ...,
    rescale_grad: float = 1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Learning rates scaled layer by layer: lr * eta * |weight| / (|grad| + wd * |weight| + eps).

    Args:
        lrs: the learning rates of all layers.
        weights_sum_sq: sums of squares of the weights, from `multi_sum_sq`.
        grads_sum_sq: likewise of the gradients. If either sum of a layer is 0, its rate stays.
        wds: weight decays.
        eta: how far a step may go, compared with the weight's norm.
        eps: added to the denominator.
        rescale_grad: what to multiply the gradients' norms by.
    """
    ...

def multi_mp_sgd_mom_update(
    *data: Symbol,
    lrs: Floats = ...,
    wds: Floats = ...,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`mp_sgd_mom_update` of many weights: weight, gradient, momentum and float32 weight of each."""
    ...

def multi_mp_sgd_update(
    *data: Symbol,
    lrs: Floats = ...,
    wds: Floats = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`mp_sgd_update` of many weights: weight, gradient and float32 weight of each."""
    ...

def multi_sgd_mom_update(
    *data: Symbol,
    lrs: Floats = ...,
    wds: Floats = ...,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`sgd_mom_update` of many weights: weight, gradient and momentum of each."""
    ...

def multi_sgd_update(
    *data: Symbol,
    lrs: Floats = ...,
    wds: Floats = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`sgd_update` of many weights.

    Args:
        *data: weight and gradient of each.
        lrs: their learning rates.
        wds: their weight decays.
        rescale_grad: what to multiply the gradients by.
        clip_gradient: limit of the gradients' elements; below 0 means none.
        num_weights: how many there are.
    """
    ...

def multi_sum_sq(
    *data: Symbol,
    num_arrays: int = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The sum of squares of each array, in one float32 array."""
    ...

def nag_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Nesterov's accelerated gradient: the step is taken once more after the momentum."""
    ...

def nanprod(
    data: Symbol | None = None,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The product over axes, NaN counting as 1.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def nansum(
    data: Symbol | None = None,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The sum over axes, NaN counting as 0.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def negative(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The number with the other sign."""
    ...

def norm(
    data: Symbol | None = None,
    ord: int = 2,
    axis: Shape | None = None,
    out_dtype: DTypeLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The norm over axes.

    Args:
        data: the array.
        ord: 1 sums absolute values, 2 takes the root of the sum of squares.
        axis: the axes to reduce, one or several; all if there is none.
        out_dtype: dtype of the result, and of the sum; that of the array if there is none.
        keepdims: keep the reduced axes with length 1.
    """
    ...

def one_hot(
    indices: Symbol | None = None,
    depth: int = ...,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = 'float32',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Marks each index in a vector of its own.

    Args:
        indices: the indices; one out of range is marked nowhere.
        depth: the length of the vectors, which are the last axis of the result.
        on_value: the number at the index.
        off_value: the number everywhere else.
        dtype: of the result.
    """
    ...

def ones_like(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Ones in the shape and dtype of an array."""
    ...

def pick(
    data: Symbol | None = None,
    index: Symbol | None = None,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal['clip', 'wrap'] = 'clip',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes one element from each line along an axis.

    Args:
        data: the array.
        index: which one, in the shape of the data without the axis, or with length 1 on it.
        axis: the axis.
        keepdims: keep the axis with length 1.
        mode: what an index out of range does: it goes to the nearest end, or starts over.
    """
    ...

def preloaded_multi_mp_sgd_mom_update(
    *data: Symbol,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`multi_mp_sgd_mom_update` with the learning rates and weight decays in two arrays after the other inputs."""
    ...

def preloaded_multi_mp_sgd_update(
    *data: Symbol,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`multi_mp_sgd_update` with the learning rates and the weight decays in two arrays after the other inputs."""
    ...

def preloaded_multi_sgd_mom_update(
    *data: Symbol,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`multi_sgd_mom_update` with the learning rates and the weight decays in two arrays after the other inputs."""
    ...

def preloaded_multi_sgd_update(
    *data: Symbol,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """`multi_sgd_update` with the learning rates and the weight decays in two arrays after the other inputs."""
    ...

def prod(
    data: Symbol | None = None,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The product over axes.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def radians(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """An angle converted from degrees to radians."""
    ...

def rcbrt(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """One divided by the cube root."""
    ...

def reciprocal(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """One divided by the number."""
    ...

def relu(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The number, or 0 if it is negative; the gradient at 0 is 0."""
    ...

def repeat(
    data: Symbol | None = None,
    repeats: int = ...,
    axis: int | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Repeats every element, or every slice along an axis; without an axis the result is flat."""
    ...

def reset_arrays(
    *data: Symbol,
    num_arrays: int = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Fills the arrays with zeros; the only operator that writes to its inputs and has no output."""
    ...

def reshape_like(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Gives `lhs` the shape of `rhs`, or some of its axes the lengths of some axes of `rhs`.

    Args:
        lhs: the array.
        rhs: the array whose shape is taken.
        lhs_begin: the first axis of `lhs` to be replaced, 0 if not given.
        lhs_end: the axis after the last one; all that follow if not given.
        rhs_begin: the first axis of `rhs` to be taken, 0 if not given.
        rhs_end: the axis after the last one; all that follow if not given.
    """
    ...

def reverse(
    data: Symbol | None = None,
    axis: Shape = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Reverses the order of the elements along the given axes."""
    ...

def rint(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The nearest whole number; halves go down."""
    ...

def rmsprop_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    n: Symbol | None = None,
    lr: float = ...,
    gamma1: float = 0.95,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """RMSProp: weight - lr * grad / sqrt(n + epsilon), with the average `n` of the squared gradient.

    The parameters are those of `rmspropalex_update`.
    """
    ...

def rmspropalex_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    n: Symbol | None = None,
    g: Symbol | None = None,
    delta: Symbol | None = None,
    lr: float = ...,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """RMSProp with the mean taken out of the squares, and momentum.

    Args:
        weight: what to update.
        grad: its gradient.
        n: average of the squared gradient.
        g: average of the gradient.
        delta: the last step.
        lr: learning rate.
        gamma1: how much of the averages is kept.
        gamma2: how much of the last step is kept.
        epsilon: added before the root.
        wd: weight decay, added to the gradient before clipping.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
        clip_weights: limit of the new weight's elements; below 0 means none.
    """
    ...

def round(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The nearest whole number; halves go away from zero."""
    ...

def rsqrt(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """One divided by the square root."""
    ...

def scatter_nd(
    data: Symbol | None = None,
    indices: Symbol | None = None,
    shape: Shape = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Writes elements, or slices, into an array of zeros at the places given by coordinates.

    Args:
        data: what to write.
        indices: along its first axis, the coordinates on the first axes of the result; of equal ones the last counts.
        shape: of the result.
    """
    ...

def sgd_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Gradient descent with momentum: mom becomes momentum * mom - the step of `sgd_update`, and is added.

    The parameters are those of `sgd_update`.
    """
    ...

def sgd_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Gradient descent: weight - lr * (clip(rescale_grad * grad) + wd * weight).

    Args:
        weight: what to update.
        grad: its gradient.
        lr: learning rate.
        wd: weight decay: how much of the weight is added to its gradient.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limits every element of the gradient to [-clip_gradient, clip_gradient]; below 0 means no limit.
        lazy_update: has no effect on dense gradients.
    """
    ...

def shape_array(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The shape, as an int64 array."""
    ...

def sigmoid(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """1 / (1 + exp(-x))."""
    ...

def sign(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """-1, 0 or 1, the sign; 0 for NaN."""
    ...

def signsgd_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Steps of one length: (1 - lr * wd) * weight - lr * sign(grad).

    The parameters are those of `sgd_update`; scaling and clipping change no sign.
    """
    ...

def signum_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Steps of one length in the direction of the average gradient's sign.

    Args:
        weight: what to update.
        grad: its gradient.
        mom: minus the average of gradient and decay.
        lr: length of the steps.
        momentum: how much of the average is kept.
        wd: weight decay, part of the average.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
        wd_lh: weight decay outside of the average.
    """
    ...

def sin(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The sine of an angle in radians."""
    ...

def sinh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The hyperbolic sine."""
    ...

def size_array(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The number of elements, as an int64 array."""
    ...

def slice(
    data: Symbol | None = None,
    begin: Shape = ...,
    end: Shape = ...,
    step: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes the elements from `begin` up to `end` along the first axes.

    Args:
        data: the array.
        begin: the first place on each axis; negative ones count from the end, None is the start.
        end: the place after the last.
        step: the distance from place to place, negative for the reverse order.
    """
    ...

def slice_axis(
    data: Symbol | None = None,
    axis: int = ...,
    begin: int = ...,
    end: int | None = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes the places from `begin` up to `end` along one axis; None takes all that follow."""
    ...

def slice_like(
    data: Symbol | None = None,
    shape_like: Symbol | None = None,
    axes: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Cuts an array to the lengths of another one, on all axes or on the given ones."""
    ...

def smooth_l1(
    data: Symbol | None = None,
    scalar: float = 1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The absolute value with its corner rounded off: quadratic where |x| < 1 / scalar**2.

    Args:
        data: the array.
        scalar: how sharp the corner is.
    """
    ...

def softmax(
    data: Symbol | None = None,
    length: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Exponentials divided by their sum along an axis.

    Args:
        data: any shape.
        length: with `use_length`, how many elements along the axis count: the shape of the data without the axis, int32
            or int64. The elements after them do not count and come out as 0.
        axis: the axis along which the results sum to 1.
        temperature: divides the data first.
        dtype: of the result; that of the data unless given.
        use_length: whether `length` is given.
    """
    ...

def softmax_cross_entropy(
    data: Symbol | None = None,
    label: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The cross entropy between the softmax of each row and a class, summed over the rows.

    Args:
        data: one row of scores per example.
        label: the class of each row, of the dtype of the data.
    """
    ...

def softmin(
    data: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Softmax of the negated data along an axis; the parameters are those of `softmax`, without lengths."""
    ...

def softsign(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """x / (1 + |x|)."""
    ...

def sort(
    data: Symbol | None = None,
    axis: int | None = -1,
    is_ascend: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Sorts the elements along an axis; None sorts all of them into one line."""
    ...

def space_to_depth(
    data: Symbol | None = None,
    block_size: int = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Moves blocks of the plane into channels: (n, c, h b, w b) becomes (n, c b b, h, w) with b the block size."""
    ...

def sqrt(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The square root."""
    ...

def square(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The square."""
    ...

def squeeze(
    data: Symbol | None = None,
    axis: Shape | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Removes axes of length 1: all of them, or the given ones. One axis is left at least."""
    ...

def stack(
    *data: Symbol,
    num_args: int = ...,
    axis: int = 0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Joins arrays of the same shape along a new axis."""
    ...

def sum(
    data: Symbol | None = None,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The sum over axes.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def take(
    a: Symbol | None = None,
    indices: Symbol | None = None,
    axis: int = 0,
    mode: Literal['clip', 'raise', 'wrap'] = 'clip',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes slices of an array along an axis.

    Args:
        a: the array.
        indices: which ones; the axes of the indices take the place of `axis` in the result.
        axis: the axis.
        mode: what an index out of range does: it goes to the nearest end, starts over, or raises an error.
    """
    ...

def tan(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The tangent of an angle in radians."""
    ...

def tanh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The hyperbolic tangent."""
    ...

def tile(
    data: Symbol | None = None,
    reps: Shape = ...,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Puts copies of the whole array side by side, `reps` of them along each axis; missing ones are 1."""
    ...

def topk(
    data: Symbol | None = None,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices',
    is_ascend: bool = False,
    dtype: DTypeLike = 'float32',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Finds the k largest elements along an axis, in order.

    Args:
        data: the array.
        axis: the axis; None takes the array as one line.
        k: how many, all if less than 1.
        ret_typ: return the values, their indices, both, or an array of the shape of the data with ones at their places.
        is_ascend: find the smallest instead.
        dtype: of the indices.
    """
    ...

def transpose(
    data: Symbol | None = None,
    axes: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Puts the axes in another order, reversed if none is given."""
    ...

def trunc(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The whole number that is left when the fraction is cut off."""
    ...

def where(
    condition: Symbol | None = None,
    x: Symbol | None = None,
    y: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Takes elements of `x` where the condition is not zero and of `y` elsewhere.

    Args:
        condition: of the shape of `x`, or one number for each row of it.
        x: the array for true.
        y: the array for false, of the same shape.
    """
    ...

def zeros_like(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Zeros in the shape and dtype of an array."""
    ...

ElementWiseSum = add_n

Softmax = SoftmaxOutput

broadcast_axes = broadcast_axis

broadcast_minus = broadcast_sub

broadcast_plus = broadcast_add

cast = Cast

choose_element_0index = pick

concat = Concat

crop = slice

ctc_loss = CTCLoss

def cumsum(
    a: Symbol | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Running sums along an axis, or over the flattened array, in `dtype` if it is given."""
    ...

flatten = Flatten

flip = reverse

def identity(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The same elements in a new array."""
    ...

def linalg_det(
    A: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The determinant of each matrix."""
    ...

def linalg_extractdiag(
    A: Symbol | None = None,
    offset: int = 0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The diagonal of each matrix, or one `offset` places above it (below, if negative)."""
    ...

def linalg_extracttrian(
    A: Symbol | None = None,
    offset: int = 0,
    lower: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The elements of a triangle of each matrix, packed in one axis.

    Args:
        A: square matrices.
        offset: how far from the diagonal the triangle begins: above it if positive, below it if negative.
        lower: whether it is the lower triangle, for `offset` 0.
    """
    ...

def linalg_gelqf(
    A: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The factors Q, with orthonormal rows, and L, lower triangular, of A = L Q, for A not higher than wide."""
    ...

def linalg_gemm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    C: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Matrix products and a sum: alpha * A B + beta * C.

    Args:
        A: the left matrices.
        B: the right matrices.
        C: what is added.
        transpose_a: whether to transpose A.
        transpose_b: whether to transpose B.
        alpha: factor of the product.
        beta: factor of C.
        axis: the axis of the rows; the columns lie along the last.
    """
    ...

def linalg_gemm2(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    axis: int = -2,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Matrix products: alpha * A B; the arguments are those of `linalg.gemm`."""
    ...

def linalg_inverse(
    A: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The inverse of each matrix."""
    ...

def linalg_makediag(
    A: Symbol | None = None,
    offset: int = 0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Matrices with the last axis as their diagonal, or `offset` places above it (below, if negative)."""
    ...

def linalg_maketrian(
    A: Symbol | None = None,
    offset: int = 0,
    lower: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Matrices with zeros but for a triangle that the last axis holds; the inverse of `linalg.extracttrian`.

    Args:
        A: packed triangles.
        offset: how far from the diagonal the triangle begins: above it if positive, below it if negative.
        lower: whether it is the lower triangle, for `offset` 0.
    """
    ...

def linalg_potrf(
    A: Symbol | None = None,
    lower: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The Cholesky factor: the lower triangular L with L L^T = A, for symmetric positive definite A.

    Args:
        A: the matrices, of which one triangle is read.
        lower: whether the lower triangle is read, or the upper, which gives the upper triangular U with U^T U = A.
    """
    ...

def linalg_potri(
    A: Symbol | None = None,
    lower: bool = True,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The inverse of the matrix whose Cholesky factor is A: a triangle L of A gives (L L^T)^-1, U gives (U^T U)^-1.

    Args:
        A: the factors, of which one triangle is read.
        lower: whether the lower triangle is read, or the upper.
    """
    ...

def linalg_slogdet(
    A: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The sign of the determinant of each matrix, and the logarithm of its absolute value."""
    ...

def linalg_sumlogdiag(
    A: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The sum of the logarithms of the diagonal of each matrix."""
    ...

def linalg_syrk(
    A: Symbol | None = None,
    transpose: bool = False,
    alpha: float = 1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Products with the own transpose: alpha * A A^T, or alpha * A^T A with `transpose`."""
    ...

def linalg_trmm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Products with triangular matrices: alpha * A B.

    Args:
        A: square matrices, of which one triangle is read.
        B: matrices of any width.
        transpose: whether to transpose A.
        rightside: whether to multiply B A instead.
        lower: whether the lower triangle of A is read, or the upper.
        alpha: factor of the result.
    """
    ...

def linalg_trsm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Solves A X = alpha * B with triangular matrices A.

    Args:
        A: square matrices, of which one triangle is read.
        B: the right-hand sides.
        transpose: whether to transpose A.
        rightside: whether to solve X A = alpha * B instead.
        lower: whether the lower triangle of A is read, or the upper.
        alpha: factor of B.
    """
    ...

max_axis = max

min_axis = min

def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Normal variates with mean `loc` and standard deviation `scale`."""
    ...

pad = Pad

def random_exponential(
    lam: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Exponential variates of rate `lam`: the mean is 1 / lam."""
    ...

def random_gamma(
    alpha: float = 1.0,
    beta: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Gamma variates of shape `alpha` and scale `beta`: the mean is their product."""
    ...

def random_generalized_negative_binomial(
    mu: float = 1.0,
    alpha: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Counts with mean `mu` and variance mu + alpha * mu**2, as floats."""
    ...

def random_negative_binomial(
    k: int = 1,
    p: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """How many trials fail before the `k`-th success, each succeeding with probability `p`, as floats."""
    ...

random_normal = normal

def random_pdf_dirichlet(
    sample: Symbol | None = None,
    alpha: Symbol | None = None,
    is_log: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The density of Dirichlet distributions: the last axis of both inputs holds the components of a vector."""
    ...

def random_pdf_exponential(
    sample: Symbol | None = None,
    lam: Symbol | None = None,
    is_log: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The density of the exponential distribution with rate `lam`."""
    ...

def random_pdf_gamma(
    sample: Symbol | None = None,
    alpha: Symbol | None = None,
    beta: Symbol | None = None,
    is_log: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The density of the gamma distribution of shape `alpha`; `beta` is the rate here, not the scale as in samplers."""
    ...

def random_pdf_generalized_negative_binomial(
    sample: Symbol | None = None,
    mu: Symbol | None = None,
    alpha: Symbol | None = None,
    is_log: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The probability of counts under the negative binomial distribution with mean `mu` and dispersion `alpha`."""
    ...

def random_pdf_negative_binomial(
    sample: Symbol | None = None,
    k: Symbol | None = None,
    p: Symbol | None = None,
    is_log: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The probability of that many failures before the `k`-th success, each trial succeeding with probability `p`."""
    ...

def random_pdf_normal(
    sample: Symbol | None = None,
    mu: Symbol | None = None,
    sigma: Symbol | None = None,
    is_log: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The density of the normal distribution with mean `mu` and standard deviation `sigma`."""
    ...

def random_pdf_poisson(
    sample: Symbol | None = None,
    lam: Symbol | None = None,
    is_log: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The probability of counts under the Poisson distribution with mean `lam`."""
    ...

def random_pdf_uniform(
    sample: Symbol | None = None,
    low: Symbol | None = None,
    high: Symbol | None = None,
    is_log: bool = False,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The density 1 / (high - low); whether a sample lies in the interval is not looked at."""
    ...

def random_poisson(
    lam: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Poisson counts with mean `lam`, as floats."""
    ...

def random_randint(
    low: int = ...,
    high: int = ...,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Whole numbers from `low` to `high` - 1, each as likely as the others."""
    ...

def random_uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Numbers spread evenly over [low, high)."""
    ...

def ravel_multi_index(
    data: Symbol | None = None,
    shape: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Turns coordinates, one column for each place, into places in the flat array.

    The first length in `shape` has no influence and may be -1.
    """
    ...

reshape = Reshape

def sample_exponential(
    lam: Symbol | None = None,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Exponential variates of each rate `lam`."""
    ...

def sample_gamma(
    alpha: Symbol | None = None,
    beta: Symbol | None = None,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Gamma variates of each shape `alpha` and scale `beta`."""
    ...

def sample_generalized_negative_binomial(
    mu: Symbol | None = None,
    alpha: Symbol | None = None,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Counts with each mean `mu` and variance mu + alpha * mu**2, as floats."""
    ...

def sample_multinomial(
    data: Symbol | None = None,
    shape: Shape = (),
    get_prob: bool = False,
    dtype: DTypeLike = 'int32',
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Classes drawn with the probabilities in the last axis of `data`, again and again from all of them.

    Args:
        data: probabilities, or weights that are not negative.
        shape: how many classes to draw per distribution; the result has the leading axes of `data`, then these.
        get_prob: also return the logarithm of the chosen elements of `data`, which has a gradient: what
            reinforcement learning multiplies with the reward.
        dtype: type of the class numbers.
        rng: supplied by the caller's surroundings.
    """
    ...

def sample_negative_binomial(
    k: Symbol | None = None,
    p: Symbol | None = None,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Failures before each `k`-th success of probability `p`, as floats."""
    ...

def sample_normal(
    mu: Symbol | None = None,
    sigma: Symbol | None = None,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Normal variates with each mean `mu` and standard deviation `sigma`."""
    ...

def sample_poisson(
    lam: Symbol | None = None,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Poisson counts with each mean `lam`, as floats."""
    ...

def sample_uniform(
    low: Symbol | None = None,
    high: Symbol | None = None,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Numbers spread evenly over each interval [low, high)."""
    ...

def shuffle(
    data: Symbol | None = None,
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """The slices along the first axis in random order."""
    ...

split = SliceChannel

stop_gradient = BlockGrad

sum_axis = sum

swapaxes = SwapAxis

uniform = random_uniform

def unravel_index(
    data: Symbol | None = None,
    shape: Shape = (),
    name: str | None = None,
    attr: dict[str, str] | None = None,
    out: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Turns places in the flat array into coordinates, one column for each place.

    The first length in `shape` has no influence and may be -1.
    """
    ...
