"""Methods of symbols that call the operator of the same name. Made by tools/stubs.py from the operator registry; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ..context import Context
from .symbol import Symbol

Shape: TypeAlias = int | Sequence[int]
Floats: TypeAlias = float | Sequence[float]
DTypeLike: TypeAlias = Any

class FluentMethods:
    def abs(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The absolute value."""
        ...

    def arccos(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The angle whose cosine this is."""
        ...

    def arccosh(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The inverse of the hyperbolic cosine."""
        ...

    def arcsin(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The angle whose sine this is."""
        ...

    def arcsinh(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The inverse of the hyperbolic sine."""
        ...

    def arctan(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The angle whose tangent this is."""
        ...

    def arctanh(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The inverse of the hyperbolic tangent."""
        ...

    def argmax(
        self,
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
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The position of the largest element along axis 1."""
        ...

    def argmin(
        self,
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
        self,
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

    def broadcast_axes(
        self,
        axis: Shape = (),
        size: Shape = (),
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Stretches the given axes, which must have length 1, to the given sizes."""
        ...

    def broadcast_like(
        self,
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

    def broadcast_to(
        self,
        shape: Shape = (),
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Stretches axes of length 1 to the lengths in `shape`, where 0 leaves an axis as it is."""
        ...

    def cbrt(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The cube root."""
        ...

    def ceil(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The nearest whole number above."""
        ...

    def clip(
        self,
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

    def cos(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The cosine of an angle in radians."""
        ...

    def cosh(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The hyperbolic cosine."""
        ...

    def degrees(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """An angle converted from radians to degrees."""
        ...

    def depth_to_space(
        self,
        block_size: int = ...,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Moves blocks of channels into the plane: (n, c b b, h, w) becomes (n, c, h b, w b) with b the block size."""
        ...

    def diag(
        self,
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

    def exp(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The exponential."""
        ...

    def expand_dims(
        self,
        axis: int = ...,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Puts in a new axis of length 1."""
        ...

    def expm1(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """exp(x) - 1, precise for small x."""
        ...

    def fix(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The nearest whole number towards zero."""
        ...

    def flatten(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Joins all axes but the first."""
        ...

    def flip(
        self,
        axis: Shape = ...,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Reverses the order of the elements along the given axes."""
        ...

    def floor(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The nearest whole number below."""
        ...

    def log(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The natural logarithm."""
        ...

    def log10(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The logarithm to base 10."""
        ...

    def log1p(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """log(1 + x), precise for small x."""
        ...

    def log2(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The logarithm to base 2."""
        ...

    def log_softmax(
        self,
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

    def max(
        self,
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
        self,
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
        self,
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

    def nanprod(
        self,
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
        self,
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

    def norm(
        self,
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
        self,
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
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Ones in the shape and dtype of an array."""
        ...

    def pad(
        self,
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

    def pick(
        self,
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

    def prod(
        self,
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
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """An angle converted from degrees to radians."""
        ...

    def rcbrt(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """One divided by the cube root."""
        ...

    def reciprocal(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """One divided by the number."""
        ...

    def relu(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The number, or 0 if it is negative; the gradient at 0 is 0."""
        ...

    def repeat(
        self,
        repeats: int = ...,
        axis: int | None = None,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Repeats every element, or every slice along an axis; without an axis the result is flat."""
        ...

    def reshape(
        self,
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

    def reshape_like(
        self,
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

    def rint(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The nearest whole number; halves go down."""
        ...

    def round(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The nearest whole number; halves go away from zero."""
        ...

    def rsqrt(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """One divided by the square root."""
        ...

    def shape_array(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The shape, as an int64 array."""
        ...

    def sigmoid(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """1 / (1 + exp(-x))."""
        ...

    def sign(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """-1, 0 or 1, the sign; 0 for NaN."""
        ...

    def sin(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The sine of an angle in radians."""
        ...

    def sinh(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The hyperbolic sine."""
        ...

    def size_array(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The number of elements, as an int64 array."""
        ...

    def slice(
        self,
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
        self,
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
        self,
        shape_like: Symbol | None = None,
        axes: Shape = (),
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Cuts an array to the lengths of another one, on all axes or on the given ones."""
        ...

    def softmax(
        self,
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

    def softmin(
        self,
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

    def sort(
        self,
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
        self,
        block_size: int = ...,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Moves blocks of the plane into channels: (n, c, h b, w b) becomes (n, c b b, h, w) with b the block size."""
        ...

    def split(
        self,
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

    def sqrt(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The square root."""
        ...

    def square(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The square."""
        ...

    def sum(
        self,
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

    def swapaxes(
        self,
        dim1: int = 0,
        dim2: int = 0,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Exchanges two axes."""
        ...

    def take(
        self,
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
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The tangent of an angle in radians."""
        ...

    def tanh(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The hyperbolic tangent."""
        ...

    def tile(
        self,
        reps: Shape = ...,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Puts copies of the whole array side by side, `reps` of them along each axis; missing ones are 1."""
        ...

    def topk(
        self,
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
        self,
        axes: Shape = (),
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Puts the axes in another order, reversed if none is given."""
        ...

    def trunc(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """The whole number that is left when the fraction is cut off."""
        ...

    def zeros_like(
        self,
        name: str | None = None,
        attr: dict[str, str] | None = None,
        out: Any = None,
        **kwargs: Any,
    ) -> Symbol:
        """Zeros in the shape and dtype of an array."""
        ...
