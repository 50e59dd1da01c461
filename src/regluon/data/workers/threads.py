"""How many threads operators use."""

import contextlib
import sys
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


@contextlib.contextmanager
def without_opencv_threads() -> Iterator[None]:
    """Inside, OpenCV has no threads of its own: what is forked here begins without.

    Threads do not survive a fork, but OpenCV believes in them: a child that used them, or ended them, would wait for
    ever.
    """
    cv2 = sys.modules.get("cv2")
    if cv2 is None:
        yield
        return
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)
