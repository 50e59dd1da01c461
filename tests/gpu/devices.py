"""Notes what passes between the devices and the host while operators of torch run."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

aten = torch.ops.aten

# The host must wait for the device to know what these return, or how long it is.
READS = {
    aten._local_scalar_dense.default,
    aten.equal.default,
    aten.nonzero.default,
    aten.masked_select.default,
    aten._unique2.default,
    aten.unique_dim.default,
    aten.unique_consecutive.default,
    aten.bincount.default,
    aten.repeat_interleave.Tensor,
    aten._ctc_loss.Tensor,
    aten._ctc_loss_backward.Tensor,
}
_INDEXING = {aten.index.Tensor, aten.index_put.default, aten.index_put_.default, aten._index_put_impl_.default}
_QUESTIONS = {aten._use_cudnn_ctc_loss.Tensor, aten._use_miopen_ctc_loss.Tensor}  # of torch, about a call to come


class MixedDevices(AssertionError):
    """A tensor on the CPU, or on another device, took part in an operator on a device."""


class Watch(TorchDispatchMode):
    """Sees every operator of torch.

    Attributes:
        reads: operators that made the host wait for a device.
        uploads: shapes of what was copied from the host to a device.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []
        self.uploads: list[tuple[int, ...]] = []

    def clear(self) -> None:
        self.reads.clear()
        self.uploads.clear()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = [leaf for leaf in tree_flatten((args, kwargs))[0] if isinstance(leaf, torch.Tensor)]
        if func is aten.copy_.default:
            self._note_copy(args[1], args[0].device)
        elif func is aten._to_copy.default:
            self._note_copy(args[0], kwargs.get("device") or args[0].device)
        elif func not in _QUESTIONS:
            _check_devices(func, given)
        device = next((tensor.device for tensor in given if tensor.is_cuda), torch.device("cpu"))
        reads = func in READS or (func in _INDEXING and _has_mask(args[1]))
        if reads and device.type == "cuda":
            self.reads.append(str(func))
        return self.run(func, args, kwargs, device, reads)

    def run(self, func: Any, args: Any, kwargs: Any, device: torch.device, reads: bool) -> Any:
        """Runs an operator whose inputs are on this device."""
        return func(*args, **kwargs)

    def _note_copy(self, source: torch.Tensor, target: torch.device) -> None:
        if source.is_cuda and target.type == "cpu":
            self.reads.append("copy to the host")
        elif source.device.type == "cpu" and target.type == "cuda":
            self.uploads.append(tuple(source.shape))


def _has_mask(indices: Any) -> bool:
    return any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in indices)


def _check_devices(func: Any, given: list[torch.Tensor]) -> None:
    """Stricter than torch, which copies indices from the CPU silently. Numbers without axes may come from there."""
    devices = {tensor.device for tensor in given if tensor.dim()} | {t.device for t in given if t.is_cuda}
    if len(devices) > 1:
        received = ", ".join(f"{tensor.device} {tuple(tensor.shape)}" for tensor in given)
        raise MixedDevices(f"{func} received tensors of several devices: {received}")
