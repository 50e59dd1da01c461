"""Kernels of our own in C++; whatever they do is done by torch where there are none.

They come with a platform wheel, or are built by `python -m regluon.native`. Nothing else starts a compiler.
"""

from .loading import Library, connect, forget_calls, kernels, library, runner, version, watch

__all__ = ["Library", "connect", "forget_calls", "kernels", "library", "runner", "version", "watch"]
