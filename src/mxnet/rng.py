"""Random state: one torch generator per device, so that seeding leaves torch's own state alone.

All CPU contexts draw from one generator, as in MXNet: cpu(0) and cpu(1) get different numbers, the same again after
`mx.random.seed`. Without a seed a process starts from fresh entropy, as NumPy and PyTorch do.
"""

import threading

import torch

from .config import read as read_setting
from .context import Context

_generators: dict[torch.device, torch.Generator] = {}
_lock = threading.Lock()
_base_seed: int | None = None


def _derived(seed: int, device: torch.device) -> int:
    """A different stream for each GPU under one seed."""
    return (seed + 1_000_003 * (device.index or 0)) & 0x7FFF_FFFF_FFFF_FFFF


def generator(context: Context) -> torch.Generator:
    """The generator that samplers on this context draw from."""
    device = context.device
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


def seed_all(seed: int) -> None:
    """Seeds every device, those not used yet as well."""
    global _base_seed  # noqa: PLW0603 - one seed for the process, kept for devices that appear later
    with _lock:
        _base_seed = seed
        for device, found in _generators.items():
            found.manual_seed(_derived(seed, device))


def seed_one(seed: int, context: Context) -> None:
    """Seeds one device only; the same seed gives the same numbers on each."""
    generator(context).manual_seed(seed & 0x7FFF_FFFF_FFFF_FFFF)


if read_setting("MXNET_TEST_SEED"):
    seed_all(int(read_setting("MXNET_TEST_SEED")))
