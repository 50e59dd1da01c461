"""Processes and threads that do work for this one: what a DataLoader reads its batches with."""

from .errors import RemoteTraceback, WorkerError, WorkerTimeoutError
from .pool import Pending, WorkerPool
from .seeds import batch_seed, draw_seed
from .segments import loads
from .threads import one_thread
