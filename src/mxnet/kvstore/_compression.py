"""Gradients in two bits: a sign or nothing for each element, and what was left out is added to the next gradient.

An element is sent as +threshold once the sum of what was not sent yet reaches the threshold, as -threshold once it
falls to minus that, and as zero otherwise. Sixteen elements fit where one single-precision number was, as in MXNet.
"""

from typing import Any

import torch
from torch import Tensor

from ..base import MXNetError

__all__ = ["TwoBitCompression", "compression"]

_POSITIVE, _NEGATIVE = 3, 2  # the codes
_SHIFTS = (6, 4, 2, 0)  # the first element of a byte is in its highest bits


class TwoBitCompression:
    """Packs arrays, and keeps for each key what a receiver was not told yet.

    Args:
        threshold: what an element that is sent counts as.
    """

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold
        self.residuals: dict[Any, Tensor] = {}

    def takes(self, value: Tensor) -> bool:
        """Whether a value is of a kind that is packed: single precision, as in MXNet."""
        return value.dtype == torch.float32 and value.layout == torch.strided

    def compress(self, key: Any, value: Tensor) -> Tensor:
        """A value in two bits for each element."""
        residual = self.residuals.get(key)
        if residual is None:
            residual = self.residuals[key] = torch.zeros_like(value)
        residual += value
        rises, falls = residual >= self.threshold, residual <= -self.threshold
        residual -= self.threshold * rises
        residual += self.threshold * falls
        codes = (rises * _POSITIVE + falls * _NEGATIVE).to(torch.uint8).reshape(-1)
        padded = torch.zeros(-(-codes.numel() // 4) * 4, dtype=torch.uint8, device=value.device)
        padded[: codes.numel()] = codes
        fours = padded.view(-1, 4)
        packed: Tensor = fours[:, 0] << 6
        for place in range(1, 4):
            packed |= fours[:, place] << _SHIFTS[place]
        return packed

    def decompress(self, packed: Tensor, shape: Any, dtype: torch.dtype = torch.float32) -> Tensor:
        """What the packed elements count as."""
        shifts = torch.tensor(_SHIFTS, dtype=torch.uint8, device=packed.device)
        codes = ((packed.unsqueeze(1) >> shifts) & 3).reshape(-1)[: torch.Size(shape).numel()].reshape(shape)
        signs = (codes == _POSITIVE).to(dtype) - (codes == _NEGATIVE).to(dtype)
        return signs * self.threshold


def compression(who: str, params: Any) -> TwoBitCompression | None:
    """The compression that parameters such as {'type': '2bit', 'threshold': 0.5} ask for; None for type 'none'."""
    if not isinstance(params, dict):
        raise TypeError(f"[{who}] received {type(params).__name__}; expected a dict such as {{'type': '2bit'}}.")
    if unknown := params.keys() - {"type", "threshold"}:
        raise MXNetError(f"[{who}] received {', '.join(sorted(unknown))}; expected 'type' and 'threshold'.")
    if (kind := params.get("type")) == "none":
        return None
    if kind != "2bit":
        raise MXNetError(f"[{who}] type: received {kind!r}; expected '2bit' or 'none'.")
    threshold = float(params.get("threshold", 0.5))
    if not threshold > 0:
        raise MXNetError(f"[{who}] threshold: received {threshold}; expected a number above 0.")
    return TwoBitCompression(threshold)
