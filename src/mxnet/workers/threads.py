"""How many threads operators use."""

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Operators that this thread calls inside do not wake others.

    Spreading a task of some hundred microseconds over cores costs more than it gains, and far more where other
    programs use the cores too.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
