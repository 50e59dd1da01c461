"""Layers side by side, the identity, rearranging channels into images."""

from typing import Any

import mxnet.ndarray as F

from ...block import Block, HybridBlock
from ...nn._arguments import LayerArgumentError
from ...nn.basic_layers import HybridSequential, Sequential
from ._sync_batch_norm import SyncBatchNorm

__all__ = [
    "Concurrent",
    "HybridConcurrent",
    "Identity",
    "PixelShuffle1D",
    "PixelShuffle2D",
    "PixelShuffle3D",
    "SparseEmbedding",
    "SyncBatchNorm",
]


class Concurrent(Sequential):
    """Gives the input to several blocks and joins their results.

    Args:
        axis: along which the results are joined.
        prefix: see Block.
        params: see Block.

    Example:
        >>> net = Concurrent(axis=1)
        >>> net.add(nn.Dense(10), nn.Dense(20), Identity())
    """

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix, params)
        self.axis = axis

    def forward(self, x: Any, *args: Any) -> Any:
        """Joins what all blocks make of the input."""
        return F.concat(*(block(x, *args) for block in self._children.values()), dim=self.axis)


class HybridConcurrent(HybridSequential):
    """Gives the input to several blocks and joins their results; compiles as one.

    Args:
        axis: along which the results are joined.
        prefix: see Block.
        params: see Block.
    """

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix, params)
        self.axis = axis

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        """Joins what all blocks make of the input."""
        return F.concat(*(block(x, *args) for block in self._children.values()), dim=self.axis)


class Identity(HybridBlock):
    """Returns its input: a way around other layers in Concurrent."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Returns the input."""
        return x


class SparseEmbedding(Block):
    """An embedding whose weight and gradient are row_sparse: the trainer's store keeps the weight, calls fetch rows.

    Make the Trainer, which has the store, before the first call.

    Args:
        input_dim: number of vectors.
        output_dim: their length.
        dtype: type of the vectors.
        weight_initializer: initializer of the vectors.
        kwargs: `prefix` and `params`, see Block.
    """

    def __init__(
        self, input_dim: int, output_dim: int, dtype: Any = "float32", weight_initializer: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {"input_dim": input_dim, "output_dim": output_dim, "dtype": dtype, "sparse_grad": True}
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            stype="row_sparse",
            grad_stype="row_sparse",
        )

    def forward(self, x: Any) -> Any:
        """Looks the vectors up."""
        weight = self.weight.row_sparse_data(x)
        return F.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        given = self._kwargs
        return f"{type(self).__name__}({given['input_dim']} -> {given['output_dim']}, {given['dtype']})"


class PixelShuffle1D(HybridBlock):
    """Makes sequences longer by laying groups of channels out one after the other.

    Args:
        factor: how many times longer; the number of channels is divided by it.
    """

    def __init__(self, factor: int) -> None:
        super().__init__()
        self._factor = int(factor)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """From (batch, factor * channels, width) to (batch, channels, factor * width)."""
        split = F.reshape(x, shape=(0, -4, -1, self._factor, 0))
        return F.reshape(F.transpose(split, axes=(0, 1, 3, 2)), shape=(0, 0, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factor})"


def _factors(who: str, factor: Any, ndim: int) -> tuple[int, ...]:
    """One factor for each spatial axis; a single one counts for all."""
    if not hasattr(factor, "__len__"):
        return (int(factor),) * ndim
    if len(factor) != ndim:
        raise LayerArgumentError(
            f"[{who}] factor: received {factor!r}; expected a number or a tuple of {ndim} numbers."
        )
    return tuple(int(each) for each in factor)


class PixelShuffle2D(HybridBlock):
    """Makes images larger by laying groups of channels out as blocks of pixels.

    Args:
        factor: how many times larger, one number or a tuple of 2; the number of channels is divided by their product.
    """

    def __init__(self, factor: Any) -> None:
        super().__init__()
        self._factors = _factors(type(self).__name__, factor, 2)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """From (batch, f1 * f2 * channels, height, width) to (batch, channels, f1 * height, f2 * width)."""
        high, wide = self._factors
        split = F.reshape(x, shape=(0, -4, -1, high * wide, 0, 0))
        split = F.reshape(split, shape=(0, 0, -4, high, wide, 0, 0))
        return F.reshape(F.transpose(split, axes=(0, 1, 4, 2, 5, 3)), shape=(0, 0, -3, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"


class PixelShuffle3D(HybridBlock):
    """Makes volumes larger by laying groups of channels out as blocks of voxels.

    Args:
        factor: how many times larger, one number or a tuple of 3; the number of channels is divided by their product.
    """

    def __init__(self, factor: Any) -> None:
        super().__init__()
        self._factors = _factors(type(self).__name__, factor, 3)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """From (batch, f1 * f2 * f3 * channels, d, h, w) to (batch, channels, f1 * d, f2 * h, f3 * w)."""
        deep, high, wide = self._factors
        split = F.reshape(x, shape=(0, -4, -1, deep * high * wide, 0, 0, 0))
        split = F.reshape(split, shape=(0, 0, -4, deep, high * wide, 0, 0, 0))
        split = F.reshape(split, shape=(0, 0, 0, -4, high, wide, 0, 0, 0))
        return F.reshape(F.transpose(split, axes=(0, 1, 5, 2, 6, 3, 7, 4)), shape=(0, 0, -3, -3, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"
