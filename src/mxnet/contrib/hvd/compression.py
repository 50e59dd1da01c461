"""What makes gradients smaller before they are sent."""

from typing import Any

from ...ndarray import NDArray

__all__ = ["Compression"]


class NoneCompressor:
    """Sends arrays as they are."""

    @staticmethod
    def compress(tensor: NDArray) -> tuple[NDArray, Any]:
        """The array, and nothing to remember."""
        return tensor, None

    @staticmethod
    def decompress(tensor: NDArray, ctx: Any) -> NDArray:
        """The array."""
        return tensor


class FP16Compressor:
    """Sends arrays of real numbers in float16."""

    @staticmethod
    def compress(tensor: NDArray) -> tuple[NDArray, Any]:
        """The array to send, and the dtype it had."""
        is_real = "float" in str(tensor.dtype)
        return (tensor.astype("float16", copy=False) if is_real else tensor), tensor.dtype

    @staticmethod
    def decompress(tensor: NDArray, ctx: Any) -> NDArray:
        """The array in the dtype it had."""
        return tensor.astype(ctx, copy=False)


class Compression:
    """The kinds there are.

    Attributes:
        none: arrays as they are.
        fp16: real numbers in float16.
    """

    none = NoneCompressor
    fp16 = FP16Compressor
