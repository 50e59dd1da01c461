"""Devices: `mx.cpu()`, `mx.gpu(i)` and the default device of the current thread."""

import operator
from collections.abc import Callable
from typing import Any

import torch

from .arguments import did_you_mean
from .base import MXNetError
from .config import process
from .config import read as read_setting
from .scopes import Stack, popping


class _ContextType(type):
    """Lets `Context.default_ctx` be read and set on the class, as MXNet programs do."""

    _default_ctx: Stack

    @property
    def default_ctx(cls) -> "Context":
        """The default device of the current thread."""
        return current_context()

    @default_ctx.setter
    def default_ctx(cls, context: "Context") -> None:
        _local.stack[-1] = context


class Context(metaclass=_ContextType):
    """A device: its kind and number. `with mx.Context(...)` makes it the default of the block.

    `cpu(0)` and `cpu(1)` differ, though both are the one CPU of the machine: programs for many devices can be
    tried that way.
    """

    __module__ = "mxnet.context"

    devtype2str: dict[int, str] = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
    devstr2type: dict[str, int] = {name: number for number, name in devtype2str.items()}

    __slots__ = ("_device", "device_id", "device_typeid")

    def __init__(self, device_type: "str | Context", device_id: int = 0) -> None:
        self.device_typeid: int
        self.device_id: int
        if isinstance(device_type, Context):
            self.device_typeid, self.device_id = device_type.device_typeid, device_type.device_id
        else:
            if device_type not in Context.devstr2type:
                raise MXNetError(
                    f"[Context] received device type {device_type!r}; expected one of {', '.join(Context.devstr2type)}."
                    f"{did_you_mean(device_type, Context.devstr2type)}"
                )
            self.device_typeid = Context.devstr2type[device_type]
            self.device_id = int(operator.index(device_id))
        self._device: torch.device | None = None

    @property
    def device_type(self) -> str:
        """'cpu', 'gpu', 'cpu_pinned' or 'cpu_shared'."""
        return Context.devtype2str[self.device_typeid]

    @property
    def device(self) -> torch.device:
        """The torch device that holds arrays of this context.

        Raises:
            MXNetError: the context is a GPU and none can be used.
        """
        if self._device is None:
            self._device = _gpu_device(self.device_id) if self.device_typeid == 2 else torch.device("cpu")
        return self._device

    def __hash__(self) -> int:
        return hash((self.device_typeid, self.device_id))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Context)
            and self.device_typeid == other.device_typeid
            and self.device_id == other.device_id
        )

    def __str__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return Context, (self.device_type, self.device_id)

    def __setstate__(self, saved: dict[str, Any]) -> None:
        # Only MXNet's own pickles come here.
        self.__init__(Context.devtype2str[saved["device_typeid"]], saved["device_id"])  # type: ignore[misc]

    def __enter__(self) -> "Context":
        stack = _local.stack
        stack += [self]
        return self

    @property
    def __exit__(self) -> Callable[..., None]:  # noqa: PLE0302
        return popping(_local.stack)

    def empty_cache(self) -> None:
        """Returns memory that the device's allocator keeps for reuse to the system."""
        if self.device.type == "cuda":
            with torch.cuda.device(self.device):
                torch.cuda.empty_cache()
        elif self.device.type == "mps":
            torch.mps.empty_cache()
        elif process.release_memory is not None:
            process.release_memory()


def _gpu_device(device_id: int) -> torch.device:
    if read_setting("MXNET_USE_MPS") == "1" and torch.backends.mps.is_available():
        return torch.device("mps")
    found = torch.cuda.device_count()
    if 0 <= device_id < found:
        return torch.device("cuda", device_id)
    have = f"this machine has {found} CUDA device(s)" if found else "PyTorch finds no CUDA device on this machine"
    raise MXNetError(f"[gpu({device_id})] {have}; use mx.cpu(), or install a CUDA build of PyTorch.")


_CPU = Context("cpu", 0)


_local = Context._default_ctx = Stack(lambda: _CPU)


def current_context() -> Context:
    """The context new arrays are made on, set by `with ctx:`; `cpu(0)` at first."""
    return _local.stack[-1]


def cpu(device_id: int = 0) -> Context:
    """A CPU context. All numbers mean the same cores and memory."""
    return _CPU if device_id == 0 else Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """A CPU context for memory a GPU copies from fast."""
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """The GPU of this number. Whether it exists is checked when an array is placed on it."""
    return Context("gpu", device_id)


def num_gpus() -> int:
    """How many GPUs `mx.gpu(i)` can name."""
    if read_setting("MXNET_USE_MPS") == "1" and torch.backends.mps.is_available():
        return 1
    return torch.cuda.device_count()


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Free and total bytes of a GPU's memory."""
    device = gpu(device_id).device
    if device.type != "cuda":
        raise MXNetError(f"[gpu_memory_info] {device} does not report its memory; this works on CUDA devices.")
    return torch.cuda.mem_get_info(device)


def context_of(value: "Context | str | None") -> Context:
    """A Context from what users pass: one, its text such as 'cpu(0)', or nothing for the current one."""
    if isinstance(value, Context):
        return value
    if not value:
        return current_context()
    kind, _, rest = str(value).partition("(")
    number = rest.rstrip(")") or "0"
    if kind not in Context.devstr2type or not number.isdigit():
        raise MXNetError(f"[Context] received {value!r}; expected a Context, or a text such as 'cpu(0)' or 'gpu(1)'.")
    return Context(kind, int(number))


def _keep_freed_memory() -> None:
    """Lets the C library keep what arrays give back, instead of getting it from the system anew in every step.

    glibc learns from the largest block that was freed, up to 32 MB, how much to keep; so one is freed, which nobody has
    written to. A program comes there by itself sooner or later: until then, pages that are new cost it up to a tenth of
    a training step.
    """
    torch.empty((32 << 20) - (64 << 10), dtype=torch.uint8)


_keep_freed_memory()
