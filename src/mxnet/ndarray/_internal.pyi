"""Internal forms of operators on arrays. Made by tools/stubs.py from the operator registry; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ..context import Context
from .dense import NDArray

Shape: TypeAlias = int | Sequence[int]
Floats: TypeAlias = float | Sequence[float]
DTypeLike: TypeAlias = Any

def _CrossDeviceCopy(
    data: NDArray,
    to: Context | str | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The same elements on another context: what graphs contain where groups of nodes are on several.

    Args:
        data: the array.
        to: the context; where the array is, by default.
    """
    ...

def _adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    rescale_grad: NDArray,
    lr: float = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    eta: float = ...,
    clip_gradient: float = -1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adam with decay apart from the gradient: weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight).

    Args:
        weight: what to update.
        grad: its gradient.
        mean: average of the gradient.
        var: average of its square.
        rescale_grad: (1,), what to multiply the gradient by; nothing is updated if it is 0, infinite or NaN.
        lr: learning rate.
        beta1: how much of `mean` is kept.
        beta2: how much of `var` is kept.
        epsilon: added to the root of `var`.
        wd: weight decay.
        eta: what to multiply the whole step by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
    """
    ...

def _arange(
    start: float = ...,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Evenly spaced numbers, each repeated `repeat` times; `start` alone counts from 0 up to it.

    Start and step get the dtype first: integers count in whole steps. `infer_range` says in a graph that the length
    follows from where the numbers are used.
    """
    ...

def _backward_gather_nd(
    data: NDArray,
    indices: NDArray,
    shape: Shape = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds elements, or slices, to an array of zeros at the places given by coordinates: the gradient of `gather_nd`.

    Args:
        data: what to add.
        indices: along its first axis, the coordinates on the first axes of the result; equal ones add up.
        shape: of the result.
    """
    ...

def _cond(
    *data: NDArray,
    num_args: int = ...,
    num_outputs: int = ...,
    cond_input_locs: Shape = ...,
    then_input_locs: Shape = ...,
    else_input_locs: Shape = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Runs one of two bodies, as a condition says.

    Args:
        data: all that the condition and the bodies read.
        bodies: the condition, the body for true and the one for false.
        num_outputs: how many arrays either body gives.
        cond_input_locs: for each variable of the condition, which of `data` it is.
        then_input_locs: the same for the body for true.
        else_input_locs: the same for the body for false.
    """
    ...

def _contrib_AdaptiveAvgPooling2D(
    data: NDArray,
    output_size: Shape = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Means over a given number of regions of images, all of about the same size.

    Args:
        data: (batch, channels, height, width).
        output_size: number of regions down and across; one number for both, and 1 if not given.
    """
    ...

def _contrib_BatchNormWithReLU(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.0010000000474974513,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Batch normalization followed by max(x, 0); parameters as those of `BatchNorm`."""
    ...

def _contrib_BilinearResize2D(
    data: NDArray,
    like: NDArray | None = None,
    height: int = 1,
    width: int = 1,
    scale_height: float | None = None,
    scale_width: float | None = None,
    mode: Literal['like', 'odd_scale', 'size', 'to_even_down', 'to_even_up', 'to_odd_down', 'to_odd_up'] = 'size',
    align_corners: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gives images another height and width, by bilinear interpolation.

    Args:
        data: (batch, channels, height, width).
        like: images that have the wanted height and width, in the mode 'like' only.
        height: the new height, in the mode 'size'.
        width: the new width, in the mode 'size'.
        scale_height: the new height as a multiple of the old one, in place of `height`; in the mode 'odd_scale' an odd
            height n becomes (n - 1) * scale + 1.
        scale_width: likewise.
        mode: how the new size is chosen. 'to_even_up' and its kin go to the next even or odd number, up or down.
        align_corners: whether the centers of the outermost elements stay where they are; otherwise the outer edges do.
    """
    ...

def _contrib_DeformableConvolution(
    data: NDArray,
    offset: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    kernel: Shape = ...,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int = ...,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    layout: Literal['NCDHW', 'NCHW', 'NCW'] | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Convolves images with filters whose elements are moved by offsets.

    Args:
        data: (batch, channels, height, width).
        offset: (batch, 2 * elements of the kernel * num_deformable_group, output height, output width): how far down
            and how far right each element of the filter is moved at each place. Beyond the image there are zeros.
        weight: (num_filter, channels / num_group, *kernel).
        bias: (num_filter,); left out with `no_bias`.
        kernel: height and width of the filters.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters, hence of output channels.
        num_group: number of groups of channels that are convolved apart from each other.
        num_deformable_group: number of groups of channels that have offsets of their own.
        workspace: has no effect.
        no_bias: whether there is no bias.
        layout: order of the axes; NCHW is the only one.
    """
    ...

def _contrib_DeformablePSROIPooling(
    data: NDArray,
    rois: NDArray,
    trans: NDArray | None = None,
    spatial_scale: float = ...,
    output_dim: int = ...,
    group_size: int = ...,
    pooled_size: int = ...,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0.0,
    no_trans: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """`PSROIPooling` with bins that are moved, and that take the mean of samples between the places.

    Args:
        data: (batch, output_dim * group_size * group_size, height, width).
        rois: (regions, 5) number of the image and corners; regions of images that do not exist give 0.
        trans: (regions, 2 * classes, part_size, part_size) how far to move each part across and down, in sizes of the
            region; the channels of the result are divided among the classes. Left out with `no_trans`.
        spatial_scale: by which the corners are multiplied to be places of the data.
        output_dim: number of channels of the result.
        group_size: number of groups of channels down and across.
        pooled_size: height and width of the result.
        part_size: number of parts down and across, `pooled_size` if 0.
        sample_per_part: number of samples of a bin down and across.
        trans_std: factor of `trans`.
        no_trans: whether bins are not moved.

    Returns:
        (regions, output_dim, pooled_size, pooled_size).
    """
    ...

def _contrib_ModulatedDeformableConvolution(
    data: NDArray,
    offset: NDArray,
    mask: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    kernel: Shape = ...,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int = ...,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    im2col_step: int = 64,
    layout: Literal['NCDHW', 'NCHW', 'NCW'] | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Convolves images with filters whose elements are moved by offsets and weakened by a mask.

    Args:
        data: (batch, channels, height, width).
        offset: (batch, 2 * elements of the kernel * num_deformable_group, output height, output width): how far down
            and how far right each element of the filter is moved at each place. Beyond the image there are zeros,
            to which it fades within one element.
        mask: (batch, elements of the kernel * num_deformable_group, output height, output width): factor of what
            each element of the filter sees.
        weight: (num_filter, channels / num_group, *kernel).
        bias: (num_filter,); left out with `no_bias`.
        kernel: height and width of the filters.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters, hence of output channels.
        num_group: number of groups of channels that are convolved apart from each other.
        num_deformable_group: number of groups of channels that have offsets and masks of their own.
        workspace: has no effect.
        no_bias: whether there is no bias.
        im2col_step: has no effect.
        layout: order of the axes; NCHW is the only one.
    """
    ...

def _contrib_MultiBoxDetection(
    cls_prob: NDArray,
    loc_pred: NDArray,
    anchor: NDArray,
    clip: bool = True,
    threshold: float = 0.00999999978,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: Floats = (0.1, 0.1, 0.2, 0.2),
    nms_topk: int = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Reads detections off the predictions of a single-shot detector.

    Args:
        cls_prob: (batch, classes, anchors) probabilities, background first.
        loc_pred: (batch, anchors * 4) shift and stretch of the anchors.
        anchor: (1, anchors, 4) corners.
        clip: whether to cut off what lies outside of the image.
        threshold: smallest probability of a detection.
        background_id: has no effect, as in MXNet.
        nms_threshold: a detection that overlaps a better one by as much is taken away; none if not from 0 to 1.
        force_suppress: whether detections of different classes take each other away, too.
        variances: by which shift and stretch are multiplied.
        nms_topk: how many of the best detections are looked at, all if not positive.

    Returns:
        (batch, anchors, 6) class, probability and corners, best first; class -1 for what was taken away, and -1
        everywhere after the last detection.
    """
    ...

def _contrib_MultiBoxPrior(
    data: NDArray,
    sizes: Floats = (1.0,),
    ratios: Floats = (1.0,),
    clip: bool = False,
    steps: Floats = (-1.0, -1.0),
    offsets: Floats = (0.5, 0.5),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Makes anchors around every place of a feature map: corners as parts of the image's height and width.

    Args:
        data: (batch, channels, height, width); only the lengths matter.
        sizes: heights of the anchors of the first ratio.
        ratios: width by height; those after the first make anchors of the first size.
        clip: whether to cut off what lies outside of the image.
        steps: distance of neighbouring centers down and to the right; taken from the feature map if not positive.
        offsets: where the first center lies, down and to the right, in steps.

    Returns:
        (1, height * width * (len(sizes) + len(ratios) - 1), 4).
    """
    ...

def _contrib_MultiBoxTarget(
    anchor: NDArray,
    label: NDArray,
    cls_pred: NDArray,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: Floats = (0.1, 0.1, 0.2, 0.2),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Says what a single-shot detector should predict at each anchor.

    Args:
        anchor: (1, anchors, 4) corners.
        label: (batch, labels, 5 or more) class and corners of the objects; -1 after the last one.
        cls_pred: (batch, classes, anchors) predictions before softmax, background first.
        overlap_threshold: an anchor stands for an object that it overlaps by more; only the best one of each object if
            not positive.
        ignore_label: class of anchors that are to be left out of the loss.
        negative_mining_ratio: number of background anchors for each one with an object, the hardest ones; all
            background anchors if not positive.
        negative_mining_thresh: background anchors overlap objects by less.
        minimum_negative_samples: has no effect, as in MXNet.
        variances: by which shift and stretch are divided.

    Returns:
        (batch, anchors * 4) shift and stretch, (batch, anchors * 4) a mask of them, and (batch, anchors) classes, 0
        for background.
    """
    ...

def _contrib_MultiProposal(
    cls_prob: NDArray,
    bbox_pred: NDArray,
    im_info: NDArray,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.699999988,
    rpn_min_size: int = 16,
    scales: Floats = (4.0, 8.0, 16.0, 32.0),
    ratios: Floats = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
    iou_loss: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Proposes regions of images where there may be an object.

    Args:
        cls_prob: (batch, 2 * anchors, height, width) probabilities of background, then of objects.
        bbox_pred: (batch, 4 * anchors, height, width) how to move and stretch each anchor.
        im_info: (batch, 3) height, width and scale of each image.
        rpn_pre_nms_top_n: how many of the best anchors are looked at, all if not positive.
        rpn_post_nms_top_n: how many regions to propose for an image.
        threshold: a region that overlaps a better one by more is left out.
        rpn_min_size: smallest height and width of a region, before the image was scaled.
        scales: sizes of the anchors, in strides.
        ratios: height by width of the anchors.
        feature_stride: pixels from one place of the feature map to the next.
        output_score: whether to return the probabilities, too.
        iou_loss: whether `bbox_pred` holds the shifts of the four edges, in pixels.

    Returns:
        (batch * rpn_post_nms_top_n, 5) number of the image and corners; the best are repeated if there are too few.
    """
    ...

def _contrib_PSROIPooling(
    data: NDArray,
    rois: NDArray,
    spatial_scale: float = ...,
    output_dim: int = ...,
    pooled_size: int = ...,
    group_size: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides each region into bins and takes the mean of each, in channels that belong to the place of the bin.

    Args:
        data: (batch, output_dim * group_size * group_size, height, width).
        rois: (regions, 5) number of the image and corners; regions of images that do not exist give 0.
        spatial_scale: by which the corners are multiplied to be places of the data.
        output_dim: number of channels of the result.
        pooled_size: height and width of the result.
        group_size: number of groups of channels down and across, `pooled_size` if 0.

    Returns:
        (regions, output_dim, pooled_size, pooled_size).
    """
    ...

def _contrib_Proposal(
    cls_prob: NDArray,
    bbox_pred: NDArray,
    im_info: NDArray,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.699999988,
    rpn_min_size: int = 16,
    scales: Floats = (4.0, 8.0, 16.0, 32.0),
    ratios: Floats = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
    iou_loss: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Proposes regions of an image where there may be an object: `MultiProposal` for a batch of one image."""
    ...

def _contrib_ROIAlign(
    data: NDArray,
    rois: NDArray,
    pooled_size: Shape = ...,
    spatial_scale: float = ...,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides each region into bins and takes the mean of samples of each, interpolated between the places.

    Args:
        data: (batch, channels, height, width).
        rois: (regions, 5) number of the image and corners; regions of images that do not exist give 0.
        pooled_size: height and width of the result.
        spatial_scale: by which the corners are multiplied to be places of the data.
        sample_ratio: number of samples of a bin down and across; as many as it has places if not positive.
        position_sensitive: whether each bin has channels of its own.
        aligned: whether corners count from the edge of the first place, not from its center.

    Returns:
        (regions, channels, *pooled_size); channels / bins, if `position_sensitive`.
    """
    ...

def _contrib_RROIAlign(
    data: NDArray,
    rois: NDArray,
    pooled_size: Shape = ...,
    spatial_scale: float = ...,
    sampling_ratio: int = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """`ROIAlign` for regions that are turned.

    Args:
        data: (batch, channels, height, width).
        rois: (regions, 6) number of the image, center, width, height, and the angle in degrees, counter-clockwise;
            regions of images that do not exist give 0.
        pooled_size: height and width of the result.
        spatial_scale: by which centers and sizes are multiplied to be places of the data.
        sampling_ratio: number of samples of a bin down and across; as many as it has places if not positive.

    Returns:
        (regions, channels, *pooled_size).
    """
    ...

def _contrib_SparseEmbedding(
    data: NDArray,
    weight: NDArray,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    deterministic: bool = False,
    sparse_grad: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Replaces every index by a row of the weight, as `Embedding` does, which stands in its place now.

    Args:
        data: the indices; one out of range takes the first or last row.
        weight: (input_dim, output_dim).
        input_dim: the number of rows.
        output_dim: their length.
        dtype: of a weight that is yet to be made.
        deterministic: has no effect; the gradient always adds up in one order.
        sparse_grad: whether the gradient of the weight may hold only the rows that were used.
    """
    ...

def _contrib_SyncBatchNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    ndev: int = 1,
    key: str = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Batch normalization of axis 1, judged by the part of the batch on this device.

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
        ndev: number of devices that share the batch; has no effect.
        key: name that the layers on all devices share; has no effect.
        training: whether the batch counts.
    """
    ...

def _contrib_allclose(
    a: NDArray,
    b: NDArray,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """1 if |a - b| <= atol + rtol * |b| everywhere, else 0.

    Args:
        a: one array.
        b: the other one, of the same shape and dtype. Where it is infinite, everything finite is close to it.
        rtol: tolerance in proportion to `b`.
        atol: tolerance that is always granted.
        equal_nan: whether two NaN are equal.
    """
    ...

def _contrib_arange_like(
    data: NDArray,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: Context | str | None = None,
    axis: int | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Evenly spaced numbers in the shape and dtype of an array, or as many as one of its axes is long.

    Args:
        data: the array.
        start: the first number.
        step: how much each number is above the one before.
        repeat: how often each number comes in a row; the length stays the same.
        ctx: has no effect: the numbers are where the array is.
        axis: the axis that says how many; all elements are counted if not given.
    """
    ...

def _contrib_backward_gradientmultiplier(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A gradient, multiplied as `gradientmultiplier` does."""
    ...

def _contrib_backward_hawkesll(
    ograd: NDArray,
    ograd_state: NDArray,
    lda: NDArray,
    alpha: NDArray,
    beta: NDArray,
    state: NDArray,
    lags: NDArray,
    marks: NDArray,
    valid_length: NDArray,
    max_time: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The gradients of `hawkesll` for its eight inputs, from the one of the likelihood; zeros where it has none."""
    ...

def _contrib_backward_index_copy(
    ograd: NDArray,
    old_tensor: NDArray,
    index_vector: NDArray,
    new_tensor: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The gradients of `index_copy` from the one of its result: what was replaced gets none."""
    ...

def _contrib_backward_quadratic(
    ograd: NDArray,
    data: NDArray,
    a: float = 0.0,
    b: float = 0.0,
    c: float = 0.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The gradient of `quadratic` from the one of its result."""
    ...

def _contrib_bipartite_matching(
    data: NDArray,
    is_ascend: bool = False,
    threshold: float = ...,
    topk: int = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Matches rows with columns, the pair of the best score first, until no score is good enough.

    Args:
        data: (..., rows, columns) scores.
        is_ascend: whether the lowest score is the best.
        threshold: scores must be above it, or below it with `is_ascend`.
        topk: one less than the largest number of matches, as in MXNet; no limit if not positive.

    Returns:
        (..., rows) the column of each row, and (..., columns) the row of each column; -1 where there is none.
    """
    ...

def _contrib_boolean_mask(
    data: NDArray,
    index: NDArray,
    axis: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The rows of an array where a vector is not 0.

    Args:
        data: the array.
        index: as long as the first axis.
        axis: only 0.
    """
    ...

def _contrib_box_decode(
    data: NDArray,
    anchors: NDArray,
    std0: float = 1.0,
    std1: float = 1.0,
    std2: float = 1.0,
    std3: float = 1.0,
    clip: float = -1.0,
    format: Literal['center', 'corner'] = 'center',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Moves and stretches anchors as a network says; the reverse of `box_encode`.

    Args:
        data: (batch, anchors, 4) shift of the center and logarithm of the stretch.
        anchors: (1, anchors, 4).
        std0: factor of the first number, and so on.
        std1: factor of the second.
        std2: factor of the third.
        std3: factor of the fourth.
        clip: largest logarithm of a stretch, if positive.
        format: whether the anchors are corners or center, width and height. The result is corners.
    """
    ...

def _contrib_box_encode(
    samples: NDArray,
    matches: NDArray,
    anchors: NDArray,
    refs: NDArray,
    means: NDArray,
    stds: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Says how anchors have to be moved and stretched to become the boxes they are matched with.

    Args:
        samples: (batch, anchors), above 0.5 for anchors that take part.
        matches: (batch, anchors) number of the box of each anchor.
        anchors: (batch, anchors, 4) corners.
        refs: (batch, boxes, 4) corners.
        means: (4,) subtracted from the result.
        stds: (4,) by which it is then divided.

    Returns:
        (batch, anchors, 4) shift of the center by the size of the anchor, and logarithm of the stretch; and a mask of
        that shape. Both are 0 for anchors that do not take part.
    """
    ...

def _contrib_box_iou(
    lhs: NDArray,
    rhs: NDArray,
    format: Literal['center', 'corner'] = 'corner',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Overlap of every box of one array with every box of the other: shared area by joint area.

    Args:
        lhs: (..., 4).
        rhs: (..., 4).
        format: whether coordinates are corners or center, width and height.
    """
    ...

def _contrib_box_nms(
    data: NDArray,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool = False,
    in_format: Literal['center', 'corner'] = 'corner',
    out_format: Literal['center', 'corner'] = 'corner',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Removes boxes that overlap a better one; what is left comes first, best first, and -1 fills the rest.

    Args:
        data: (..., boxes, numbers): each box has a score, four coordinates, perhaps an id, perhaps more.
        overlap_thresh: a box is removed if it shares a larger part of its area with a better one.
        valid_thresh: boxes whose score does not exceed it are removed first.
        topk: how many of the best boxes take part, -1 for all; with 0 the data stay as they are.
        coord_start: place of the first coordinate.
        score_index: place of the score.
        id_index: place of the id of the class; only boxes of one class remove each other. -1 if there is none.
        background_id: boxes with this id are removed first.
        force_suppress: whether boxes of different classes remove each other, too.
        in_format: whether coordinates are corners or center, width and height.
        out_format: how to write them.
    """
    ...

def _contrib_calibrate_entropy(
    hist: NDArray,
    hist_edges: NDArray,
    num_quantized_bins: int = 255,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The threshold at which numbers are best cut off before quantizing: the one that changes their histogram least.

    The change is the divergence (Kullback and Leibler) of the histogram after quantizing from the one before.

    Args:
        hist: how many numbers fell into each bin, float32; the bin in the middle holds zero.
        hist_edges: where bins begin, and where the last one ends.
        num_quantized_bins: number of levels.

    Returns:
        The threshold and the divergence, one element each.
    """
    ...

def _contrib_count_sketch(
    data: NDArray,
    h: NDArray,
    s: NDArray,
    out_dim: int = ...,
    processing_batch_size: int = 32,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds up the elements along the last axis in fewer places, each element with a sign of its own.

    Args:
        data: 2 or 4 axes, the last of length n.
        h: (1, n); the place of each element, from 0 to out_dim - 1.
        s: (1, n); its sign, 1 or -1.
        out_dim: number of places.
        processing_batch_size: has no effect.
    """
    ...

def _contrib_dequantize(
    data: NDArray,
    min_range: NDArray,
    max_range: NDArray,
    out_type: Literal['float32'] = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The real numbers that a quantized array stands for.

    Args:
        data: int8 or uint8.
        min_range: the least number, one element.
        max_range: the largest number, one element.
        out_type: 'float32'.
    """
    ...

def _contrib_dgl_adjacency(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The graph with 1 in place of the numbers of its edges, as float32."""
    ...

def _contrib_dgl_csr_neighbor_non_uniform_sample(
    *csr_matrix: NDArray,
    num_args: int = ...,
    num_hops: int = 1,
    num_neighbor: int = 2,
    max_num_vertices: int = 100,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Draws neighbourhoods of seeds, edges to likelier vertices more often.

    Returns what the uniform one does, with the chances of the vertices found before the hops.

    Args:
        csr_matrix: the graph, of int64.
        probability: the chances of its vertices, of float32.
        seed_arrays: vectors of vertices, of int64.
        num_hops: how far to go from the seeds.
        num_neighbor: how many edges of a vertex are followed at most.
        max_num_vertices: how many vertices may be found.
    """
    ...

def _contrib_dgl_csr_neighbor_uniform_sample(
    *csr_matrix: NDArray,
    num_args: int = ...,
    num_hops: int = 1,
    num_neighbor: int = 2,
    max_num_vertices: int = 100,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Draws neighbourhoods of seeds, all edges of a vertex with equal chance.

    Returns, for each vector of seeds: the vertices, rising, with their number as the last element; the edges that were
    followed, a row for each vertex; and how many hops each vertex is away.

    Args:
        csr_matrix: the graph, of int64.
        seed_arrays: vectors of vertices, of int64.
        num_hops: how far to go from the seeds.
        num_neighbor: how many edges of a vertex are followed at most.
        max_num_vertices: how many vertices may be found.
    """
    ...

def _contrib_dgl_graph_compact(
    *graph_data: NDArray,
    num_args: int = ...,
    return_mapping: bool = ...,
    graph_sizes: Shape = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Cuts the empty rows and columns from drawn neighbourhoods.

    Args:
        graph_data: the neighbourhoods' csr matrices, then as many vectors of vertices.
        return_mapping: whether to return the numbers that the edges have in the whole graph as well.
        graph_sizes: how many vertices each neighbourhood has.
    """
    ...

def _contrib_dgl_subgraph(
    *graph: NDArray,
    num_args: int = ...,
    return_mapping: bool = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """The parts of a graph that some vertices and the edges between them make.

    Args:
        graph: the graph, a csr matrix of int64.
        data: vectors of vertices, of int64, rising.
        return_mapping: whether to return the numbers that the edges have in the whole graph as well.
    """
    ...

def _contrib_div_sqrt_dim(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides by the square root of the length of the last axis."""
    ...

def _contrib_edge_id(
    data: NDArray,
    u: NDArray,
    v: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The numbers of the edges from the vertices `u` to the vertices `v`, -1 where there is none.

    Args:
        data: the graph, a csr matrix.
        u: where the edges begin.
        v: where they end.
    """
    ...

def _contrib_fft(
    data: NDArray,
    compute_size: int = 128,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The Fourier transform along the last axis.

    Args:
        data: real signals, with 2 or 4 axes.
        compute_size: has no effect.

    Returns:
        Real and imaginary parts by turns along the last axis, which is twice as long.
    """
    ...

def _contrib_getnnz(
    data: NDArray,
    axis: int | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Counts the stored elements of a matrix, all or those of each row.

    Args:
        data: a csr matrix.
        axis: 1 for each row, None for all.
    """
    ...

def _contrib_gradientmultiplier(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The data as it is, with its gradient multiplied by a number; a negative one reverses the gradient.

    Args:
        data: any array.
        scalar: the number.
        is_int: has no effect.
    """
    ...

def _contrib_group_adagrad_update(
    weight: NDArray,
    grad: NDArray,
    history: NDArray,
    lr: float = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 1e-05,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """AdaGrad with one rate for each row: its history is the sum of the rows' mean squares.

    Args:
        weight: what to update, of two or more axes.
        grad: its gradient.
        history: (rows, 1).
        lr: learning rate.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
        epsilon: added before the root.
    """
    ...

def _contrib_hawkesll(
    lda: NDArray,
    alpha: NDArray,
    beta: NDArray,
    state: NDArray,
    lags: NDArray,
    marks: NDArray,
    valid_length: NDArray,
    max_time: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The log likelihood of sequences of events of several kinds, each kind exciting itself.

    Only `lda`, `alpha` and `beta` have a gradient, and only from the likelihood.

    Args:
        lda: (batch, marks); intensity of each kind of event, in the absence of others.
        alpha: (marks,); how many events an event causes.
        beta: (marks,); how fast that fades.
        state: (batch, marks); the excitation at the start.
        lags: (batch, length); the time since the event before.
        marks: (batch, length); the kind of each event, int32.
        valid_length: (batch,); how many of the events count.
        max_time: (batch,); when observation ends.

    Returns:
        The log likelihood, (batch,), and the excitation at the end, (batch, marks).
    """
    ...

def _contrib_ifft(
    data: NDArray,
    compute_size: int = 128,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse Fourier transform along the last axis, not divided by the length: divide to undo `fft`.

    Args:
        data: real and imaginary parts by turns, with 2 or 4 axes.
        compute_size: has no effect.

    Returns:
        The real parts, half as many.
    """
    ...

def _contrib_index_array(
    data: NDArray,
    axes: Shape | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """For every element its place in the array, as int64 along a new last axis.

    Args:
        data: the array; only its shape counts.
        axes: the axes along which the place is given; all if not given.
    """
    ...

def _contrib_index_copy(
    old_tensor: NDArray,
    index_vector: NDArray,
    new_tensor: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A copy of an array with some of its rows replaced.

    Args:
        old_tensor: the array.
        index_vector: which rows are replaced; the last one counts if a row is named twice.
        new_tensor: the new rows.
    """
    ...

def _contrib_interleaved_matmul_encdec_qk(
    queries: NDArray,
    keys_values: NDArray,
    heads: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The scores of attention from one sequence to another: products of queries and keys over the root of their width.

    Args:
        queries: (length of the queries, batch, heads * width).
        keys_values: (length, batch, heads * 2 * width).
        heads: number of heads.

    Returns:
        (batch * heads, length of the queries, length).
    """
    ...

def _contrib_interleaved_matmul_encdec_valatt(
    keys_values: NDArray,
    attention: NDArray,
    heads: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """What attention from one sequence to another finds: the sum of the values, by their attention.

    Args:
        keys_values: (length, batch, heads * 2 * width).
        attention: (batch * heads, length of the queries, length).
        heads: number of heads.

    Returns:
        (length of the queries, batch, heads * width).
    """
    ...

def _contrib_interleaved_matmul_selfatt_qk(
    queries_keys_values: NDArray,
    heads: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The scores of attention within one sequence: products of queries and keys over the root of their width.

    Args:
        queries_keys_values: (length, batch, heads * 3 * width).
        heads: number of heads.

    Returns:
        (batch * heads, length, length).
    """
    ...

def _contrib_interleaved_matmul_selfatt_valatt(
    queries_keys_values: NDArray,
    attention: NDArray,
    heads: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """What attention within one sequence finds: the sum of the values, by their attention.

    Args:
        queries_keys_values: (length, batch, heads * 3 * width).
        attention: (batch * heads, length, length).
        heads: number of heads.

    Returns:
        (length, batch, heads * width).
    """
    ...

def _contrib_quadratic(
    data: NDArray,
    a: float = 0.0,
    b: float = 0.0,
    c: float = 0.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """a * x * x + b * x + c for every element x."""
    ...

def _contrib_quantize(
    data: NDArray,
    min_range: NDArray,
    max_range: NDArray,
    out_type: Literal['int8', 'uint8'] = 'uint8',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Quantizes real numbers within given limits.

    Args:
        data: float32.
        min_range: the least number, one element.
        max_range: the largest number, one element.
        out_type: what to make; in uint8 everything below 0 becomes 0.

    Returns:
        The quantized array and its limits; for int8 these are as far from 0 on both sides.
    """
    ...

def _contrib_quantize_asym(
    data: NDArray,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Quantizes real numbers to uint8 so that the levels cover exactly the range of the numbers.

    Args:
        data: float32.
        min_calib_range: the least number; that of the data if not both are given.
        max_calib_range: the largest number.

    Returns:
        The quantized array, and the scale and the shift with which it is x * scale + shift, rounded.
    """
    ...

def _contrib_quantize_v2(
    data: NDArray,
    out_type: Literal['auto', 'int8', 'uint8'] = 'int8',
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Quantizes real numbers within limits that are known, or else found in the data.

    Args:
        data: float32; what is quantized already passes as it is.
        out_type: what to make. 'auto' makes uint8 if the least number is known not to be negative.
        min_calib_range: the least number; that of the data if not both are given.
        max_calib_range: the largest number.

    Returns:
        The quantized array and its limits; for int8 these are as far from 0 on both sides.
    """
    ...

def _contrib_quantized_act(
    data: NDArray,
    min_data: NDArray,
    max_data: NDArray,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """max(x, 0); its limits stay as they are.

    Args:
        data: int8 or uint8; the result is int8 always, in MXNet too.
        min_data: limits of the data, one element each.
        max_data: likewise.
        act_type: only 'relu'.
    """
    ...

def _contrib_quantized_batch_norm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    min_data: NDArray,
    max_data: NDArray,
    eps: float = 0.0010000000474974513,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Batch normalization by the moving averages; the result is int8.

    Args:
        data: int8 or uint8, with the channels as axis 1.
        gamma: float32, (channels,), as are the next three; it counts whatever `fix_gamma` says.
        beta: as above.
        moving_mean: as above.
        moving_var: as above.
        min_data: limits of the data, one element each.
        max_data: likewise.
        eps: added to the variance.
        momentum: has no effect.
        fix_gamma: has no effect.
        use_global_stats: has no effect.
        output_mean_var: has no effect.
        axis: where the channels are: 1.
        cudnn_off: has no effect.
        min_calib_range: limits of the result; required.
        max_calib_range: likewise.
    """
    ...

def _contrib_quantized_concat(
    *data: NDArray,
    num_args: int = ...,
    dim: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Joins arrays along an axis, brought to common limits.

    Args:
        data: int8 or uint8 arrays, then the minimum and the maximum of each of them, one element each.
        num_args: number of arrays, not counting the limits.
        dim: the axis.

    Returns:
        The joined array, int8 unless all are uint8, and its limits.
    """
    ...

def _contrib_quantized_conv(
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    min_data: NDArray | None = None,
    max_data: NDArray | None = None,
    min_weight: NDArray | None = None,
    max_weight: NDArray | None = None,
    min_bias: NDArray | None = None,
    max_bias: NDArray | None = None,
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
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Convolves images or volumes with filters, all of 8 bits; the result is int32.

    The levels of the bias are added as they are: its limits have no effect, in MXNet neither.

    Args:
        data: int8 or uint8, (batch, channels, *sizes).
        weight: int8, (num_filter, channels, *kernel).
        bias: int8, (num_filter,); left out with `no_bias`.
        min_data: limits of the data, one element each.
        max_data: likewise.
        min_weight: limits of the weight.
        max_weight: likewise.
        min_bias: limits of the bias; left out with `no_bias`.
        max_bias: likewise.
        kernel: size of the filters along 2 or 3 spatial axes.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters.
        num_group: 1.
        workspace: has no effect.
        no_bias: whether there is no bias.
        cudnn_tune: has no effect.
        cudnn_off: has no effect.
        layout: 'NCHW' or 'NCDHW'.
    """
    ...

def _contrib_quantized_elemwise_add(
    lhs: NDArray,
    rhs: NDArray,
    lhs_min: NDArray,
    lhs_max: NDArray,
    rhs_min: NDArray,
    rhs_max: NDArray,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Adds two arrays of one shape.

    Args:
        lhs: int8 or uint8.
        rhs: likewise.
        lhs_min: limits of `lhs`, one element each.
        lhs_max: likewise.
        rhs_min: limits of `rhs`.
        rhs_max: likewise.
        min_calib_range: limits of the result. With both given it has the dtype of the arrays, int8 if they differ;
            otherwise it is int32.
        max_calib_range: likewise.
    """
    ...

def _contrib_quantized_elemwise_mul(
    lhs: NDArray,
    rhs: NDArray,
    lhs_min: NDArray,
    lhs_max: NDArray,
    rhs_min: NDArray,
    rhs_max: NDArray,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    enable_float_output: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Multiplies two arrays of one shape.

    Args:
        lhs: int8.
        rhs: int8.
        lhs_min: limits of `lhs`, one element each.
        lhs_max: likewise.
        rhs_min: limits of `rhs`.
        rhs_max: likewise.
        min_calib_range: limits of the result. With both given it is int8, cut off; otherwise it is int32.
        max_calib_range: likewise.
        enable_float_output: whether to return real numbers alone.
    """
    ...

def _contrib_quantized_embedding(
    data: NDArray,
    weight: NDArray,
    min_weight: NDArray,
    max_weight: NDArray,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Replaces every index by a row of the weight; the limits stay as they are.

    Args:
        data: the indices; one out of range takes the first or last row.
        weight: int8, (input_dim, output_dim).
        min_weight: limits of the weight, one element each.
        max_weight: likewise.
        input_dim: the number of rows.
        output_dim: their length.
        dtype: has no effect.
        sparse_grad: has no effect.
    """
    ...

def _contrib_quantized_flatten(
    data: NDArray,
    min_data: NDArray,
    max_data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Joins all axes but the first; the limits stay as they are."""
    ...

def _contrib_quantized_fully_connected(
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    min_data: NDArray | None = None,
    max_data: NDArray | None = None,
    min_weight: NDArray | None = None,
    max_weight: NDArray | None = None,
    min_bias: NDArray | None = None,
    max_bias: NDArray | None = None,
    num_hidden: int = ...,
    no_bias: bool = False,
    flatten: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Multiplies by a weight matrix and adds a bias, all of 8 bits; the result is int32.

    Args:
        data: int8 or uint8; axes as those of `FullyConnected`.
        weight: int8, (num_hidden, width of the data).
        bias: int8, (num_hidden,); left out with `no_bias`.
        min_data: limits of the data, one element each.
        max_data: likewise.
        min_weight: limits of the weight.
        max_weight: likewise.
        min_bias: limits of the bias; left out with `no_bias`.
        max_bias: likewise.
        num_hidden: number of outputs.
        no_bias: whether there is no bias.
        flatten: whether to join all axes but the first.
    """
    ...

def _contrib_quantized_pooling(
    data: NDArray,
    min_data: NDArray,
    max_data: NDArray,
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
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The maximum or the rounded mean over windows; parameters as those of `Pooling`.

    Args:
        data: int8 or uint8, with 2 or 3 spatial axes.
        min_data: limits of the data, and of the result, one element each.
        max_data: likewise.
        kernel: size of the windows.
        pool_type: 'max' or 'avg'.
        global_pool: takes the whole data as one window.
        cudnn_off: has no effect.
        pooling_convention: what happens to elements at the end that do not fill a window.
        stride: step of the windows, 1 if not given.
        pad: padding on both sides of the data, 0 if not given.
        p_value: has no effect.
        count_include_pad: whether padding, and what a window lacks at the end, counts in the mean; it does if not
            given.
        layout: order of the axes; channels first if not given.
    """
    ...

def _contrib_quantized_rnn(
    data: NDArray,
    parameters: NDArray,
    state: NDArray,
    state_cell: NDArray,
    data_scale: NDArray,
    data_shift: NDArray,
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
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Applies an LSTM to sequences in uint8; weights and hidden states are quantized on the way, results are real.

    Args:
        data: uint8, (time, batch, input size): level = number * data_scale + data_shift.
        parameters: float32, all weights, then all biases, as `RNN` has them.
        state: float32, (layers times directions, batch, state size), the hidden states before the first step.
        state_cell: likewise, the cell states.
        data_scale: as above, one element; hidden states have the same.
        data_shift: likewise.
        state_size: size of the hidden and cell states.
        num_layers: number of layers.
        bidirectional: whether each layer reads in both directions, and joins their outputs.
        mode: 'lstm'.
        p: has no effect.
        state_outputs: whether to return the last hidden states and cell states, too.
        projection_size: none.
        lstm_state_clip_min: has no effect.
        lstm_state_clip_max: has no effect.
        lstm_state_clip_nan: has no effect.
        use_sequence_length: has no effect.
    """
    ...

def _contrib_requantize(
    data: NDArray,
    min_range: NDArray,
    max_range: NDArray,
    out_type: Literal['auto', 'int8', 'uint8'] = 'int8',
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Quantizes int32, the type of sums of products, to 8 bits.

    Args:
        data: int32.
        min_range: what the least int32 stands for, one element.
        max_range: what the largest int32 stands for, one element.
        out_type: what to make. 'auto' makes uint8 if the least number is known not to be negative.
        min_calib_range: the least number; that of the data if not both are given.
        max_calib_range: the largest number.

    Returns:
        The quantized array and its limits.
    """
    ...

def _contrib_round_ste(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number, halves away from zero; the gradient passes unchanged."""
    ...

def _contrib_sign_ste(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """-1, 0 or 1 by the sign of every element; the gradient passes unchanged."""
    ...

def _copy(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The same elements in a new array."""
    ...

def _cvcopyMakeBorder(
    src: NDArray,
    top: int = ...,
    bot: int = ...,
    left: int = ...,
    right: int = ...,
    type: int = 0,
    value: float = 0.0,
    values: Floats = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Puts a border around an image of (height, width, channels).

    Args:
        src: the image.
        top: rows above.
        bot: rows below.
        left: columns on the left.
        right: columns on the right.
        type: 0 constant, 1 the edge repeated, 2 mirrored, 3 wrapped around, 4 mirrored without the edge.
        value: what a constant border is filled with, in all channels.
        values: the same by channel, at most four; those left out are 0.
    """
    ...

def _cvimdecode(
    buf: NDArray,
    flag: int = 1,
    to_rgb: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Decodes the bytes of an image file to uint8 of (height, width, channels).

    Args:
        buf: the bytes, as uint8.
        flag: 1 for three channels, 0 for gray.
        to_rgb: red first; otherwise blue first, as OpenCV has it.
    """
    ...

def _cvimread(
    filename: str = ...,
    flag: int = 1,
    to_rgb: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Reads an image file to uint8 of (height, width, channels).

    Args:
        filename: its path.
        flag: 1 for three channels, 0 for gray.
        to_rgb: red first; otherwise blue first, as OpenCV has it.
    """
    ...

def _cvimresize(
    src: NDArray,
    w: int = ...,
    h: int = ...,
    interp: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Resizes one image of (height, width, channels).

    Args:
        src: the image: uint8, float32 or float64.
        w: the new width.
        h: the new height.
        interp: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
    """
    ...

def _div_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides an array and a scalar, element by element."""
    ...

def _equal(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests equality of two arrays of the same shape, element by element."""
    ...

def _equal_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests equality of an array and a scalar, element by element."""
    ...

def _eye(
    N: int = ...,
    M: int = 0,
    k: int = 0,
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A matrix of N rows and M columns, N if not given, with ones on the k-th diagonal."""
    ...

def _foreach(
    *data: NDArray,
    num_args: int = ...,
    num_outputs: int = ...,
    num_out_data: int = ...,
    in_state_locs: Shape = ...,
    in_data_locs: Shape = ...,
    remain_locs: Shape = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Runs a body on each slice of the data along their first axis, with states that go from step to step.

    Args:
        data: the arrays to slice, the states to begin with, then what the body reads besides.
        bodies: the body: slices, states and the rest to results and new states.
        num_outputs: how many arrays the body gives.
        num_out_data: how many of them, the first, are results to stack; the others are the new states.
        in_state_locs: at which places among the body's variables the states are.
        in_data_locs: the places of the slices.
        remain_locs: the places of the rest.
    """
    ...

def _full(
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    value: float = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An array filled with one value."""
    ...

def _grad_add(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds two arrays of the same shape, element by element."""
    ...

def _greater(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `lhs > rhs` for two arrays of the same shape, element by element."""
    ...

def _greater_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `lhs >= rhs` for two arrays of the same shape, element by element."""
    ...

def _greater_equal_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data >= scalar` for an array and a scalar, element by element."""
    ...

def _greater_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data > scalar` for an array and a scalar, element by element."""
    ...

def _histogram(
    data: NDArray,
    bins: NDArray | None = None,
    bin_cnt: int | None = None,
    range: Floats | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Counts the elements in bins; the last one includes its upper edge.

    Args:
        data: the elements.
        bins: the edges of the bins, in order.
        bin_cnt: the number of bins of equal width, instead of edges.
        range: lower and upper end of these.

    Returns:
        The counts as int64, and the edges in the dtype of the data.
    """
    ...

def _hypot(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the hypotenuse over two arrays of the same shape, element by element."""
    ...

def _hypot_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the hypotenuse over an array and a scalar, element by element."""
    ...

def _identity_with_attr_like_rhs(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The elements of `lhs`; `rhs` only says which shape and dtype they must have."""
    ...

def _image_adjust_lighting(
    data: NDArray,
    alpha: Floats = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Shifts the color along the directions in which ImageNet's colors vary; gray images stay as they are.

    Args:
        data: one image.
        alpha: how far along each of the three directions.
    """
    ...

def _image_crop(
    data: NDArray,
    x: int = ...,
    y: int = ...,
    width: int = ...,
    height: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Cuts a rectangle out of images.

    Args:
        data: an image of (height, width, channels), or a batch with N in front.
        x: the leftmost column to keep.
        y: the topmost row to keep.
        width: of the rectangle.
        height: of the rectangle.
    """
    ...

def _image_flip_left_right(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Mirrors an image of (height, width, channels) from left to right."""
    ...

def _image_flip_top_bottom(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Turns an image of (height, width, channels) upside down, as a mirror does."""
    ...

def _image_normalize(
    data: NDArray,
    mean: Floats = (0.0, 0.0, 0.0, 0.0),
    std: Floats = (1.0, 1.0, 1.0, 1.0),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Subtracts a mean from each channel and divides by a standard deviation.

    Args:
        data: an image of (channels, height, width), or a batch with N in front; 1 or 3 channels.
        mean: one number, or one for each channel.
        std: likewise.
    """
    ...

def _image_random_brightness(
    data: NDArray,
    min_factor: float = ...,
    max_factor: float = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Multiplies an image by a random factor between `min_factor` and `max_factor`."""
    ...

def _image_random_color_jitter(
    data: NDArray,
    brightness: float = ...,
    contrast: float = ...,
    saturation: float = ...,
    hue: float = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Changes brightness, contrast, saturation and hue at random, in random order.

    Args:
        data: one image.
        brightness: its factor lies between 1 - brightness and 1 + brightness; 0 leaves it alone.
        contrast: likewise.
        saturation: likewise.
        hue: likewise.
        rng: what order and factors are drawn from.
    """
    ...

def _image_random_contrast(
    data: NDArray,
    min_factor: float = ...,
    max_factor: float = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Moves an image away from its mean lightness by a random factor: 0 is even gray, 1 no change."""
    ...

def _image_random_flip_left_right(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Mirrors an image from left to right, or leaves it, with equal chances."""
    ...

def _image_random_flip_top_bottom(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Turns an image upside down, or leaves it, with equal chances."""
    ...

def _image_random_hue(
    data: NDArray,
    min_factor: float = ...,
    max_factor: float = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Turns the hue by a random part of the circle: 0 and 1 are no change, 0.5 is the opposite color."""
    ...

def _image_random_lighting(
    data: NDArray,
    alpha_std: float = 0.05,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Shifts the color as `adjust_lighting` does, by normal random numbers of standard deviation `alpha_std`."""
    ...

def _image_random_saturation(
    data: NDArray,
    min_factor: float = ...,
    max_factor: float = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Makes the colors of an image stronger or weaker by a random factor: 1 is no change."""
    ...

def _image_resize(
    data: NDArray,
    size: Shape = (),
    keep_ratio: bool = False,
    interp: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Resizes images with OpenCV; no gradient passes.

    Args:
        data: an image of (height, width, channels), or a batch with N in front: uint8, float32 or float64.
        size: (width, height), or one number: both, or with `keep_ratio` the shorter side.
        keep_ratio: keeps the ratio of the sides if `size` is one number.
        interp: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
    """
    ...

def _image_to_tensor(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Converts images from (height, width, channels) of 0 to 255 to float32 (channels, height, width) of 0 to 1.

    Args:
        data: one image, or a batch with N in front, of any dtype.
    """
    ...

def _lesser(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `lhs < rhs` for two arrays of the same shape, element by element."""
    ...

def _lesser_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `lhs <= rhs` for two arrays of the same shape, element by element."""
    ...

def _lesser_equal_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data <= scalar` for an array and a scalar, element by element."""
    ...

def _lesser_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data < scalar` for an array and a scalar, element by element."""
    ...

def _linalg_det(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The determinant of each matrix."""
    ...

def _linalg_extractdiag(
    A: NDArray,
    offset: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The diagonal of each matrix, or one `offset` places above it (below, if negative)."""
    ...

def _linalg_extracttrian(
    A: NDArray,
    offset: int = 0,
    lower: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The elements of a triangle of each matrix, packed in one axis.

    Args:
        A: square matrices.
        offset: how far from the diagonal the triangle begins: above it if positive, below it if negative.
        lower: whether it is the lower triangle, for `offset` 0.
    """
    ...

def _linalg_gelqf(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The factors Q, with orthonormal rows, and L, lower triangular, of A = L Q, for A not higher than wide."""
    ...

def _linalg_gemm(
    A: NDArray,
    B: NDArray,
    C: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _linalg_gemm2(
    A: NDArray,
    B: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    axis: int = -2,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Matrix products: alpha * A B; the arguments are those of `linalg.gemm`."""
    ...

def _linalg_inverse(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of each matrix."""
    ...

def _linalg_makediag(
    A: NDArray,
    offset: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Matrices with the last axis as their diagonal, or `offset` places above it (below, if negative)."""
    ...

def _linalg_maketrian(
    A: NDArray,
    offset: int = 0,
    lower: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Matrices with zeros but for a triangle that the last axis holds; the inverse of `linalg.extracttrian`.

    Args:
        A: packed triangles.
        offset: how far from the diagonal the triangle begins: above it if positive, below it if negative.
        lower: whether it is the lower triangle, for `offset` 0.
    """
    ...

def _linalg_potrf(
    A: NDArray,
    lower: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The Cholesky factor: the lower triangular L with L L^T = A, for symmetric positive definite A.

    Args:
        A: the matrices, of which one triangle is read.
        lower: whether the lower triangle is read, or the upper, which gives the upper triangular U with U^T U = A.
    """
    ...

def _linalg_potri(
    A: NDArray,
    lower: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the matrix whose Cholesky factor is A: a triangle L of A gives (L L^T)^-1, U gives (U^T U)^-1.

    Args:
        A: the factors, of which one triangle is read.
        lower: whether the lower triangle is read, or the upper.
    """
    ...

def _linalg_slogdet(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The sign of the determinant of each matrix, and the logarithm of its absolute value."""
    ...

def _linalg_sumlogdiag(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sum of the logarithms of the diagonal of each matrix."""
    ...

def _linalg_syevd(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The eigenvectors, as rows, and the eigenvalues, ascending, of symmetric matrices.

    Only the lower triangle is read. The element of largest absolute value of each vector is positive.
    """
    ...

def _linalg_syrk(
    A: NDArray,
    transpose: bool = False,
    alpha: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Products with the own transpose: alpha * A A^T, or alpha * A^T A with `transpose`."""
    ...

def _linalg_trmm(
    A: NDArray,
    B: NDArray,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _linalg_trsm(
    A: NDArray,
    B: NDArray,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _linspace(
    start: float = ...,
    stop: float = ...,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    num: int = ...,
    endpoint: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Evenly spaced numbers over an interval.

    Args:
        start: the first number.
        stop: the end of the interval.
        step: not to be used, like `repeat` and `infer_range`; MXNet lists them, and refuses them.
        repeat: not to be used.
        infer_range: not to be used.
        ctx: where to put the array.
        dtype: of the numbers.
        num: how many.
        endpoint: whether `stop` is the last one; otherwise it is the one that would come next.
    """
    ...

def _logical_and(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests whether both are non-zero of two arrays of the same shape, element by element."""
    ...

def _logical_and_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests whether both are non-zero of an array and a scalar, element by element."""
    ...

def _logical_or(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests whether any is non-zero of two arrays of the same shape, element by element."""
    ...

def _logical_or_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests whether any is non-zero of an array and a scalar, element by element."""
    ...

def _logical_xor(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests whether exactly one is non-zero of two arrays of the same shape, element by element."""
    ...

def _logical_xor_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests whether exactly one is non-zero of an array and a scalar, element by element."""
    ...

def _maximum(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the larger of two arrays of the same shape, element by element."""
    ...

def _maximum_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the larger of an array and a scalar, element by element."""
    ...

def _minimum(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the smaller of two arrays of the same shape, element by element."""
    ...

def _minimum_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the smaller of an array and a scalar, element by element."""
    ...

def _minus_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Subtracts an array and a scalar, element by element."""
    ...

def _mod(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the remainder of two arrays of the same shape, element by element."""
    ...

def _mod_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the remainder of an array and a scalar, element by element."""
    ...

def _mp_adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    weight32: NDArray,
    rescale_grad: NDArray,
    lr: float = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    eta: float = ...,
    clip_gradient: float = -1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """`_adamw_update` in float32 for a weight of lower precision."""
    ...

def _mul_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Multiplies an array and a scalar, element by element."""
    ...

def _multi_adamw_update(
    *data: NDArray,
    lrs: Floats = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wds: Floats = ...,
    etas: Floats = ...,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """`_adamw_update` of many weights: weight, gradient, mean and var of each, then one rescale_grad for all."""
    ...

def _multi_lamb_update(
    *data: NDArray,
    learning_rates: Floats = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    wds: Floats = ...,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: Shape = ...,
    num_tensors: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Both phases of LAMB on many weights: weight, gradient, mean and var of each."""
    ...

def _multi_mp_adamw_update(
    *data: NDArray,
    lrs: Floats = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wds: Floats = ...,
    etas: Floats = ...,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """`_mp_adamw_update` of many weights: weight, gradient, mean, var, float32 weight; then one rescale_grad."""
    ...

def _multi_mp_lamb_update(
    *data: NDArray,
    learning_rates: Floats = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    wds: Floats = ...,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: Shape = ...,
    num_tensors: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Both phases of LAMB on many weights of lower precision: weight, gradient, mean, var, float32 weight of each."""
    ...

def _not_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests inequality of two arrays of the same shape, element by element."""
    ...

def _not_equal_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests inequality of an array and a scalar, element by element."""
    ...

def _np_all(
    data: NDArray,
    axis: Shape | None = None,
    keepdims: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Whether all elements along axes are true, that is, not 0."""
    ...

def _np_any(
    data: NDArray,
    axis: Shape | None = None,
    keepdims: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Whether any element along axes is true, that is, not 0."""
    ...

def _np_atleast_1d(
    *arys: NDArray,
    num_args: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """The arrays, scalars as arrays of one element."""
    ...

def _np_atleast_2d(
    *arys: NDArray,
    num_args: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """The arrays with at least two axes: new ones stand in front."""
    ...

def _np_atleast_3d(
    *arys: NDArray,
    num_args: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """The arrays with at least three axes: (n,) becomes (1, n, 1), and (m, n) becomes (m, n, 1)."""
    ...

def _np_copy(
    a: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The same elements in a new array."""
    ...

def _np_cumsum(
    a: NDArray,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Running sums along an axis, or over the flattened array, in `dtype` if it is given."""
    ...

def _np_diag(
    data: NDArray,
    k: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The k-th diagonal of a matrix, or, from one axis, a matrix with it as its k-th diagonal."""
    ...

def _np_diagflat(
    data: NDArray,
    k: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A matrix with all elements of the array as its k-th diagonal."""
    ...

def _np_diagonal(
    data: NDArray,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A diagonal of the matrices in two axes; it becomes the last axis."""
    ...

def _np_dot(
    a: NDArray,
    b: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Sums products over the last axis of `a` and the last but one of `b`, or its only one.

    For two vectors this is the inner product, for two matrices the matrix product, and with a number on either side
    the multiplication by it.
    """
    ...

def _np_max(
    a: NDArray,
    axis: Shape | None = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The largest element along axes; every one that ties gets the gradient.

    Args:
        a: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        initial: not supported, as in MXNet.
    """
    ...

def _np_min(
    a: NDArray,
    axis: Shape | None = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The smallest element along axes; the arguments are those of `np.max`."""
    ...

def _np_moveaxis(
    a: NDArray,
    source: Shape = ...,
    destination: Shape = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Moves axes to other places; the other axes keep their order."""
    ...

def _np_prod(
    a: NDArray,
    axis: Shape | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The product over axes, and 0 of nothing, as in MXNet; the arguments are those of `np.sum`."""
    ...

def _np_reshape(
    a: NDArray,
    newshape: Shape = ...,
    order: str = 'C',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gives the elements another shape; one length may be -1, which is worked out. They stay in row-major order."""
    ...

def _np_roll(
    data: NDArray,
    shift: Shape | None = None,
    axis: Shape | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Moves the elements along axes; what is pushed out at one end comes in at the other.

    Args:
        data: the array.
        shift: by how many places, one number for all axes or one for each.
        axis: the axes; if not given, all elements are moved as if they stood in one row.
    """
    ...

def _np_squeeze(
    a: NDArray,
    axis: Shape | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Removes axes of length 1: all of them, or the given ones."""
    ...

def _np_sum(
    a: NDArray,
    axis: Shape | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sum over axes.

    Args:
        a: the array.
        axis: the axes to reduce, one or several; all if there is none.
        dtype: dtype of the result; that of the array if there is none, and int64 for bools.
        keepdims: keep the reduced axes with length 1.
        initial: not supported, as in MXNet.
    """
    ...

def _np_trace(
    data: NDArray,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sum along a diagonal.

    Args:
        data: the array.
        offset: how far above the main diagonal (below, if negative).
        axis1: the axis of the rows.
        axis2: the axis of the columns.
    """
    ...

def _np_transpose(
    a: NDArray,
    axes: Shape | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Puts the axes in another order, reversed if none is given."""
    ...

def _npi_absolute(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The absolute value."""
    ...

def _npi_add(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_add_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds a scalar to every element."""
    ...

def _npi_arange(
    start: float = ...,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Evenly spaced numbers; `start` alone counts from 0 up to it.

    Start and step get the dtype first: integers count in whole steps. `repeat` is not to be used.
    """
    ...

def _npi_arccos(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The angle whose cosine this is."""
    ...

def _npi_arccosh(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the hyperbolic cosine."""
    ...

def _npi_arcsin(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The angle whose sine this is."""
    ...

def _npi_arcsinh(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the hyperbolic sine."""
    ...

def _npi_arctan(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The angle whose tangent this is."""
    ...

def _npi_arctan2(
    x1: NDArray,
    x2: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The angle of the point with height `x1` and width `x2`, seen from the origin; broadcasts."""
    ...

def _npi_arctan2_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The angle of the points with the elements as height and a scalar as width."""
    ...

def _npi_arctanh(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the hyperbolic tangent."""
    ...

def _npi_argmax(
    data: NDArray,
    axis: int | None = None,
    keepdims: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The position of the largest element along an axis, or in the flattened array, as int64."""
    ...

def _npi_argmin(
    data: NDArray,
    axis: int | None = None,
    keepdims: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The position of the smallest element along an axis, or in the flattened array, as int64."""
    ...

def _npi_around(
    x: NDArray,
    decimals: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Rounds to so many decimals; halves go to the even neighbour.

    Args:
        x: the array. Integers are cut off towards zero instead.
        decimals: how many digits are left behind the point; below zero, before it.
    """
    ...

def _npi_average(
    a: NDArray,
    weights: NDArray | None = None,
    axis: Shape | None = None,
    returned: bool = False,
    weighted: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """The mean over axes with weights; of integers, cut off.

    Args:
        a: the array.
        weights: as many as elements, or as many as the one axis is long.
        axis: the axes to reduce, one or several; all if there is none.
        returned: also return the sum of the weights.
        weighted: whether there are weights; they count as 1 otherwise.
    """
    ...

def _npi_backward_ediff1d(
    ograd: NDArray,
    input1: NDArray,
    input2: NDArray | None = None,
    input3: NDArray | None = None,
    to_begin_arr_given: bool = False,
    to_end_arr_given: bool = False,
    to_begin_scalar: float | None = None,
    to_end_scalar: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """The gradients of `ediff1d` from the one of its result, one for each of its arrays."""
    ...

def _npi_backward_nan_to_num(
    ograd: NDArray,
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The gradient of `_npi_nan_to_num`: none where the data is NaN or infinite."""
    ...

def _npi_backward_polyval(
    ograd: NDArray,
    p: NDArray,
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The gradients of `polyval` from the one of its result: for the coefficients and for `x`."""
    ...

def _npi_bernoulli(
    input1: NDArray | None = None,
    prob: float | None = ...,
    logit: float | None = ...,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    is_logit: bool = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Ones with a probability, else zeros; without gradient.

    Args:
        input1: the probability, or its logit, if it is an array.
        prob: the probability, if it is a number.
        logit: the logit of the probability, if that is a number.
        size: the shape of the result; that of the parameter if there is none.
        ctx: where to make the result.
        dtype: the dtype of the result.
        is_logit: whether it is the logit that is given.
        rng: supplied by the caller's surroundings.
    """
    ...

def _npi_bincount(
    data: NDArray,
    weights: NDArray | None = None,
    minlength: int = 0,
    has_weights: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """How often each of the numbers 0, 1, 2, ... occurs, or the sums of their weights, without gradient.

    Args:
        data: a vector of integers, none below 0; counts have its dtype.
        weights: one for each, as which it is counted; sums have their dtype.
        minlength: the least length of the result.
        has_weights: whether there are weights.
    """
    ...

def _npi_bitwise_and(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the bits that are set in both of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_bitwise_and_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The bits of every element that are set in a scalar too."""
    ...

def _npi_bitwise_not(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Turns over every bit of integers, and every bool."""
    ...

def _npi_bitwise_or(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the bits that are set in any of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_bitwise_or_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The bits that are set in an element or in a scalar."""
    ...

def _npi_bitwise_xor(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the bits that differ between two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_bitwise_xor_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The bits of every element that differ from a scalar's."""
    ...

def _npi_blackman(
    M: int | None = None,
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The Blackman window of M points: two cosines, with less leakage than one."""
    ...

def _npi_boolean_mask_assign_scalar(
    data: NDArray,
    mask: NDArray,
    value: float = ...,
    start_axis: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A copy of the array with a number in all places where the mask is True; it covers axes from `start_axis` on."""
    ...

def _npi_boolean_mask_assign_tensor(
    data: NDArray,
    mask: NDArray,
    value: NDArray,
    start_axis: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A copy of the array with values in the places where the mask is True.

    Args:
        data: the array.
        mask: where to write.
        value: one slice for each True of the mask, or one for all.
        start_axis: the first axis that the mask covers.
    """
    ...

def _npi_broadcast_to(
    array: NDArray,
    shape: Shape = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Stretches axes of length 1, and puts new ones in front, up to a shape; -2 leaves an axis as it is."""
    ...

def _npi_cbrt(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The cube root."""
    ...

def _npi_ceil(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number above."""
    ...

def _npi_choice(
    input1: NDArray | None = None,
    input2: NDArray | None = None,
    a: int | None = ...,
    size: Shape | None = ...,
    ctx: Context | str | None = None,
    replace: bool = True,
    weighted: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Positions below a number, or in an array, as int64.

    Args:
        input1: the array to choose from, or the weights if there is only a number.
        input2: the weights, if there is an array to choose from.
        a: the number of positions, if there is no array.
        size: the shape of the result; a single position if there is none.
        ctx: where to make the result.
        replace: whether a position can be chosen again.
        weighted: whether there are weights: a position is chosen as often as its weight says.
        rng: supplied by the caller's surroundings.
    """
    ...

def _npi_cholesky(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The lower triangular L with L L^T = A, for symmetric positive definite A, of which the lower triangle is read."""
    ...

def _npi_column_stack(
    *data: NDArray,
    num_args: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Joins arrays along the second axis; those of one axis become columns."""
    ...

def _npi_concatenate(
    *data: NDArray,
    num_args: int = ...,
    axis: int | None = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Joins arrays along an axis they have, or all their elements in one row for axis None."""
    ...

def _npi_copysign(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the size of `lhs` and the sign of `rhs` of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_copysign_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The size of every element with the sign of a scalar."""
    ...

def _npi_cos(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The cosine of an angle in radians."""
    ...

def _npi_cosh(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The hyperbolic cosine."""
    ...

def _npi_degrees(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An angle converted from radians to degrees."""
    ...

def _npi_delete(
    arr: NDArray,
    obj: NDArray | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Leaves out places of an axis.

    Args:
        arr: the array.
        obj: the places, or they are given as follows; those out of range, negative ones too, are passed over.
        start: the first place of a slice.
        stop: the place after its last.
        step: the distance from place to place.
        int_ind: a single place.
        axis: the axis; if not given, all elements stand in one row first.
    """
    ...

def _npi_diag_indices_from(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Where the diagonal of an array with axes of equal length lies: a row of places for each axis."""
    ...

def _npi_diff(
    a: NDArray,
    n: int = 1,
    axis: int = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Differences of neighbours along an axis, taken `n` times."""
    ...

def _npi_dsplit(
    data: NDArray,
    indices: Shape = ...,
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Cuts an array along its third axis.

    Args:
        data: the array.
        indices: where each part starts; the first number is 0.
        axis: not used.
        squeeze_axis: leave the axis out of the parts, which then must have length 1 on it.
        sections: the number of parts, instead of `indices`.
    """
    ...

def _npi_dstack(
    *data: NDArray,
    num_args: int = ...,
    dim: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Joins arrays along the third axis; (n,) counts as (1, n, 1), and (m, n) as (m, n, 1). `dim` is not used."""
    ...

def _npi_ediff1d(
    input1: NDArray,
    input2: NDArray | None = None,
    input3: NDArray | None = None,
    to_begin_arr_given: bool = False,
    to_end_arr_given: bool = False,
    to_begin_scalar: float | None = None,
    to_end_scalar: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Differences of neighbours in the flattened array, with something before and after them.

    Args:
        input1: the array.
        input2: what comes before, or, if that is no array, what comes after.
        input3: what comes after, if both are arrays.
        to_begin_arr_given: whether an array comes before.
        to_end_arr_given: whether an array comes after.
        to_begin_scalar: a number that comes before.
        to_end_scalar: a number that comes after.
    """
    ...

def _npi_eig(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The eigenvalues and the eigenvectors, as columns, of square matrices; all must be real. Without gradient."""
    ...

def _npi_eigh(
    A: NDArray,
    UPLO: str = 'L',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The eigenvalues, ascending, and the eigenvectors, as columns, of symmetric matrices, without gradient.

    The element of largest absolute value of each vector is positive.

    Args:
        A: the matrices, of which one triangle is read.
        UPLO: "U" reads the upper triangle, anything else the lower.
    """
    ...

def _npi_eigvals(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The eigenvalues of square matrices; all must be real. Without gradient."""
    ...

def _npi_eigvalsh(
    A: NDArray,
    UPLO: str = 'L',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The eigenvalues, ascending, of symmetric matrices; the arguments are those of `eigh`. Without gradient."""
    ...

def _npi_einsum(
    *data: NDArray,
    num_args: int = ...,
    subscripts: str = '',
    optimize: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Sums products as Einstein's notation says, such as "ij,jk->ik" for the product of two matrices.

    Args:
        data: the arrays.
        subscripts: letters for the axes of each array, then those of the result.
        optimize: has no effect; a good order is always looked for.
    """
    ...

def _npi_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests equality of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_equal_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data == scalar` for every element."""
    ...

def _npi_exp(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The exponential."""
    ...

def _npi_expm1(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """exp(x) - 1, precise for small x."""
    ...

def _npi_exponential(
    input1: NDArray | None = None,
    scale: float | None = 1.0,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Exponential variates with mean `scale`, float32.

    Args:
        input1: the parameter, if it is an array.
        scale: the parameter, if it is a number.
        size: the shape of the result; that of the parameter if there is none.
        ctx: where to make the result.
        rng: supplied by the caller's surroundings.
    """
    ...

def _npi_eye(
    N: int = ...,
    M: int | None = None,
    k: int = 0,
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A matrix of N rows and M columns, N if not given, with ones on the k-th diagonal."""
    ...

def _npi_fix(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number towards zero."""
    ...

def _npi_flip(
    data: NDArray,
    axis: Shape | None = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Reverses the order of the elements along the given axes, all of them for None."""
    ...

def _npi_floor(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number below."""
    ...

def _npi_full_like(
    a: NDArray,
    fill_value: float = ...,
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An array of the shape, and if no other is given the dtype, of another one, filled with one value."""
    ...

def _npi_gamma(
    input1: NDArray | None = None,
    input2: NDArray | None = None,
    shape: float | None = ...,
    scale: float | None = ...,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gamma variates, without gradient: the mean is shape * scale; the arguments are those of `np.random.normal`."""
    ...

def _npi_greater(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `lhs > rhs` for two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_greater_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `lhs >= rhs` for two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_greater_equal_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data >= scalar` for every element."""
    ...

def _npi_greater_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data > scalar` for every element."""
    ...

def _npi_gumbel(
    input1: NDArray | None = None,
    input2: NDArray | None = None,
    loc: float | None = ...,
    scale: float | None = ...,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gumbel variates, float32; the arguments are those of `np.random.normal`."""
    ...

def _npi_hamming(
    M: int | None = None,
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The Hamming window of M points: a raised cosine that ends above zero."""
    ...

def _npi_hanning(
    M: int | None = None,
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The Hann window of M points: a raised cosine that ends in zeros."""
    ...

def _npi_hsplit(
    data: NDArray,
    indices: Shape = ...,
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Cuts an array along its second axis, or its only one.

    Args:
        data: the array.
        indices: where each part starts; the first number is 0.
        axis: not used.
        squeeze_axis: leave the axis out of the parts, which then must have length 1 on it.
        sections: the number of parts, instead of `indices`.
    """
    ...

def _npi_hsplit_backward(
    *ograds: NDArray,
    indices: Shape = ...,
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The gradient of `hsplit` from those of the parts: put together again.

    Args:
        ograds: gradients of the parts.
        indices: where each part starts; the first number is 0.
        axis: not used.
        squeeze_axis: whether the parts lack the axis.
        sections: the number of parts, if the axis was cut into so many instead.
    """
    ...

def _npi_hstack(
    *data: NDArray,
    num_args: int = ...,
    dim: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Joins arrays along the second axis, or the first if they have no other; `dim` is not used."""
    ...

def _npi_hypot(
    x1: NDArray,
    x2: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The hypotenuse over two legs; broadcasts."""
    ...

def _npi_identity(
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A square matrix with ones on the diagonal."""
    ...

def _npi_indices(
    dimensions: Shape = ...,
    dtype: DTypeLike | None = 'int32',
    ctx: Context | str | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The place of every element of an array of this shape: one array for each axis, put together along a new one."""
    ...

def _npi_insert_scalar(
    arr: NDArray,
    values: NDArray | None = None,
    val: float | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Inserts values before one place of an axis.

    Args:
        arr: the array.
        values: what to insert; its first axis is the one along which several slices stand.
        val: a number to insert instead.
        start: not used.
        stop: not used.
        step: not used.
        int_ind: the place.
        axis: the axis; if not given, all elements stand in one row first.
    """
    ...

def _npi_insert_slice(
    arr: NDArray,
    values: NDArray | None = None,
    val: float | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Inserts values before the places that a slice of an axis names.

    Args:
        arr: the array.
        values: what to insert, one slice for each place or one for all.
        val: a number to insert instead.
        start: the first place.
        stop: the place after the last.
        step: the distance from place to place.
        int_ind: not used.
        axis: the axis; if not given, all elements stand in one row first.
    """
    ...

def _npi_insert_tensor(
    arr: NDArray,
    values: NDArray | None = None,
    obj: NDArray | None = None,
    val: float | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Inserts values before the given places of an axis.

    Args:
        arr: the array.
        values: what to insert, one slice for each place or one for all; with `val`, the places.
        obj: the places.
        val: a number to insert instead of values.
        start: not used.
        stop: not used.
        step: not used.
        int_ind: not used.
        axis: the axis; if not given, all elements stand in one row first.
    """
    ...

def _npi_isfinite(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests which elements are neither infinite nor NaN."""
    ...

def _npi_isinf(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests which elements are infinite."""
    ...

def _npi_isnan(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests which elements are NaN."""
    ...

def _npi_isneginf(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests which elements are minus infinity."""
    ...

def _npi_isposinf(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests which elements are plus infinity."""
    ...

def _npi_lcm(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the least common multiple of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_lcm_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The least common multiple of every element and a scalar, which must count as whole."""
    ...

def _npi_ldexp(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Multiplies by a power of two two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_ldexp_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Every element times 2 to the power of a scalar."""
    ...

def _npi_less(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `lhs < rhs` for two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_less_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `lhs <= rhs` for two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_less_equal_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data <= scalar` for every element."""
    ...

def _npi_less_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data < scalar` for every element."""
    ...

def _npi_log(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The natural logarithm."""
    ...

def _npi_log10(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The logarithm to base 10."""
    ...

def _npi_log1p(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """log(1 + x), precise for small x."""
    ...

def _npi_log2(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The logarithm to base 2."""
    ...

def _npi_logical_not(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests which elements are zero."""
    ...

def _npi_logistic(
    input1: NDArray | None = None,
    input2: NDArray | None = None,
    loc: float | None = ...,
    scale: float | None = ...,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Logistic variates, float32; the arguments are those of `np.random.normal`."""
    ...

def _npi_logspace(
    start: float = ...,
    stop: float = ...,
    num: int = ...,
    endpoint: bool = True,
    base: float = 10.0,
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Powers of `base` with evenly spaced exponents.

    Args:
        start: the first exponent.
        stop: the end of the exponents.
        num: how many.
        endpoint: whether `stop` is the last one; otherwise it is the one that would come next.
        base: what is raised.
        ctx: where to put the array.
        dtype: of the powers.
    """
    ...

def _npi_matmul(
    a: NDArray,
    b: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Multiplies matrices; a vector counts as a row on the left and as a column on the right.

    Args:
        a: the left matrices.
        b: the right matrices; the axes before the last two are stretched to fit.
    """
    ...

def _npi_mean(
    a: NDArray,
    axis: Shape | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The mean over axes, and 0 of nothing, as in MXNet; of integers and bools in float32.

    The arguments are those of `np.sum`. Where the result is of integers, they hold the sum too, as in NumPy.
    """
    ...

def _npi_mod(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the remainder, with the sign of `rhs`, of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_mod_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The remainder of every element by a scalar, with the sign of the scalar."""
    ...

def _npi_multinomial(
    a: NDArray | None = None,
    n: int = ...,
    pvals: Floats | None = None,
    size: Shape | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """How often each of several outcomes occurs in `n` trials, as int64.

    Args:
        a: the probabilities of the outcomes, if they are an array; the last outcome gets what is missing to 1.
        n: how many trials.
        pvals: the probabilities, if they are numbers.
        size: how many such experiments; the result has one more axis, for the outcomes.
        rng: supplied by the caller's surroundings.
    """
    ...

def _npi_multiply(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Multiplies two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_multiply_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Multiplies every element by a scalar."""
    ...

def _npi_nan_to_num(
    data: NDArray,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Puts numbers in the place of NaN and of the infinities; no gradient flows through those.

    Args:
        data: the array; one of integers stays as it is.
        copy: changes nothing: the result is always a new one, which `out` may put into the array.
        nan: what replaces NaN.
        posinf: what replaces plus infinity: by default the largest number of the dtype.
        neginf: what replaces minus infinity: by default the smallest number of the dtype.
    """
    ...

def _npi_negative(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The number with the other sign."""
    ...

def _npi_norm(
    data: NDArray,
    ord: float = 2.0,
    axis: Shape | None = None,
    keepdims: bool = False,
    flag: int = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A norm of vectors along one axis, of matrices in two, or of the whole array.

    Args:
        data: the array.
        ord: the order.
        axis: the axis of the vectors, or the axes of rows and columns of the matrices; all if there is none.
        keepdims: keep the reduced axes with length 1.
        flag: which norm: -2 that of all elements, -1 the one of the order, 0 the order 2 or -2 of matrices, 1 the root
            of the sum of squares, 2 the sum of singular values.
    """
    ...

def _npi_normal(
    input1: NDArray | None = None,
    input2: NDArray | None = None,
    loc: float | None = ...,
    scale: float | None = ...,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Normal variates with mean `loc` and standard deviation `scale`.

    Args:
        input1: the first parameter that is an array.
        input2: the second one.
        loc: the mean, if it is a number.
        scale: the standard deviation, if it is a number.
        size: the shape of the result; that of the parameters if there is none.
        ctx: where to make the result.
        dtype: a floating dtype.
        rng: supplied by the caller's surroundings.
    """
    ...

def _npi_normal_n(
    input1: NDArray | None = None,
    input2: NDArray | None = None,
    loc: float | None = ...,
    scale: float | None = ...,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Normal variates as `np.random.normal` draws, but `size` comes before the shape of the parameters."""
    ...

def _npi_not_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests inequality of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_not_equal_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Tests `data != scalar` for every element."""
    ...

def _npi_ones(
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An array of ones."""
    ...

def _npi_pad(
    data: NDArray,
    pad_width: Sequence[Shape] = ...,
    mode: Literal['constant', 'edge', 'maximum', 'minimum', 'reflect', 'symmetric'] = 'constant',
    constant_value: float = 0.0,
    reflect_type: str = 'even',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds a border.

    Args:
        data: the array.
        pad_width: how much to add before and after each axis, such as ((1, 1), (0, 2)).
        mode: what the border holds: a constant, the nearest element, the greatest or least element along the axis, or
            the elements mirrored, 'reflect' at the last element and 'symmetric' behind it.
        constant_value: the constant.
        reflect_type: 'even', the only way to mirror there is.
    """
    ...

def _npi_pareto(
    input1: NDArray | None = None,
    a: float | None = None,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Pareto variates of shape `a` that begin at 0, float32; the arguments are those of `np.random.exponential`."""
    ...

def _npi_percentile(
    a: NDArray,
    q: NDArray | None = None,
    axis: Shape | None = None,
    interpolation: Literal['higher', 'linear', 'lower', 'midpoint', 'nearest'] = 'linear',
    keepdims: bool = False,
    q_scalar: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The percentiles of the elements along axes, without gradient; float64 of float64, float32 of anything else.

    Args:
        a: the array.
        q: which percentiles, one number or a vector that becomes the first axis of the result.
        axis: the axes to reduce, one or several; all if there is none.
        interpolation: what to do between two elements.
        keepdims: keep the reduced axes with length 1.
        q_scalar: one percentile, instead of `q`.
    """
    ...

def _npi_pinv(
    A: NDArray,
    rcond: NDArray,
    hermitian: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The pseudo-inverse of each matrix, without gradient.

    Args:
        A: the matrices.
        rcond: one number, or one for each matrix: singular values up to that share of the largest count as 0.
        hermitian: whether the matrices are symmetric; has no effect.
    """
    ...

def _npi_pinv_scalar_rcond(
    A: NDArray,
    rcond: float = 1e-15,
    hermitian: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The pseudo-inverse of each matrix, without gradient; `rcond` is one number for all, see `pinv`."""
    ...

def _npi_polyval(
    p: NDArray,
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The value of a polynomial at every element of `x`; its coefficients begin with that of the highest power."""
    ...

def _npi_power(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Raises to a power two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_power_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Every element to the power of a scalar."""
    ...

def _npi_powerd(
    input1: NDArray | None = None,
    a: float | None = None,
    size: Shape | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers from 0 to 1 with the density a * x**(a - 1), float32, without gradient."""
    ...

def _npi_radians(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An angle converted from degrees to radians."""
    ...

def _npi_rarctan2_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The angle of the points with a scalar as height and the elements as width."""
    ...

def _npi_rayleigh(
    input1: NDArray | None = None,
    scale: float | None = 1.0,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Rayleigh variates with mode `scale`, float32; the arguments are those of `np.random.exponential`."""
    ...

def _npi_rcopysign_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The size of a scalar with the sign of every element."""
    ...

def _npi_reciprocal(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """One divided by the number."""
    ...

def _npi_rint(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number; halves go down."""
    ...

def _npi_rldexp_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A scalar times 2 to the power of every element."""
    ...

def _npi_rmod_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The remainder of a scalar by every element, with the sign of the element."""
    ...

def _npi_rot90(
    data: NDArray,
    k: int = 1,
    axes: Shape | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Turns the plane of two axes k times by 90 degrees, from the first axis towards the second."""
    ...

def _npi_rpower_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A scalar to the power of every element."""
    ...

def _npi_rsubtract_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Subtracts every element from a scalar."""
    ...

def _npi_rtrue_divide_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides a scalar by every element; integers and bools as float32."""
    ...

def _npi_share_memory(
    a: NDArray,
    b: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Whether two arrays lie in the same memory, or in overlapping parts of one."""
    ...

def _npi_sign(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """-1, 0 or 1, the sign; 0 for NaN."""
    ...

def _npi_sin(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sine of an angle in radians."""
    ...

def _npi_sinh(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The hyperbolic sine."""
    ...

def _npi_solve(
    A: NDArray,
    B: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Solves A X = B.

    Args:
        A: square matrices.
        B: for each of them a matrix, or a vector with one dimension less.
    """
    ...

def _npi_sqrt(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The square root."""
    ...

def _npi_square(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The square."""
    ...

def _npi_stack(
    *data: NDArray,
    num_args: int = ...,
    axis: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Joins arrays of the same shape along a new axis."""
    ...

def _npi_std(
    a: NDArray,
    axis: Shape | None = None,
    dtype: DTypeLike | None = None,
    ddof: int = 0,
    keepdims: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The standard deviation over axes, without gradient.

    Args:
        a: the array.
        axis: the axes to reduce, one or several; all if there is none.
        dtype: dtype of the result; that of the array if there is none.
        ddof: what is subtracted from the number of elements before it divides the sum of squares.
        keepdims: keep the reduced axes with length 1.
    """
    ...

def _npi_subtract(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Subtracts two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_subtract_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Subtracts a scalar from every element."""
    ...

def _npi_svd(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The factors U, s, V of A = U diag(s) V, for A not higher than wide; s descends.

    The columns of U and the rows of V are orthonormal; in each row of V the element of largest absolute value is
    positive.
    """
    ...

def _npi_tan(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The tangent of an angle in radians."""
    ...

def _npi_tanh(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The hyperbolic tangent."""
    ...

def _npi_tensordot(
    a: NDArray,
    b: NDArray,
    a_axes_summed: Shape = ...,
    b_axes_summed: Shape = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Sums products over pairs of axes; the other axes of both arrays follow each other in the result.

    Args:
        a: the left array.
        b: the right array.
        a_axes_summed: axes of `a`.
        b_axes_summed: the axes of `b` that they are paired with, as many.
    """
    ...

def _npi_tensordot_int_axes(
    a: NDArray,
    b: NDArray,
    axes: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Sums products over the last `axes` axes of `a` and the first of `b`; with 0, all products of two elements."""
    ...

def _npi_tensorinv(
    a: NDArray,
    ind: int = 2,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse with respect to `tensordot`: the first `ind` axes are the rows, the others the columns."""
    ...

def _npi_tensorsolve(
    a: NDArray,
    b: NDArray,
    a_axes: Shape = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Solves tensordot(a, x, x.ndim) = b.

    Args:
        a: the coefficients; the first axes are those of `b`, the others those of the solution.
        b: the right-hand side.
        a_axes: axes of `a` to be moved to the end first.
    """
    ...

def _npi_tril(
    data: NDArray,
    k: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The matrices in the last two axes, with zeros above the k-th diagonal; one axis counts as equal rows."""
    ...

def _npi_true_divide(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _npi_true_divide_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides every element by a scalar; integers and bools as float32."""
    ...

def _npi_trunc(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The whole number that is left when the fraction is cut off."""
    ...

def _npi_uniform(
    input1: NDArray | None = None,
    input2: NDArray | None = None,
    low: float | None = ...,
    high: float | None = ...,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers spread evenly over [low, high), without gradient; the other arguments are those of `np.random.normal`."""
    ...

def _npi_uniform_n(
    input1: NDArray | None = None,
    input2: NDArray | None = None,
    low: float | None = ...,
    high: float | None = ...,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers as `np.random.uniform` draws, but `size` comes before the shape of the parameters."""
    ...

def _npi_unique(
    data: NDArray,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """The different elements in ascending order, or the different slices along an axis.

    Args:
        data: the array.
        return_index: also where each one occurs first.
        return_inverse: also, for every element, which of them it is.
        return_counts: also how often each one occurs.
        axis: the axis of the slices; if not given, all elements stand in one row first.
    """
    ...

def _npi_var(
    a: NDArray,
    axis: Shape | None = None,
    dtype: DTypeLike | None = None,
    ddof: int = 0,
    keepdims: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The variance over axes, without gradient; the arguments are those of `np.std`."""
    ...

def _npi_vstack(
    *data: NDArray,
    num_args: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Joins arrays along the first axis; those of one axis become rows."""
    ...

def _npi_weibull(
    input1: NDArray | None = None,
    a: float | None = None,
    size: Shape | None = None,
    ctx: Context | str | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Weibull variates of shape `a` and scale 1, float32; the arguments are those of `np.random.exponential`."""
    ...

def _npi_where(
    condition: NDArray,
    x: NDArray,
    y: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes elements of `x` where the condition is not zero and of `y` elsewhere; all three broadcast."""
    ...

def _npi_where_lscalar(
    condition: NDArray,
    x: NDArray,
    scalar: float = 0.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the scalar where the condition is not zero and elements of `x` elsewhere; both arrays broadcast."""
    ...

def _npi_where_rscalar(
    condition: NDArray,
    y: NDArray,
    scalar: float = 0.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes elements of `y` where the condition is not zero and the scalar elsewhere; both arrays broadcast."""
    ...

def _npi_where_scalar2(
    condition: NDArray,
    x: float = 0.0,
    y: float = 0.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the number `x` where the condition is not zero and `y` elsewhere, as float32."""
    ...

def _npi_zeros(
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An array of zeros."""
    ...

def _npx_constraint_check(
    input: NDArray,
    msg: str = 'Constraint violated.',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """True, if all elements of a bool array are; otherwise an error with the text of `msg`."""
    ...

def _npx_nonzero(
    x: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The places of all elements other than zero, a row for each."""
    ...

def _npx_relu(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The number, or 0 if it is negative; the gradient at 0 is 0."""
    ...

def _npx_reshape(
    a: NDArray,
    newshape: Shape = ...,
    reverse: bool = False,
    order: str = 'C',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gives the elements another shape, which may be described by what becomes of the axes.

    In `newshape`, -1 is worked out from the rest, -2 keeps the length of the current axis, -3 drops the current axis,
    whose length must be 1, -4 takes all remaining axes, -5 joins two axes, and -6 splits an axis into the two lengths
    that follow, one of which may be -1.

    Args:
        a: the array.
        newshape: lengths and codes.
        reverse: read the codes, and the axes, from the last one backwards.
        order: 'C', the only order of the elements there is.
    """
    ...

def _npx_sigmoid(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """1 / (1 + exp(-x))."""
    ...

def _onehot_encode(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Marks each index of `lhs` in a row of a matrix of the shape of `rhs`."""
    ...

def _ones(
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An array of ones."""
    ...

def _pick_log_softmax(
    data: NDArray,
    index: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The negated log-softmax of one class per row: `-pick(log_softmax(data), index)` in one step.

    An operator of our own for the hot path of training; saved graphs never contain it.

    Args:
        data: one row of scores per example.
        index: a class for each row; one out of range counts as the nearest.
    """
    ...

def _plus_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds an array and a scalar, element by element."""
    ...

def _power(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Raises to a power two arrays of the same shape, element by element."""
    ...

def _power_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Raises to a power an array and a scalar, element by element."""
    ...

def _random_exponential(
    lam: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Exponential variates of rate `lam`: the mean is 1 / lam."""
    ...

def _random_exponential_like(
    data: NDArray,
    lam: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Exponential variates of rate `lam`, as many as `data` has."""
    ...

def _random_gamma(
    alpha: float = 1.0,
    beta: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gamma variates of shape `alpha` and scale `beta`: the mean is their product."""
    ...

def _random_gamma_like(
    data: NDArray,
    alpha: float = 1.0,
    beta: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gamma variates of shape `alpha` and scale `beta`, as many as `data` has."""
    ...

def _random_generalized_negative_binomial(
    mu: float = 1.0,
    alpha: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Counts with mean `mu` and variance mu + alpha * mu**2, as floats."""
    ...

def _random_generalized_negative_binomial_like(
    data: NDArray,
    mu: float = 1.0,
    alpha: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Counts with mean `mu` and variance mu + alpha * mu**2, as many as `data` has elements."""
    ...

def _random_negative_binomial(
    k: int = 1,
    p: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """How many trials fail before the `k`-th success, each succeeding with probability `p`, as floats."""
    ...

def _random_negative_binomial_like(
    data: NDArray,
    k: int = 1,
    p: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Failures before the `k`-th success of probability `p`, as many counts as `data` has elements."""
    ...

def _random_normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Normal variates with mean `loc` and standard deviation `scale`."""
    ...

def _random_normal_like(
    data: NDArray,
    loc: float = 0.0,
    scale: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Normal variates with mean `loc` and standard deviation `scale`, as many as `data` has."""
    ...

def _random_pdf_dirichlet(
    sample: NDArray,
    alpha: NDArray,
    is_log: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The density of Dirichlet distributions: the last axis of both inputs holds the components of a vector."""
    ...

def _random_pdf_exponential(
    sample: NDArray,
    lam: NDArray,
    is_log: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The density of the exponential distribution with rate `lam`."""
    ...

def _random_pdf_gamma(
    sample: NDArray,
    alpha: NDArray,
    beta: NDArray,
    is_log: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The density of the gamma distribution of shape `alpha`; `beta` is the rate here, not the scale as in samplers."""
    ...

def _random_pdf_generalized_negative_binomial(
    sample: NDArray,
    mu: NDArray,
    alpha: NDArray,
    is_log: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The probability of counts under the negative binomial distribution with mean `mu` and dispersion `alpha`."""
    ...

def _random_pdf_negative_binomial(
    sample: NDArray,
    k: NDArray,
    p: NDArray,
    is_log: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The probability of that many failures before the `k`-th success, each trial succeeding with probability `p`."""
    ...

def _random_pdf_normal(
    sample: NDArray,
    mu: NDArray,
    sigma: NDArray,
    is_log: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The density of the normal distribution with mean `mu` and standard deviation `sigma`."""
    ...

def _random_pdf_poisson(
    sample: NDArray,
    lam: NDArray,
    is_log: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The probability of counts under the Poisson distribution with mean `lam`."""
    ...

def _random_pdf_uniform(
    sample: NDArray,
    low: NDArray,
    high: NDArray,
    is_log: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The density 1 / (high - low); whether a sample lies in the interval is not looked at."""
    ...

def _random_poisson(
    lam: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Poisson counts with mean `lam`, as floats."""
    ...

def _random_poisson_like(
    data: NDArray,
    lam: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Poisson counts with mean `lam`, as many as `data` has."""
    ...

def _random_randint(
    low: int = ...,
    high: int = ...,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Whole numbers from `low` to `high` - 1, each as likely as the others."""
    ...

def _random_uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers spread evenly over [low, high)."""
    ...

def _random_uniform_like(
    data: NDArray,
    low: float = 0.0,
    high: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers spread evenly over [low, high), as many as `data` has."""
    ...

def _ravel_multi_index(
    data: NDArray,
    shape: Shape = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Turns coordinates, one column for each place, into places in the flat array.

    The first length in `shape` has no influence and may be -1.
    """
    ...

def _rdiv_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides a scalar and an array, element by element."""
    ...

def _rminus_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Subtracts a scalar and an array, element by element."""
    ...

def _rmod_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the remainder of a scalar and an array, element by element."""
    ...

def _rnn_param_concat(
    *data: NDArray,
    num_args: int = ...,
    dim: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Joins the parameters of a recurrent layer to the one array that `RNN` takes."""
    ...

def _rpower_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Raises to a power a scalar and an array, element by element."""
    ...

def _sample_exponential(
    lam: NDArray,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Exponential variates of each rate `lam`."""
    ...

def _sample_gamma(
    alpha: NDArray,
    beta: NDArray,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gamma variates of each shape `alpha` and scale `beta`."""
    ...

def _sample_generalized_negative_binomial(
    mu: NDArray,
    alpha: NDArray,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Counts with each mean `mu` and variance mu + alpha * mu**2, as floats."""
    ...

def _sample_multinomial(
    data: NDArray,
    shape: Shape = (),
    get_prob: bool = False,
    dtype: DTypeLike = 'int32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
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

def _sample_negative_binomial(
    k: NDArray,
    p: NDArray,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Failures before each `k`-th success of probability `p`, as floats."""
    ...

def _sample_normal(
    mu: NDArray,
    sigma: NDArray,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Normal variates with each mean `mu` and standard deviation `sigma`."""
    ...

def _sample_poisson(
    lam: NDArray,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Poisson counts with each mean `lam`, as floats."""
    ...

def _sample_uniform(
    low: NDArray,
    high: NDArray,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Numbers spread evenly over each interval [low, high)."""
    ...

def _sample_unique_zipfian(
    range_max: int = ...,
    shape: Shape = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """Classes below `range_max` without repetition in a row, small ones far more often: for sampled softmax.

    Returns:
        The classes, of shape (rows, classes per row), and how many draws with repetition each row would have taken.
    """
    ...

def _scatter_elemwise_div(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides two arrays of the same shape, element by element."""
    ...

def _scatter_minus_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Subtracts an array and a scalar, element by element."""
    ...

def _scatter_plus_scalar(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds an array and a scalar, element by element."""
    ...

def _scatter_set_nd(
    lhs: NDArray,
    rhs: NDArray,
    indices: NDArray,
    shape: Shape = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A copy of `lhs` with `rhs` written at the places given by coordinates."""
    ...

def _shuffle(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The slices along the first axis in random order."""
    ...

def _slice_assign(
    lhs: NDArray,
    rhs: NDArray,
    begin: Shape = ...,
    end: Shape = ...,
    step: Shape = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A copy of `lhs` with `rhs` in place of the elements that `slice` would take."""
    ...

def _slice_assign_scalar(
    data: NDArray,
    scalar: float = 0.0,
    begin: Shape = ...,
    end: Shape = ...,
    step: Shape = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """A copy with a number in place of the elements that `slice` would take."""
    ...

def _sparse_adagrad_update(
    weight: NDArray,
    grad: NDArray,
    history: NDArray,
    lr: float = ...,
    epsilon: float = 1e-07,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """AdaGrad: weight - lr * grad / sqrt(history + epsilon), with the sum of all squared gradients.

    Args:
        weight: what to update.
        grad: its gradient.
        history: sum of the squared gradients.
        lr: learning rate.
        epsilon: added before the root.
        wd: weight decay; only 0.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
    """
    ...

def _sparse_retain(
    data: NDArray,
    indices: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Keeps the rows of the given numbers; all others become zero."""
    ...

def _split_v2(
    data: NDArray,
    indices: Shape = ...,
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Cuts an array along an axis at the given places.

    Args:
        data: the array.
        indices: where each part starts; the first number is 0.
        axis: the axis to cut.
        squeeze_axis: leave the axis out of the parts, which then must have length 1 on it.
        sections: the number of parts, instead of `indices`; the first ones are longer by one if it does not divide.
    """
    ...

def _split_v2_backward(
    *ograds: NDArray,
    indices: Shape = ...,
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The gradient of `split_v2` from those of the parts: put together again.

    Args:
        ograds: gradients of the parts.
        indices: where each part starts; the first number is 0.
        axis: the axis that was cut.
        squeeze_axis: whether the parts lack the axis.
        sections: the number of parts, if the axis was cut into so many instead.
    """
    ...

def _square_sum(
    data: NDArray,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sum of squares over axes.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def _unravel_index(
    data: NDArray,
    shape: Shape = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Turns places in the flat array into coordinates, one column for each place.

    The first length in `shape` has no influence and may be -1.
    """
    ...

def _while_loop(
    *data: NDArray,
    num_args: int = ...,
    num_outputs: int = ...,
    num_out_data: int = ...,
    max_iterations: int = ...,
    cond_input_locs: Shape = ...,
    func_input_locs: Shape = ...,
    func_var_locs: Shape = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Runs a body as long as a condition on the loop's variables holds; unused rows of the results are zeros.

    Args:
        data: all that the condition and the body read.
        bodies: the condition and the body.
        num_outputs: how many arrays the body gives.
        num_out_data: how many of them, the first, are results to stack; the others are the new variables.
        max_iterations: when to stop at the latest, and the number of rows of the results.
        cond_input_locs: for each variable of the condition, which of `data` it is.
        func_input_locs: the same for the body.
        func_var_locs: at which places among the body's variables the loop's variables are.
    """
    ...

def _zeros(
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An array of zeros."""
    ...

def _zeros_without_dtype(
    shape: Shape = (),
    ctx: Context | str | None = None,
    dtype: int = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An array of zeros; the dtype is a number as in files, or -1 where it was left open, which makes float32."""
    ...

def _Div(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides two arrays of the same shape, element by element."""
    ...

_DivScalar = _div_scalar

_Equal = _equal

_EqualScalar = _equal_scalar

_Greater = _greater

_GreaterEqualScalar = _greater_equal_scalar

_GreaterScalar = _greater_scalar

_Greater_Equal = _greater_equal

_Hypot = _hypot

_HypotScalar = _hypot_scalar

_Lesser = _lesser

_LesserEqualScalar = _lesser_equal_scalar

_LesserScalar = _lesser_scalar

_Lesser_Equal = _lesser_equal

_LogicalAndScalar = _logical_and_scalar

_LogicalOrScalar = _logical_or_scalar

_LogicalXorScalar = _logical_xor_scalar

_Logical_And = _logical_and

_Logical_Or = _logical_or

_Logical_Xor = _logical_xor

_Maximum = _maximum

_MaximumScalar = _maximum_scalar

_Minimum = _minimum

_MinimumScalar = _minimum_scalar

def _Minus(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Subtracts two arrays of the same shape, element by element."""
    ...

_MinusScalar = _minus_scalar

_Mod = _mod

_ModScalar = _mod_scalar

def _Mul(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Multiplies two arrays of the same shape, element by element."""
    ...

_MulScalar = _mul_scalar

_NotEqualScalar = _not_equal_scalar

_Not_Equal = _not_equal

def _Plus(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds two arrays of the same shape, element by element."""
    ...

_PlusScalar = _plus_scalar

_Power = _power

_PowerScalar = _power_scalar

_RDivScalar = _rdiv_scalar

_RMinusScalar = _rminus_scalar

_RModScalar = _rmod_scalar

_RPowerScalar = _rpower_scalar

_add = _Plus

def _contrib_CTCLoss(
    data: NDArray,
    label: NDArray,
    data_lengths: NDArray | None = None,
    label_lengths: NDArray | None = None,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal['first', 'last'] = 'first',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

_contrib_box_non_maximum_suppression = _contrib_box_nms

_contrib_ctc_loss = _contrib_CTCLoss

_crop_assign = _slice_assign

_crop_assign_scalar = _slice_assign_scalar

_div = _Div

_minus = _Minus

_mul = _Mul

_np_amax = _np_max

_np_amin = _np_min

_np_product = _np_prod

def _np_repeat(
    data: NDArray,
    repeats: int = ...,
    axis: int | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Repeats every element, or every slice along an axis; without an axis the result is flat."""
    ...

_np_sometrue = _np_any

def _npi_Custom(
    *data: NDArray,
    op_type: str = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Runs an operator that was registered with `mxnet.operator.register`.

    Args:
        data: the arrays it takes: arguments, then auxiliary states.
        op_type: the name it was registered under; further parameters go to its property as texts.
        description: what the property tells.
        training: whether it runs in training.
        surroundings: where it runs.
    """
    ...

_npi_abs = _npi_absolute

def _npi_argsort(
    data: NDArray,
    axis: int | None = -1,
    is_ascend: bool = True,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The indices that would sort an array along an axis; equal elements keep their order."""
    ...

_npi_boolean_mask = _contrib_boolean_mask

def _npi_cast(
    data: NDArray,
    dtype: DTypeLike = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Converts the elements to another dtype."""
    ...

def _npi_clip(
    data: NDArray,
    a_min: float = ...,
    a_max: float = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Limits every element to the interval [a_min, a_max], whose ends have single precision.

    The gradient at its ends is that of the inside.
    """
    ...

_npi_cvimdecode = _cvimdecode

_npi_cvimread = _cvimread

_npi_cvimresize = _cvimresize

_npi_det = _linalg_det

def _npi_expand_dims(
    data: NDArray,
    axis: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Puts in a new axis of length 1."""
    ...

_npi_full = _full

def _npi_gather_nd(
    data: NDArray,
    indices: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes elements, or slices, at the places given by coordinates.

    Args:
        data: the array.
        indices: along its first axis, the coordinates on the first axes of the data.
    """
    ...

_npi_histogram = _histogram

_npi_hypot_scalar = _hypot_scalar

_npi_inv = _linalg_inverse

_npi_linspace = _linspace

def _npi_maximum(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the larger of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

_npi_maximum_scalar = _maximum_scalar

def _npi_minimum(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the smaller of two arrays element by element; axes of length 1 are stretched to fit."""
    ...

_npi_minimum_scalar = _minimum_scalar

_npi_nonzero = _npx_nonzero

_npi_random_randint = _random_randint

_npi_reshape = _npx_reshape

_npi_rnn_param_concat = _rnn_param_concat

_npi_scatter_set_nd = _scatter_set_nd

_npi_shuffle = _shuffle

def _npi_slice(
    data: NDArray,
    begin: Shape = ...,
    end: Shape = ...,
    step: Shape = (),
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes the elements from `begin` up to `end` along the first axes.

    Args:
        data: the array.
        begin: the first place on each axis; negative ones count from the end, None is the start.
        end: the place after the last.
        step: the distance from place to place, negative for the reverse order.
    """
    ...

_npi_slice_assign = _slice_assign

_npi_slice_assign_scalar = _slice_assign_scalar

_npi_slogdet = _linalg_slogdet

def _npi_sort(
    data: NDArray,
    axis: int | None = -1,
    is_ascend: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Sorts the elements along an axis; None sorts all of them into one line."""
    ...

_npi_split = _split_v2

def _npi_swapaxes(
    data: NDArray,
    dim1: int = 0,
    dim2: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Exchanges two axes."""
    ...

def _npi_take(
    a: NDArray,
    indices: NDArray,
    axis: int = 0,
    mode: Literal['clip', 'raise', 'wrap'] = 'clip',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes slices of an array along an axis.

    Args:
        a: the array.
        indices: which ones; the axes of the indices take the place of `axis` in the result.
        axis: the axis.
        mode: what an index out of range does: it goes to the nearest end, starts over, or raises an error.
    """
    ...

def _npi_tile(
    data: NDArray,
    reps: Shape = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Puts copies of the whole array side by side, `reps` of them along each axis; missing ones are 1."""
    ...

_npx__image_adjust_lighting = _image_adjust_lighting

_npx__image_crop = _image_crop

_npx__image_flip_left_right = _image_flip_left_right

_npx__image_flip_top_bottom = _image_flip_top_bottom

_npx__image_normalize = _image_normalize

_npx__image_random_brightness = _image_random_brightness

_npx__image_random_color_jitter = _image_random_color_jitter

_npx__image_random_contrast = _image_random_contrast

_npx__image_random_flip_left_right = _image_random_flip_left_right

_npx__image_random_flip_top_bottom = _image_random_flip_top_bottom

_npx__image_random_hue = _image_random_hue

_npx__image_random_lighting = _image_random_lighting

_npx__image_random_saturation = _image_random_saturation

_npx__image_resize = _image_resize

_npx__image_to_tensor = _image_to_tensor

def _npx_activation(
    data: NDArray,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Applies an activation function to every element.

    Args:
        data: any shape.
        act_type: `relu` max(x, 0), `sigmoid` 1 / (1 + exp(-x)), `softrelu` log(1 + exp(x)), `softsign` x / (1 + |x|),
            or `tanh`.
    """
    ...

_npx_arange_like = _contrib_arange_like

def _npx_batch_dot(
    lhs: NDArray,
    rhs: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Multiplies matrices pairwise: those in the last two axes, for all positions along the axes before.

    Args:
        lhs: the left matrices.
        rhs: the right matrices; the axes before the last two have the same lengths.
        transpose_a: whether to transpose the left matrices.
        transpose_b: whether to transpose the right matrices.
        forward_stype: the storage type of the result, for sparse inputs.
    """
    ...

def _npx_batch_flatten(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Joins all axes but the first."""
    ...

def _npx_batch_norm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.0010000000474974513,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
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

_npx_cast = _npi_cast

def _npx_convolution(
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
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
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _npx_deconvolution(
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
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
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _npx_dropout(
    data: NDArray,
    p: float = 0.5,
    mode: Literal['always', 'training'] = 'training',
    axes: Shape = (),
    cudnn_off: bool | None = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _npx_embedding(
    data: NDArray,
    weight: NDArray,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _npx_erf(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The error function."""
    ...

def _npx_erfinv(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the error function."""
    ...

def _npx_fully_connected(
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    num_hidden: int = ...,
    no_bias: bool = False,
    flatten: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _npx_gamma(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The gamma function, (x - 1)! for a whole number x."""
    ...

def _npx_gammaln(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The logarithm of the gamma function's size."""
    ...

_npx_gather_nd = _npi_gather_nd

def _npx_layer_norm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
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

def _npx_leaky_relu(
    data: NDArray,
    gamma: NDArray | None = None,
    act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'rrelu', 'selu'] = 'leaky',
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.333999991,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
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

def _npx_log_softmax(
    data: NDArray,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The logarithm of softmax along an axis; the parameters are those of `softmax`, without lengths."""
    ...

_npx_multibox_detection = _contrib_MultiBoxDetection

_npx_multibox_prior = _contrib_MultiBoxPrior

_npx_multibox_target = _contrib_MultiBoxTarget

def _npx_one_hot(
    indices: NDArray,
    depth: int = ...,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Marks each index in a vector of its own.

    Args:
        indices: the indices; one out of range is marked nowhere.
        depth: the length of the vectors, which are the last axis of the result.
        on_value: the number at the index.
        off_value: the number everywhere else.
        dtype: of the result.
    """
    ...

def _npx_pick(
    data: NDArray,
    index: NDArray,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal['clip', 'wrap'] = 'clip',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes one element from each line along an axis.

    Args:
        data: the array.
        index: which one, in the shape of the data without the axis, or with length 1 on it.
        axis: the axis.
        keepdims: keep the axis with length 1.
        mode: what an index out of range does: it goes to the nearest end, or starts over.
    """
    ...

def _npx_pooling(
    data: NDArray,
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
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _npx_reshape_like(
    lhs: NDArray,
    rhs: NDArray,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _npx_rnn(
    data: NDArray,
    parameters: NDArray,
    state: NDArray,
    state_cell: NDArray | None = None,
    sequence_length: NDArray | None = None,
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
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
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

def _npx_roi_pooling(
    data: NDArray,
    rois: NDArray,
    pooled_size: Shape = ...,
    spatial_scale: float = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _npx_sequence_mask(
    data: NDArray,
    sequence_length: NDArray | None = None,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Overwrites what lies behind the end of each sequence.

    Args:
        data: (time, batch, ...), or (batch, time, ...) with axis 1.
        sequence_length: the length of each sequence of the batch.
        use_sequence_length: whether lengths are given; nothing is overwritten otherwise.
        value: what to write.
        axis: the axis of time.
    """
    ...

def _npx_shape_array(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The shape, as an int64 array."""
    ...

_npx_slice = _npi_slice

def _npx_smooth_l1(
    data: NDArray,
    scalar: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The absolute value with its corner rounded off: quadratic where |x| < 1 / scalar**2.

    Args:
        data: the array.
        scalar: how sharp the corner is.
    """
    ...

def _npx_softmax(
    data: NDArray,
    length: NDArray | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _npx_topk(
    data: NDArray,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices',
    is_ascend: bool = False,
    dtype: DTypeLike = 'float32',
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
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

_plus = _Plus

def _sparse_ElementWiseSum(
    *args: NDArray,
    num_args: int = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sum of any number of arrays of the same shape."""
    ...

_sparse_Embedding = _npx_embedding

_sparse_FullyConnected = _npx_fully_connected

def _sparse_LinearRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The data, with the gradient of half the squared difference to the label, averaged over an example's outputs.

    Args:
        data: predictions.
        label: what they should be.
        grad_scale: factor of the gradient.
    """
    ...

def _sparse_LogisticRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sigmoid, with the gradient of its cross entropy with the label, averaged over an example's outputs.

    Args:
        data: scores.
        label: probabilities.
        grad_scale: factor of the gradient.
    """
    ...

def _sparse_MAERegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The data, with the gradient of the absolute difference to the label, averaged over an example's outputs.

    Args:
        data: predictions.
        label: what they should be.
        grad_scale: factor of the gradient.
    """
    ...

_sparse__contrib_round_ste = _contrib_round_ste

_sparse__contrib_sign_ste = _contrib_sign_ste

def _sparse_abs(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The absolute value."""
    ...

def _sparse_adam_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    lr: float = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

_sparse_add_n = _sparse_ElementWiseSum

def _sparse_arccos(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The angle whose cosine this is."""
    ...

def _sparse_arccosh(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the hyperbolic cosine."""
    ...

def _sparse_arcsin(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The angle whose sine this is."""
    ...

def _sparse_arcsinh(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the hyperbolic sine."""
    ...

def _sparse_arctan(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The angle whose tangent this is."""
    ...

def _sparse_arctanh(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the hyperbolic tangent."""
    ...

def _sparse_broadcast_add(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Adds two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _sparse_broadcast_div(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Divides two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _sparse_broadcast_minus(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Subtracts two arrays element by element; axes of length 1 are stretched to fit."""
    ...

def _sparse_broadcast_mul(
    lhs: NDArray,
    rhs: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Multiplies two arrays element by element; axes of length 1 are stretched to fit."""
    ...

_sparse_broadcast_plus = _sparse_broadcast_add

_sparse_broadcast_sub = _sparse_broadcast_minus

def _sparse_cast_storage(
    data: NDArray,
    stype: Literal['csr', 'default', 'row_sparse'] = ...,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The array in another storage type: `default` is dense, `csr` for matrices, `row_sparse` for tall arrays."""
    ...

def _sparse_cbrt(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The cube root."""
    ...

def _sparse_ceil(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number above."""
    ...

_sparse_clip = _npi_clip

def _sparse_concat(
    *data: NDArray,
    num_args: int = ...,
    dim: int = 1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Joins arrays along an axis they have."""
    ...

def _sparse_cos(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The cosine of an angle in radians."""
    ...

def _sparse_cosh(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The hyperbolic cosine."""
    ...

def _sparse_degrees(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An angle converted from radians to degrees."""
    ...

def _sparse_dot(
    lhs: NDArray,
    rhs: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

_sparse_elemwise_add = _Plus

_sparse_elemwise_div = _Div

_sparse_elemwise_mul = _Mul

_sparse_elemwise_sub = _Minus

def _sparse_exp(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The exponential."""
    ...

def _sparse_expm1(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """exp(x) - 1, precise for small x."""
    ...

def _sparse_fix(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number towards zero."""
    ...

def _sparse_floor(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number below."""
    ...

def _sparse_ftrl_update(
    weight: NDArray,
    grad: NDArray,
    z: NDArray,
    n: NDArray,
    lr: float = ...,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

_sparse_gamma = _npx_gamma

_sparse_gammaln = _npx_gammaln

def _sparse_log(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The natural logarithm."""
    ...

def _sparse_log10(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The logarithm to base 10."""
    ...

def _sparse_log1p(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """log(1 + x), precise for small x."""
    ...

def _sparse_log2(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The logarithm to base 2."""
    ...

def _sparse_make_loss(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Marks the elements as a loss: their gradient is 1, whatever is computed from them."""
    ...

def _sparse_mean(
    data: NDArray,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The mean over axes; of integers, cut off towards zero.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def _sparse_negative(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The number with the other sign."""
    ...

def _sparse_norm(
    data: NDArray,
    ord: int = 2,
    axis: Shape | None = None,
    out_dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The norm over axes.

    Args:
        data: the array.
        ord: 1 sums absolute values, 2 takes the root of the sum of squares.
        axis: the axes to reduce, one or several; all if there is none.
        out_dtype: dtype of the result, and of the sum; that of the array if there is none.
        keepdims: keep the reduced axes with length 1.
    """
    ...

def _sparse_radians(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """An angle converted from degrees to radians."""
    ...

def _sparse_relu(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The number, or 0 if it is negative; the gradient at 0 is 0."""
    ...

def _sparse_rint(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number; halves go down."""
    ...

def _sparse_round(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The nearest whole number; halves go away from zero."""
    ...

def _sparse_rsqrt(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """One divided by the square root."""
    ...

def _sparse_sgd_mom_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gradient descent with momentum: mom becomes momentum * mom - the step of `sgd_update`, and is added.

    The parameters are those of `sgd_update`.
    """
    ...

def _sparse_sgd_update(
    weight: NDArray,
    grad: NDArray,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
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

def _sparse_sigmoid(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """1 / (1 + exp(-x))."""
    ...

def _sparse_sign(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """-1, 0 or 1, the sign; 0 for NaN."""
    ...

def _sparse_sin(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sine of an angle in radians."""
    ...

def _sparse_sinh(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The hyperbolic sine."""
    ...

_sparse_slice = _npi_slice

def _sparse_sqrt(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The square root."""
    ...

def _sparse_square(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The square."""
    ...

def _sparse_stop_gradient(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The same elements; no gradient flows back through it."""
    ...

def _sparse_sum(
    data: NDArray,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sum over axes.

    Args:
        data: the array.
        axis: the axes to reduce, one or several; all if there is none.
        keepdims: keep the reduced axes with length 1.
        exclude: reduce all axes but those named.
    """
    ...

def _sparse_tan(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The tangent of an angle in radians."""
    ...

def _sparse_tanh(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The hyperbolic tangent."""
    ...

def _sparse_trunc(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The whole number that is left when the fraction is cut off."""
    ...

def _sparse_where(
    condition: NDArray,
    x: NDArray,
    y: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Takes elements of `x` where the condition is not zero and of `y` elsewhere.

    Args:
        condition: of the shape of `x`, or one number for each row of it.
        x: the array for true.
        y: the array for false, of the same shape.
    """
    ...

def _sparse_zeros_like(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Zeros in the shape and dtype of an array."""
    ...

_sub = _Minus
