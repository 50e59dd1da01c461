"""Who takes part: Horovod's ranks and sizes, from `init()` to `shutdown()`."""

import os
from typing import Any, NamedTuple

from regluon.distributed import ProcessGroup, launched, world
from regluon.distributed.environment import HOW_TO_LAUNCH

from ...base import MXNetError
from ...kvstore._collectives import is_built, nccl_version

# How other launchers tell a process that it is one of several, without a place to meet that could be used here.
_OTHER_SIZES = ("HOROVOD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")


class NotInitializedError(MXNetError, ValueError):
    """`hvd.init()` was not called, or cannot find the other processes."""


class _Members(NamedTuple):
    """The processes as `init` found them; `group` is None for one that was started alone."""

    group: ProcessGroup | None
    local_ranks: list[int]


_members: list[_Members] = []


def init(comm: Any = None, process_sets: Any = None) -> None:
    """Joins the processes that were launched together; a process that was started alone is a group of one.

    Args:
        comm: Horovod takes a communicator of MPI here; there is none.
        process_sets: subsets of processes; not available.
    """
    if comm is not None or process_sets:
        raise MXNetError("[hvd.init] received comm or process_sets; expected none: all processes take part.")
    if _members:
        return
    if launched() is None:
        _check_alone()
        _members.append(_Members(None, [0]))
        return
    group = world("hvd.init")
    told = group.all_gather_bytes(str(group.local_rank).encode(), "hvd.init")
    _members.append(_Members(group, [int(text) for text in told]))


def _check_alone() -> None:
    """Refuses to train alone what was started as one of several."""
    for name in _OTHER_SIZES:
        text = os.environ.get(name, "")
        if text.isdigit() and int(text) > 1:
            raise NotInitializedError(
                f"[hvd.init] {name} is {text} in the environment, so this is one of several processes, but MASTER_ADDR "
                f"and MASTER_PORT, which tell where they meet, are not there. {HOW_TO_LAUNCH}."
            )


def shutdown() -> None:
    """Ends what `init` began; the connections stay until the process ends, since stores may use them."""
    _members.clear()


def is_initialized() -> bool:
    """Whether `init` was called."""
    return bool(_members)


def members(who: str) -> _Members:
    """The processes; an error before `init`."""
    if not _members:
        raise NotInitializedError(f"[{who}] Horovod has not been initialized; use hvd.init().")
    return _members[0]


def group_of(who: str, process_set: Any = None) -> ProcessGroup | None:
    """The group that a collective call runs in; None for a process alone."""
    if process_set is not None and process_set is not global_process_set:
        raise MXNetError(f"[{who}] process_set: received {process_set!r}; expected hvd.global_process_set.")
    return members(who).group


def rank() -> int:
    """The number of this process."""
    group = members("hvd.rank").group
    return 0 if group is None else group.rank


def size() -> int:
    """How many processes there are."""
    return len(members("hvd.size").local_ranks)


def local_rank() -> int:
    """The number of this process on its machine: which of its devices to take."""
    group = members("hvd.local_rank").group
    return 0 if group is None else group.local_rank


def local_size() -> int:
    """How many processes there are on this machine."""
    group = members("hvd.local_size").group
    return 1 if group is None else group.local_size


def _peers() -> list[int]:
    """The ranks that have this one's number on their machines."""
    mine = local_rank()
    return [number for number, other in enumerate(members("hvd.cross_rank").local_ranks) if other == mine]


def cross_rank() -> int:
    """The number of this machine, among those that have a process of this local rank."""
    return _peers().index(rank())


def cross_size() -> int:
    """How many machines have a process of this local rank."""
    return len(_peers())


def is_homogeneous() -> bool:
    """Whether all machines run as many processes."""
    ranks = members("hvd.is_homogeneous").local_ranks
    return len({ranks.count(each) for each in ranks}) == 1


class _Everyone:
    """All processes: the only process set there is."""

    process_set_id = 0

    def size(self) -> int:
        """How many there are."""
        return size()

    def rank(self) -> int:
        """The number of this process."""
        return rank()

    def included(self) -> bool:
        """Whether this process is one of them."""
        return True

    @property
    def ranks(self) -> list[int]:
        """Their numbers."""
        return list(range(size()))


global_process_set = _Everyone()


def mpi_threads_supported() -> bool:
    """Whether MPI could be used by several threads; MPI is not used at all."""
    return False


def mpi_enabled() -> bool:
    """Whether MPI carries the messages: never."""
    return False


def mpi_built() -> bool:
    """Whether MPI could carry the messages: never."""
    return False


def gloo_enabled() -> bool:
    """Whether Gloo carries the messages of arrays on CPUs."""
    return is_built("gloo")


def gloo_built() -> bool:
    """Whether torch was built with Gloo."""
    return is_built("gloo")


def nccl_built() -> int:
    """The version of NCCL as a number; 0 where torch has none or there is no GPU."""
    return nccl_version()


def cuda_built() -> bool:
    """Whether torch was built for CUDA."""
    return is_built("cuda")


def rocm_built() -> bool:
    """Whether torch was built for ROCm."""
    return is_built("rocm")


def ddl_built() -> bool:
    """Whether IBM's library can carry messages: never."""
    return False


def ccl_built() -> bool:
    """Whether Intel's library can carry messages: never."""
    return False
