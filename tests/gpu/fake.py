"""CUDA devices without a GPU: torch's fake tensors tell where everything is, shadows on the CPU what its values are.

Every tensor made inside `fake_gpus()` is a `FakeTensor` of torch, without memory. torch itself checks with them that an
operator gets tensors of one device and tells on which device the result is. Beside each goes its shadow, an ordinary
tensor on the CPU on which the same operators run, so that values can be compared and programs that read them run on.
What a program reads from a device, and what it copies to one, is noted in `Watch`.
"""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._mode_utils import no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from mxnet import rng

aten = torch.ops.aten

# The host must wait for the device to know what these return, or how long it is.
_READS = {
    aten._local_scalar_dense.default,
    aten.equal.default,
    aten.nonzero.default,
    aten.masked_select.default,
    aten._unique2.default,
    aten.unique_dim.default,
    aten.unique_consecutive.default,
    aten.bincount.default,
    aten.repeat_interleave.Tensor,
}
_INDEXING = {aten.index.Tensor, aten.index_put.default, aten.index_put_.default, aten._index_put_impl_.default}


class MixedDevices(AssertionError):
    """A tensor on the CPU took part in an operator on a device."""


class Watch(TorchDispatchMode):
    """Runs every operator on the shadows too, and notes what passes between a device and the host.

    Attributes:
        reads: operators that made the host wait for a device.
        uploads: shapes of what was copied from the host to a device.
    """

    def __init__(self, fake: FakeTensorMode) -> None:
        super().__init__()
        self.fake = fake
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
        else:
            self._check_devices(func, given)
        reads = func in _READS or (func in _INDEXING and _has_mask(args[1]))
        if reads and any(tensor.is_cuda for tensor in given):
            self.reads.append(str(func))
        shadows = self._run_on_shadows(func, args, kwargs)
        if not reads:
            with self.fake:
                results = func(*args, **kwargs)
            _cast_shadows(results, shadows)
            return results
        device = next((tensor.device for tensor in given if tensor.is_cuda), torch.device("cpu"))
        return tree_map(lambda shadow: self.lend(shadow, device), shadows)

    def lend(self, shadow: Any, device: torch.device) -> Any:
        """A fake tensor on this device with this shadow."""
        if not isinstance(shadow, torch.Tensor):
            return shadow
        with self.fake:
            made = torch.empty_strided(shadow.shape, shadow.stride(), dtype=shadow.dtype, device=device)
        made.shadow = shadow  # type: ignore[attr-defined]
        return made

    def _note_copy(self, source: torch.Tensor, target: torch.device) -> None:
        if source.is_cuda and target.type == "cpu":
            self.reads.append("copy to the host")
        elif source.device.type == "cpu" and target.type == "cuda":
            self.uploads.append(tuple(source.shape))

    def _check_devices(self, func: Any, given: list[torch.Tensor]) -> None:
        """Stricter than torch, which copies indices and masks from the CPU: so do numbers without axes, for nothing."""
        devices = {tensor.device for tensor in given if tensor.dim()} | {t.device for t in given if t.is_cuda}
        if len(devices) > 1:
            received = ", ".join(f"{tensor.device} {tuple(tensor.shape)}" for tensor in given)
            raise MixedDevices(f"{func} received tensors of several devices: {received}")

    def _run_on_shadows(self, func: Any, args: Any, kwargs: Any) -> Any:
        leaves, spec = tree_flatten((args, kwargs))
        plain_args, plain_kwargs = tree_unflatten([_on_host(leaf) for leaf in leaves], spec)
        with no_dispatch():
            return func(*plain_args, **plain_kwargs)


def _has_mask(indices: Any) -> bool:
    return any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in indices)


def shadow_of(tensor: torch.Tensor) -> torch.Tensor:
    """The values of a tensor, on the CPU."""
    return tensor.shadow if isinstance(tensor, FakeTensor) else tensor  # type: ignore[attr-defined]


def _on_host(leaf: Any) -> Any:
    if isinstance(leaf, torch.Tensor):
        return shadow_of(leaf)
    return torch.device("cpu") if isinstance(leaf, torch.device) and leaf.type == "cuda" else leaf


def _cast_shadows(results: Any, shadows: Any) -> None:
    for result, shadow in zip(tree_flatten(results)[0], tree_flatten(shadows)[0], strict=True):
        if isinstance(result, FakeTensor):
            assert result.shape == shadow.shape, f"torch's fake tensor has {result.shape}, the real one {shadow.shape}"
            result.shadow = shadow  # type: ignore[attr-defined]


def _numpy(tensor: FakeTensor, *, force: bool = False) -> Any:
    if tensor.is_cuda and not force:
        raise TypeError(f"can't convert {tensor.device} device type tensor to numpy. Use Tensor.cpu() first.")
    with no_dispatch():
        return shadow_of(tensor).numpy()


def _address(storage: torch.UntypedStorage) -> int:
    """Storages of fake tensors have no memory: what tells them apart is the storage itself."""
    return storage._cdata if storage.device.type == "meta" else _real_address(storage)


_real_address = torch.UntypedStorage.data_ptr


@contextlib.contextmanager
def fake_gpus() -> Iterator[Watch]:
    """Inside, `mx.gpu(0)` and `mx.gpu(1)` exist, and nothing has memory but shadows."""
    fake = FakeTensorMode(allow_non_fake_inputs=False)
    generators = {torch.device("cuda", number): torch.Generator().manual_seed(number) for number in range(2)}
    with (
        mock.patch("torch.cuda.device_count", lambda: 2),
        mock.patch.dict(rng._generators, generators),
        mock.patch.object(FakeTensor, "numpy", _numpy),
        mock.patch.object(torch.UntypedStorage, "data_ptr", _address),
        fake,
        Watch(fake) as watch,
    ):
        yield watch
