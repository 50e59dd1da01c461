"""Random state: one torch generator per Context, so that seeding one leaves torch's own and the others alone.

Without `mx.random.seed` a process starts from fresh entropy, as NumPy and PyTorch do.
"""

import threading

import torch

from . import config
from .context import Context

_generators: dict[Context, torch.Generator] = {}
_lock = threading.Lock()
_base_seed: int | None = None


def _derived(seed: int, context: Context) -> int:
    """A different stream for each context under one seed."""
    return (seed * 1_000_003 + context.device_typeid * 10_007 + context.device_id) & 0x7FFF_FFFF_FFFF_FFFF


def generator(context: Context) -> torch.Generator:
    """The generator that samplers on this context draw from."""
    found = _generators.get(context)
    if found is None:
        with _lock:
            found = _generators.get(context)
            if found is None:
                found = torch.Generator(device=context.device)
                if _base_seed is None:
                    found.seed()
                else:
                    found.manual_seed(_derived(_base_seed, context))
                _generators[context] = found
    return found


def seed_all(seed: int) -> None:
    """Seeds every context, those not used yet as well."""
    global _base_seed  # noqa: PLW0603 - one seed for the process, kept for contexts that appear later
    with _lock:
        _base_seed = seed
        for context, found in _generators.items():
            found.manual_seed(_derived(seed, context))


def seed_one(seed: int, context: Context) -> None:
    """Seeds one context only."""
    generator(context).manual_seed(_derived(seed, context))


if config.read("MXNET_TEST_SEED"):
    seed_all(int(config.read("MXNET_TEST_SEED")))
