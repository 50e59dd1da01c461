"""Internal forms of operators on arrays. Made by tools/stubs.py from the operator registry; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ..context import Context
from .dense import NDArray

Shape: TypeAlias = int | Sequence[int]
Floats: TypeAlias = float | Sequence[float]
DTypeLike: TypeAlias = Any

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

def _copy(
    data: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The same elements in a new array."""
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
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The Cholesky factor: the lower triangular L with L L^T = A, for symmetric positive definite A.

    Only the lower triangle of A is read.
    """
    ...

def _linalg_potri(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the matrix whose Cholesky factor is A: the lower triangle L of A gives (L L^T)^-1."""
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

_contrib_ctc_loss = _contrib_CTCLoss

_crop_assign = _slice_assign

_crop_assign_scalar = _slice_assign_scalar

_div = _Div

_minus = _Minus

_mul = _Mul

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
    """Limits every element to the interval [a_min, a_max]; the gradient at its ends is that of the inside."""
    ...

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

_npi_random_randint = _random_randint

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
        bias: (num_hidden,); left out with `no_bias`.
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
