"""Kernels of our own in C++, for machines that have a compiler; whatever they do is done by torch elsewhere.

They are compiled once for a machine, in the background, by a process that has worked for a while, and kept under
MXNET_HOME; later processes find them there. `python -m mxnet.native` compiles them at once.
"""

from .loading import connect, kernels, on_load, runner, version, watch

__all__ = ["connect", "kernels", "on_load", "runner", "version", "watch"]
