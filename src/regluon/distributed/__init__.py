"""Processes that train together, over `torch.distributed`: launch environment, collective calls, lost ranks."""

from .environment import Launch, launched, publish
from .failures import WorkerLostError, report_lost_ranks
from .group import ProcessGroup, joined, world

__all__ = ["Launch", "ProcessGroup", "WorkerLostError", "joined", "launched", "publish", "report_lost_ranks", "world"]
