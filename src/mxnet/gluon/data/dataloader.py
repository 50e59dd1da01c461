"""Batches of a dataset."""

from collections.abc import Callable, Iterator, Sequence
from multiprocessing import Queue, SimpleQueue, TimeoutError
from multiprocessing.pool import ThreadPool
from multiprocessing.reduction import ForkingPickler
from typing import Any

from regluon.call_repr import call_text
from regluon.config import api_range, switches
from regluon.data.workers import WorkerPool, WorkerTimeoutError, batch_seed, draw_seed, loads
from regluon.operators import Result

from ...context import Context, cpu_pinned
from ...ndarray import NDArray
from ..utils import ArgumentError
from ._batch_reader import BatchReader, default_batchify_fn, default_mp_batchify_fn
from .sampler import BatchSampler, RandomSampler, SequentialSampler

# ForkingPickler, Queue and SimpleQueue are here for programs with workers of their own: they carry arrays in shared
# memory.
__all__ = ["DataLoader", "ForkingPickler", "Queue", "SimpleQueue", "default_batchify_fn", "default_mp_batchify_fn"]


def _as_in_context(data: Any, ctx: Context) -> Any:
    """A batch on another context, lists in it included."""
    if isinstance(data, NDArray):
        return data.as_in_context(ctx)
    if isinstance(data, (list, tuple)):
        return [_as_in_context(each, ctx) for each in data]
    return data


def _take_over(np_shape: bool, np_array: bool) -> None:
    """Gives a thread the switches of the one that started it."""
    switches.np_shape, switches.np_array = np_shape, np_array


class _MultiWorkerIter:
    """One pass over a dataset that workers read; it always knows which batch is next, they only carry it out.

    Args:
        worker_pool: the workers: a WorkerPool, or a pool of `multiprocessing`.
        batchify_fn: makes a batch of a list of samples.
        batch_sampler: the indices of each batch.
        pin_memory: put batches into memory that GPUs can read from directly.
        pin_device_id: the GPU for that.
        worker_fn: what a pool of `multiprocessing` calls with the indices, batchify_fn and dataset. Without a dataset
            its result is the batch as bytes, made with ForkingPickler.
        prefetch: number of batches to ask for at once.
        dataset: what worker_fn reads from.
        data_loader: kept as long as the pass.
        timeout: seconds to wait for a batch.
    """

    def __init__(
        self,
        worker_pool: Any,
        batchify_fn: Callable[[Sequence[Any]], Any],
        batch_sampler: Any,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        worker_fn: Callable[..., Any] | None = None,
        prefetch: int = 0,
        dataset: Any = None,
        data_loader: Any = None,
        timeout: float = 120,
    ) -> None:
        self._worker_pool = worker_pool
        self._batchify_fn = batchify_fn
        self._batch_sampler = batch_sampler
        self._data_buffer: dict[int, Any] = {}
        self._rcvd_idx = 0
        self._sent_idx = 0
        self._seed = draw_seed()
        self._iter = iter(self._batch_sampler)
        self._worker_fn = worker_fn
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._dataset = dataset
        self._data_loader = data_loader
        self._timeout = timeout
        for _ in range(prefetch):
            self._push_next()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def _push_next(self) -> None:
        """Asks for one batch more."""
        indices = next(self._iter, None)
        if indices is None:
            return
        if self._worker_fn is not None:
            arguments = indices, self._batchify_fn, self._dataset
            self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(self._worker_fn, arguments)
        else:
            self._data_buffer[self._sent_idx] = self._sent(indices, batch_seed(self._seed, self._sent_idx))
        self._sent_idx += 1

    def _sent(self, indices: Any, seed: int) -> Any:
        if isinstance(self._worker_pool, WorkerPool):
            return self._worker_pool.submit(indices, seed=seed)
        return self._worker_pool.apply_async(self._dataset.privately, (indices, seed))

    def __next__(self) -> Result:
        self._push_next()
        if self._rcvd_idx == self._sent_idx:
            raise StopIteration
        pending = self._data_buffer.pop(self._rcvd_idx)
        self._rcvd_idx += 1  # before an error may come: the pass can go on after one
        try:
            with api_range("DataLoader.wait"):
                batch = pending.get(self._timeout)
        except TimeoutError as error:  # of a pool of threads, without a text
            if isinstance(error, WorkerTimeoutError) or pending.ready():
                raise
            advice = "if a data set waits for something that never comes, look for it without workers"
            raise WorkerTimeoutError.after(self._timeout, advice) from error
        if self._worker_fn is not None and self._dataset is None and isinstance(batch, (bytes, bytearray, memoryview)):
            batch = loads(batch)
        return _as_in_context(batch, cpu_pinned(self._pin_device_id)) if self._pin_memory else batch

    next = __next__

    def __iter__(self) -> "_MultiWorkerIter":
        return self


class DataLoader:
    """Reads a dataset in batches.

    Args:
        dataset: anything with `len` and numbered samples.
        batch_size: number of samples in a batch.
        shuffle: read in random order, a new one for each pass; `mx.random.seed` fixes it.
        sampler: the order to read in, instead of shuffle.
        last_batch: what to do with a rest at the end: 'keep' (as a smaller batch), 'discard', or 'rollover' (begin the
            next pass with it).
        batch_sampler: gives the indices of each batch, instead of batch_size, shuffle, sampler and last_batch.
        batchify_fn: makes a batch from a list of samples; by default they are put side by side.
        num_workers: processes, or threads, that read; 0 to read here. Processes are started the way
            `multiprocessing` is set to, and hold the dataset as it was when the loader was made.
        pin_memory: put batches into memory that GPUs can read from directly.
        pin_device_id: the GPU for that.
        prefetch: number of batches that workers read ahead; two for each worker by default.
        thread_pool: threads instead of processes as workers.
        timeout: seconds to wait for a batch of the workers.
        auto_reload: prepare the next pass as soon as one ends.

    Random numbers that workers draw follow `mx.random.seed` as well: each batch has a seed of its own, so results do
    not depend on the number of workers. In processes this holds for the `random` modules of Python and NumPy too.

    Example:
        >>> for data, label in gluon.data.DataLoader(dataset, batch_size=32, shuffle=True, num_workers=4):
        ...     ...
    """

    _worker_pool: Any = None

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: str | None = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[Sequence[Any]], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: int = 120,
        auto_reload: bool = False,
    ) -> None:
        if timeout <= 0:
            raise ArgumentError(f"[DataLoader] timeout: received {timeout}; expected a positive number of seconds.")
        needs_length = sampler is None and batch_sampler is None
        if not hasattr(dataset, "__getitem__") or (needs_length and not hasattr(dataset, "__len__")):
            raise TypeError(
                f"[DataLoader] dataset: received {type(dataset).__name__}; expected samples with a length and indices: "
                "a Dataset, such as gluon.data.ArrayDataset(x, y), an array or a list."
            )
        self._dataset = dataset
        self._batch_sampler = _batches(dataset, batch_size, shuffle, sampler, last_batch, batch_sampler)
        self._num_workers = max(0, int(num_workers))
        if batchify_fn is None:
            batchify_fn = default_mp_batchify_fn if self._num_workers else default_batchify_fn
        self._batchify_fn = batchify_fn
        self._reader = BatchReader(dataset, batchify_fn)
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._thread_pool = thread_pool
        self._timeout = timeout
        self._prefetch = max(0, int(prefetch) if prefetch is not None else 2 * self._num_workers)
        self._start_workers()
        self.auto_reload = auto_reload
        self._iter: Iterator[Any] | None = None
        if auto_reload:
            self.refresh()

    def __iter__(self) -> Iterator[Result]:
        if self._iter is None:
            self.refresh()
        current, self._iter = self._iter, None
        assert current is not None
        yield from current
        if self._iter is None and self.auto_reload:
            self.refresh()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def __repr__(self) -> str:
        workers = {"num_workers": self._num_workers} if self._num_workers else {}
        threads = {"thread_pool": True} if self._thread_pool else {}
        return call_text("DataLoader", repr(self._dataset), **_order(self._batch_sampler), **workers, **threads)

    def __del__(self) -> None:
        if self._worker_pool is not None:
            self._worker_pool.terminate()

    def refresh(self) -> None:
        """Prepares a new pass; workers begin to read."""
        self._iter = self._prefetch_iter()

    def clean(self) -> None:
        """Drops the pass that is prepared."""
        self._iter = None

    def _start_workers(self) -> None:
        if not self._num_workers:
            return
        if not self._thread_pool:
            self._worker_pool = WorkerPool(self._num_workers, self._reader)
        elif self._worker_pool is None:
            self._worker_pool = ThreadPool(self._num_workers, _take_over, (switches.np_shape, switches.np_array))

    def _prefetch_iter(self) -> Iterator[Any]:
        if not self._num_workers:
            return self._pass_without_workers()
        if isinstance(self._worker_pool, WorkerPool) and not self._worker_pool.is_usable:
            self._start_workers()  # the last pass ended with the death of a worker
        return _MultiWorkerIter(
            self._worker_pool,
            self._batchify_fn,
            self._batch_sampler,
            pin_memory=self._pin_memory,
            pin_device_id=self._pin_device_id,
            prefetch=self._prefetch,
            dataset=self._reader,
            data_loader=self,
            timeout=self._timeout,
        )

    def _pass_without_workers(self) -> Iterator[Any]:
        draw_seed()  # as a pass with workers does: the order under a seed is the same with any number of them
        for indices in self._batch_sampler:
            with api_range("DataLoader.read"):
                batch = self._reader(indices)
            yield _as_in_context(batch, cpu_pinned(self._pin_device_id)) if self._pin_memory else batch


def _batches(
    dataset: Any, batch_size: int | None, shuffle: bool, sampler: Any, last_batch: str | None, batch_sampler: Any
) -> Any:
    """The sampler of batches that the arguments of a DataLoader describe."""
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise ValueError(
                "[DataLoader] received a batch_sampler together with batch_size, shuffle, sampler or last_batch; it "
                "decides on all of them: leave the others out."
            )
        return batch_sampler
    if batch_size is None:
        raise ValueError("[DataLoader] received neither batch_size nor batch_sampler; expected one of them.")
    if sampler is not None and shuffle:
        raise ValueError(
            "[DataLoader] received shuffle and a sampler; the sampler decides on the order: leave shuffle out."
        )
    if sampler is None:
        sampler = RandomSampler(len(dataset)) if shuffle else SequentialSampler(len(dataset))
    return BatchSampler(sampler, batch_size, last_batch or "keep")


def _order(batch_sampler: Any) -> dict[str, Any]:
    """The arguments of a DataLoader that a sampler of batches stands for."""
    if type(batch_sampler) is not BatchSampler:
        return {"batch_sampler": batch_sampler}
    sampler = batch_sampler._sampler
    found: dict[str, Any] = {"batch_size": batch_sampler._batch_size}
    if type(sampler) is RandomSampler:
        found["shuffle"] = True
    elif type(sampler) is not SequentialSampler or sampler._start:
        found["sampler"] = sampler
    return found if batch_sampler._last_batch == "keep" else {**found, "last_batch": batch_sampler._last_batch}
