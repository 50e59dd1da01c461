"""Processes and threads that do work for this one: what a DataLoader reads its batches with."""

from .pool import Pending, WorkerPool
from .segments import loads
from .worker_state import RemoteTraceback, WorkerError, WorkerTimeoutError, batch_seed, draw_seed, one_thread
