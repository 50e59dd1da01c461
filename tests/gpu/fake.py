"""CUDA devices without a GPU: torch's fake tensors tell where everything is, shadows on the CPU what its values are.

Every tensor made inside `fake_gpus()` is a `FakeTensor` of torch, without memory. torch itself checks with them that an
operator gets tensors of one device and tells on which device the result is. Beside each goes its shadow, an ordinary
tensor on the CPU on which the same operators run, so that values can be compared and programs that read them run on.
"""

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._mode_utils import no_dispatch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from regluon import rng
from tests.gpu.cuda_only import SHADOWS
from tests.gpu.devices import MixedDevices, Watch

_WITHOUT_FAKE = {torch.ops.aten._fused_sgd_.default, *SHADOWS}


class FakeWatch(Watch):
    """Runs every operator on fake tensors and on their shadows."""

    def __init__(self, fake: FakeTensorMode) -> None:
        super().__init__()
        self.fake = fake
        # Backward has a thread for each device; torch's fake tensors are for one thread.
        self._one_at_a_time = threading.RLock()

    def run(self, func: Any, args: Any, kwargs: Any, device: torch.device, reads: bool) -> Any:
        with self._one_at_a_time:
            return self._run(func, args, kwargs, device, reads)

    def _run(self, func: Any, args: Any, kwargs: Any, device: torch.device, reads: bool) -> Any:
        is_ours = func.namespace == "regluon"
        if is_ours and device.type == "cuda":
            return _refused_by_kernel(func)
        shadows = _run_on_shadows(func, args, kwargs)
        if reads or is_ours or func in _WITHOUT_FAKE:
            return tree_map(lambda shadow: self.lend(shadow, device), shadows)
        if "generator" in kwargs:  # some of torch's rules for fake tensors refuse it
            kwargs = {**kwargs, "generator": None}
        with self.fake:
            results = func(*args, **kwargs)
        _cast_shadows(results, shadows)
        return results

    def lend(self, shadow: Any, device: torch.device) -> Any:
        """A fake tensor on this device with this shadow."""
        if not isinstance(shadow, torch.Tensor):
            return shadow
        with self.fake:
            made = torch.empty_strided(shadow.shape, shadow.stride(), dtype=shadow.dtype, device=device)
        made.shadow = shadow  # type: ignore[attr-defined]
        return made


def _refused_by_kernel(func: Any) -> bool:
    """Kernels of this library are for the CPU; those of optimizers look, and tell that they did nothing."""
    if [str(result.type) for result in func._schema.returns] == ["bool"]:
        return False
    raise MixedDevices(f"{func}, a kernel for the CPU, received tensors on a device")


def _run_on_shadows(func: Any, args: Any, kwargs: Any) -> Any:
    leaves, spec = tree_flatten((args, kwargs))
    plain_args, plain_kwargs = tree_unflatten([_on_host(leaf) for leaf in leaves], spec)
    with no_dispatch():
        return SHADOWS.get(func, func)(*plain_args, **plain_kwargs)


def _on_host(leaf: Any) -> Any:
    if isinstance(leaf, torch.Tensor):
        return shadow_of(leaf)
    return torch.device("cpu") if isinstance(leaf, torch.device) and leaf.type == "cuda" else leaf


def _cast_shadows(results: Any, shadows: Any) -> None:
    pairs = zip(tree_flatten(results)[0], tree_flatten(shadows)[0], strict=True)
    for place, (result, shadow) in enumerate(pairs):
        if isinstance(result, FakeTensor):
            # Results after the first may be scratch memory for backward, which each kind of device has its own of.
            assert place or result.shape == shadow.shape, (
                f"{result.shape} of a fake tensor, {shadow.shape} of a real one"
            )
            result.shadow = shadow  # type: ignore[attr-defined]


def shadow_of(tensor: torch.Tensor) -> torch.Tensor:
    """The values of a tensor, on the CPU."""
    return tensor.shadow if isinstance(tensor, FakeTensor) else tensor  # type: ignore[attr-defined]


def _numpy(tensor: FakeTensor, *, force: bool = False) -> Any:
    if tensor.is_cuda and not force:
        raise TypeError(f"can't convert {tensor.device} device type tensor to numpy. Use Tensor.cpu() first.")
    with no_dispatch():
        return shadow_of(tensor).numpy()


def _start(tensor: FakeTensor) -> int:
    with no_dispatch():
        return shadow_of(tensor).data_ptr()


_real_address = torch.UntypedStorage.data_ptr


def _address(storage: torch.UntypedStorage) -> int:
    """Storages of fake tensors have no memory: what tells them apart is the storage itself."""
    return storage._cdata if storage.device.type == "meta" else _real_address(storage)


class _Generator(torch.Generator):
    """Draws shadows on the CPU, and says that it is on a device."""

    def __new__(cls, device: torch.device) -> "_Generator":
        return super().__new__(cls)

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self.manual_seed(device.index)

    @property
    def device(self) -> torch.device:
        return self._device


@functools.cache
def _mode() -> FakeTensorMode:
    """One for the process: the library keeps small tensors of its own on each device."""
    return FakeTensorMode(allow_non_fake_inputs=False)


@contextlib.contextmanager
def fake_gpus() -> Iterator[Watch]:
    """Inside, `mx.gpu(0)` and `mx.gpu(1)` exist, and nothing has memory but shadows."""
    fake = _mode()
    generators = {device: _Generator(device) for device in (torch.device("cuda", 0), torch.device("cuda", 1))}
    with (
        mock.patch("torch.cuda.device_count", return_value=2),
        mock.patch("torch.cuda.synchronize"),
        mock.patch.dict(rng._generators, generators),
        mock.patch.object(FakeTensor, "numpy", _numpy),
        mock.patch.object(FakeTensor, "data_ptr", _start, create=True),
        mock.patch.object(torch.UntypedStorage, "data_ptr", _address),
        fake,
        FakeWatch(fake) as watch,
    ):
        yield watch
