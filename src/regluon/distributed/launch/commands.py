"""Commands that start workers on other machines: one for each host over SSH, one for all with Slurm and MPI."""

import os
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

from .hosts import Host, first_node
from .options import Job
from .worker import worker_command

_SSH = ("ssh", "-o", "BatchMode=yes")


class Command(NamedTuple):
    """A program to start here, for workers elsewhere.

    Attributes:
        who: the machine and the ranks it serves, for messages.
        words: the program with its arguments.
        env: variables to add to its environment.
        before: commands that must succeed first.
        ends_with_input: whether it ends when its standard input is closed, and all it has started with it.
    """

    who: str
    words: list[str]
    env: dict[str, str]
    before: list[list[str]]
    ends_with_input: bool


def job_commands(job: Job, attempt: int = 0) -> list[Command]:
    """What to start for a job, for the first time or again."""
    job = job._replace(env={**job.env, "DMLC_NUM_ATTEMPT": str(attempt)})
    if job.launcher == "slurm":
        return [_slurm(job)]
    if job.launcher == "mpi":
        return [_mpi(job)]
    return _ssh(job)


def _slurm(job: Job) -> Command:
    address = job.hosts[0][0].name if job.hosts else first_node(os.environ["SLURM_JOB_NODELIST"])
    where = [f"--nodelist={','.join(host.name for host, _ in job.hosts)}"] if job.hosts else []
    words = ["srun", f"--ntasks={job.num_workers}", *where, "--kill-on-bad-exit=1", *worker_command(job.command)]
    return Command("srun", words, {**job.env, "MASTER_ADDR": address, "MASTER_PORT": str(job.port)}, [], False)


def _mpi(job: Job) -> Command:
    address = job.hosts[0][0].name if job.hosts else "127.0.0.1"
    where = ["--host", ",".join(f"{host.name}:{count}" for host, count in job.hosts)] if job.hosts else []
    env = {**job.env, "MASTER_ADDR": address, "MASTER_PORT": str(job.port)}
    exported = [word for name in env for word in ("-x", name)]
    words = ["mpirun", "-np", str(job.num_workers), *where, *exported, *worker_command(job.command)]
    return Command("mpirun", words, env, [], False)


def _ssh(job: Job) -> list[Command]:
    commands, first = [], 0
    for place, (host, count) in enumerate(job.hosts):
        ranks = f"rank {first}" if count == 1 else f"ranks {first} to {first + count - 1}"
        words = [*_SSH, *(["-p", str(host.port)] if host.port else []), host.name]
        script = f"exec sh -c {shlex.quote(_script(job, place, count))}"
        before = [_copying(host, job.sync_dst_dir)] if job.sync_dst_dir else []
        commands.append(Command(f"{host.name} ({ranks})", [*words, script], {}, before, True))
        first += count
    return commands


def _copying(host: Host, folder: str) -> list[str]:
    shell = shlex.join([*_SSH, *(["-p", str(host.port)] if host.port else [])])
    return ["rsync", "-az", "--rsh", shell, "./", f"{host.name}:{folder}/"]


def _script(job: Job, place: int, count: int) -> str:
    """What a shell on a machine does: it runs torch's agent, and ends it when the connection is gone.

    Its standard input stays open as long as the launcher lives, and `cat` returns when it is closed.
    """
    folder = job.sync_dst_dir or str(Path.cwd())
    python = _python(job.command)
    exports = [f"export {name}={shlex.quote(value)}" for name, value in job.env.items()]
    if "OMP_NUM_THREADS" not in job.env:
        exports += [
            "cores=$(getconf _NPROCESSORS_ONLN)",
            f"export OMP_NUM_THREADS=${{OMP_NUM_THREADS:-$((cores > {count} ? cores / {count} : 1))}}",
        ]
    agent = shlex.join(
        [
            *(python, "-m", "torch.distributed.run", f"--nnodes={len(job.hosts)}", f"--nproc-per-node={count}"),
            *(f"--node-rank={place}", f"--master-addr={job.hosts[0][0].name}", f"--master-port={job.port}"),
            *("--max-restarts=0", "--no-python"),
            *worker_command(job.command, python),
        ]
    )
    return "; ".join(
        [
            f"cd {shlex.quote(folder)} || exit 1",
            *exports,
            "exec 3<&0",
            f"{agent} 3<&- & agent=$!",
            "{ cat <&3; kill $agent; } >/dev/null 2>&1 & watch=$!",
            "wait $agent; code=$?; kill $watch 2>/dev/null; exit $code",
        ]
    )


def _python(command: list[str]) -> str:
    """The interpreter for the agent: the program's own if it is one, for it is known to be there."""
    return command[0] if Path(command[0]).name.startswith("python") else sys.executable
