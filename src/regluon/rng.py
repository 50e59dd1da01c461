"""Random state: one torch generator per device, so that seeding leaves torch's own state alone.

All CPU contexts draw from one generator, as in MXNet: cpu(0) and cpu(1) get different numbers, the same again after
`mx.random.seed`. Without a seed a process starts from fresh entropy, as NumPy and PyTorch do.
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping

import torch

from .config import read as read_setting
from .context import Context, cpu

_generators: dict[torch.device, torch.Generator] = {}
_lock = threading.Lock()
_base_seed: int | None = None
_seeded = False


class _Local(threading.local):
    """A thread's own generators and their seed, while it is inside `private_stream`."""

    generators: dict[torch.device, torch.Generator] | None = None
    seed = 0


_local = _Local()


def _derived(seed: int, device: torch.device) -> int:
    """A different stream for each GPU under one seed."""
    return (seed + 1_000_003 * (device.index or 0)) & 0x7FFF_FFFF_FFFF_FFFF


def generator(context: Context) -> torch.Generator:
    """The generator that samplers on this context draw from."""
    if _local.generators is not None:
        return _own_generator(context.device, _local.generators)
    return _shared_generator(context.device)


def _shared_generator(device: torch.device) -> torch.Generator:
    found = _generators.get(device)
    if found is None:
        with _lock:
            found = _generators.get(device)
            if found is None:
                found = torch.Generator(device=device)
                if _base_seed is None:
                    found.seed()
                else:
                    found.manual_seed(_derived(_base_seed, device))
                _generators[device] = found
    return found


def _own_generator(device: torch.device, generators: dict[torch.device, torch.Generator]) -> torch.Generator:
    if device not in generators:
        generators[device] = torch.Generator(device=device)
        generators[device].manual_seed(_derived(_local.seed, device))
    return generators[device]


@contextlib.contextmanager
def private_stream(seed: int) -> Iterator[None]:
    """Inside, this thread draws numbers of its own, which other threads neither see nor disturb."""
    outer = _local.generators, _local.seed
    _local.generators, _local.seed = {}, seed
    try:
        yield
    finally:
        _local.generators, _local.seed = outer


def follows_seed() -> bool:
    """Whether somebody gave this thread's numbers a seed: for what else may choose between sources of chance."""
    return _seeded or _local.generators is not None


def fraction() -> float:
    """One number of [0, 1) from the generator of the CPU, for choices made in Python."""
    return float(torch.rand((), dtype=torch.float64, generator=generator(cpu())))


def seed_all(seed: int) -> None:
    """Seeds every device, those not used yet as well."""
    global _base_seed, _seeded  # one seed for the process, kept for devices that appear later
    with _lock:
        _base_seed, _seeded = seed, True
        for device, found in _generators.items():
            found.manual_seed(_derived(seed, device))


def seed_one(seed: int, context: Context) -> None:
    """Seeds one device only; the same seed gives the same numbers on each."""
    global _seeded  # noqa: PLW0603 - of the process, as the generators are
    _seeded = True
    generator(context).manual_seed(seed & 0x7FFF_FFFF_FFFF_FFFF)


def states() -> dict[str, bytes]:
    """Where the generators of all devices that have drawn numbers are, and that of the CPU, by the device's name."""
    _shared_generator(cpu().device)  # what it will draw is decided now, though it has drawn nothing yet
    return {str(device): bytes(found.get_state().numpy()) for device, found in _generators.items()}


def set_states(saved: Mapping[str, bytes]) -> None:
    """Goes on where `states` was called."""
    for name, state in saved.items():
        device = torch.device(name)
        with _lock:
            found = _generators.setdefault(device, torch.Generator(device=device))
        found.set_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))


if read_setting("MXNET_TEST_SEED"):
    seed_all(int(read_setting("MXNET_TEST_SEED")))
