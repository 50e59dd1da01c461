"""How this process was started: its rank among how many, and where they meet.

Launchers say so in environment variables. Torch's names are the ones that count here; those of Slurm, Open MPI and
MXNet's own launcher are translated to them.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from ..base import MXNetError

HOW_TO_LAUNCH = (
    "Start one process for each worker: `python -m mxnet.launch -n 4 --launcher local python train.py`, or "
    "`torchrun --nproc-per-node=4 train.py`; docs/DISTRIBUTED.md tells how on Slurm, Kubernetes and over SSH"
)


class NotLaunchedError(MXNetError, RuntimeError):
    """A store over several processes was asked for in a process that no launcher has started."""


class Launch(NamedTuple):
    """A process among those that train together.

    Attributes:
        rank: its number.
        size: how many there are.
        local_rank: its number among those of its machine.
        local_size: how many there are on its machine.
        address: the host where they meet.
        port: and its port.
    """

    rank: int
    size: int
    local_rank: int
    local_size: int
    address: str
    port: int


class _Names(NamedTuple):
    """Under which names a launcher gives these facts; local ones and the meeting point may be left out."""

    rank: str
    size: str
    local_rank: str = ""
    local_size: str = ""
    address: str = "MASTER_ADDR"
    port: str = "MASTER_PORT"


_LAUNCHERS = (
    _Names("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    _Names("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    _Names("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
    _Names("DMLC_WORKER_ID", "DMLC_NUM_WORKER", address="DMLC_PS_ROOT_URI", port="DMLC_PS_ROOT_PORT"),
    _Names("DMLC_TASK_ID", "DMLC_NUM_WORKER", address="DMLC_PS_ROOT_URI", port="DMLC_PS_ROOT_PORT"),
)


def launched(environ: Mapping[str, str] = os.environ) -> Launch | None:
    """What a launcher says of this process; None where there was none."""
    for names in _LAUNCHERS:
        if all(environ.get(name) for name in (names.rank, names.size, names.address, names.port)):
            return _read(names, environ)
    return None


def _read(names: _Names, environ: Mapping[str, str]) -> Launch:
    def number(name: str, default: int) -> int:
        text = environ.get(name) or str(default)
        try:
            return int(text)
        except ValueError:
            raise MXNetError(f"[distributed] {name} is {text!r} in the environment; expected a number.") from None

    rank, size = number(names.rank, 0), number(names.size, 1)
    if not 0 <= rank < size:
        raise MXNetError(
            f"[distributed] {names.rank} is {rank} and {names.size} is {size} in the environment; expected a rank from "
            "0 to one less than the size."
        )
    local_rank, local_size = number(names.local_rank, 0), number(names.local_size, 1)
    return Launch(rank, size, local_rank, local_size, environ[names.address], number(names.port, 0))


def require_launch(who: str) -> Launch:
    """What a launcher says of this process; an error that tells how to launch where there was none."""
    found = launched()
    if found is None:
        raise NotLaunchedError(f"[{who}] this process is not one of several that were launched. {HOW_TO_LAUNCH}.")
    return found


def publish() -> None:
    """Tells programs that read MXNet's variables what they look for; workers need no servers and no scheduler."""
    found = launched()
    if found is None:
        return
    facts = {
        "DMLC_ROLE": "worker",
        "DMLC_NUM_WORKER": found.size,
        "DMLC_NUM_SERVER": found.size,
        "DMLC_WORKER_ID": found.rank,
        "DMLC_PS_ROOT_URI": found.address,
        "DMLC_PS_ROOT_PORT": found.port,
    }
    for name, value in facts.items():
        os.environ.setdefault(name, str(value))
