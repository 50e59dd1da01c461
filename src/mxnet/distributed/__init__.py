"""Processes that train together, over `torch.distributed`: who they are, what they send, who is missing."""

from .environment import Launch, launched, publish
from .failures import WorkerLostError
from .group import ProcessGroup, joined, world

__all__ = ["Launch", "ProcessGroup", "WorkerLostError", "joined", "launched", "publish", "world"]
