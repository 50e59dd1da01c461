"""The options of MXNet's `tools/launch.py`, and a few more."""

import argparse
import os
import random
import shlex
import shutil
from collections.abc import Sequence
from typing import NamedTuple

from .hosts import Host, HostsError, read_hosts, spread

LAUNCHERS = ("local", "ssh", "slurm", "mpi")
_NOT_HERE = {
    "sge": "submit a script with `qsub` that lists the hosts of $PE_HOSTFILE and runs `python -m mxnet.launch -H`",
    "yarn": "have YARN start `torchrun --nnodes ... --node-rank ...` in each container",
}
_PORTS = range(20000, 30000)  # below those that systems give away by themselves


class Job(NamedTuple):
    """What to run, and where.

    Attributes:
        launcher: one of LAUNCHERS.
        command: the program of a worker, with its arguments.
        num_workers: how many to start.
        hosts: machines with the number of workers of each; empty for this one.
        env: variables to set for the workers.
        port: where the workers meet; 0 for any that is free.
        max_restarts: how often all workers are started again after a failure.
        sync_dst_dir: a folder on the machines, to which the current one is copied first.
        is_dry: whether only to show what would be run.
        notes: what to tell the user.
    """

    launcher: str
    command: list[str]
    num_workers: int
    hosts: list[tuple[Host, int]]
    env: dict[str, str]
    port: int
    max_restarts: int
    sync_dst_dir: str
    is_dry: bool
    notes: list[str]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m mxnet.launch",
        usage="%(prog)s -n WORKERS [options] command ...",
        description="Starts a program in several processes that train together.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("-n", "--num-workers", type=int, required=True, help="how many workers to start")
    add("-s", "--num-servers", type=int, help="no effect: workers add up among themselves, without servers")
    add("-H", "--hostfile", help="a file with a machine in each line: host, host:ssh_port, or host slots=4")
    add("--launcher", choices=[*LAUNCHERS, *_NOT_HERE], help="local without a hostfile, else ssh")
    add("--env", action="append", default=[], metavar="NAME", help="a variable of this process to hand to workers")
    add("--env-worker", action="append", default=[], metavar="NAME:VALUE", help="a variable to set for workers")
    add("--env-server", action="append", default=[], metavar="NAME:VALUE", help="no effect: there are no servers")
    add("--sync-dst-dir", default="", help="a folder on the machines to copy the current one to first (ssh)")
    add("--max-restarts", type=int, default=0, help="how often all workers are started again after a failure")
    add("--timeout", type=float, help="seconds that workers wait for each other; sets MXNET_KVSTORE_TIMEOUT")
    add("--master-port", type=int, default=0, help="where workers meet; any free port by default")
    add("--dry-run", action="store_true", help="print what would be run, and run nothing")
    add("command", nargs=argparse.REMAINDER, help="the program, such as `python train.py --lr 0.1`")
    return parser


def read_options(arguments: Sequence[str]) -> Job:
    """The job that a command line describes; what cannot be done ends the process with a text that says why."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return _job(options)
    except ValueError as error:
        parser.error(str(error))


def _job(options: argparse.Namespace) -> Job:
    launcher = options.launcher or ("ssh" if options.hostfile else "local")
    if launcher in _NOT_HERE:
        raise ValueError(
            f"--launcher {launcher}: not available; expected one of {', '.join(LAUNCHERS)}. Instead, "
            f"{_NOT_HERE[launcher]}"
        )
    for name, least in (("num_workers", 1), ("max_restarts", 0), ("master_port", 0)):
        if getattr(options, name) < least:
            shown = name.replace("_", "-")
            raise ValueError(f"--{shown}: received {getattr(options, name)}; expected at least {least}")
    if options.timeout is not None and not options.timeout > 0:
        raise ValueError(f"--timeout: received {options.timeout:g}; expected a number of seconds above 0")
    if options.sync_dst_dir and launcher != "ssh":
        raise ValueError(f"--sync-dst-dir: works with the launcher ssh, not with {launcher}")
    if options.max_restarts and launcher in ("slurm", "mpi"):
        raise ValueError(
            f"--max-restarts: works with the launchers local and ssh; with {launcher}, let the scheduler start the "
            "job again"
        )
    return Job(
        launcher=launcher,
        command=_command(options.command, launcher == "local"),
        num_workers=options.num_workers,
        hosts=_hosts(options, launcher),
        env=_variables(options),
        port=options.master_port or (0 if launcher == "local" else random.choice(_PORTS)),
        max_restarts=options.max_restarts,
        sync_dst_dir=options.sync_dst_dir,
        is_dry=options.dry_run,
        notes=_notes(options),
    )


def _command(words: list[str], is_here: bool) -> list[str]:
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        raise ValueError("no command: write the program after the options, such as `python train.py`")
    if len(words) == 1 and " " in words[0]:  # MXNet's launcher gave the words to a shell
        words = shlex.split(words[0])
    if is_here and shutil.which(words[0]) is None:
        raise ValueError(f"{words[0]!r} is no program that can be run; write `python train.py` for a script")
    return words


def _hosts(options: argparse.Namespace, launcher: str) -> list[tuple[Host, int]]:
    if launcher == "local" and options.hostfile:
        raise ValueError("--hostfile: works with the launchers ssh and mpi; local starts all workers on this machine")
    if launcher == "ssh" and not options.hostfile:
        raise ValueError("--launcher ssh: needs the machines; give a file that lists them with -H")
    if launcher == "slurm" and not (options.hostfile or os.environ.get("SLURM_JOB_NODELIST")):
        raise ValueError(
            "--launcher slurm: there is no SLURM_JOB_NODELIST; run it in a job, from a script given to `sbatch` or "
            "after `salloc`"
        )
    try:
        return spread(read_hosts(options.hostfile), options.num_workers) if options.hostfile else []
    except HostsError as error:
        raise ValueError(str(error)) from error


def _variables(options: argparse.Namespace) -> dict[str, str]:
    servers = options.num_workers if options.num_servers is None else options.num_servers
    found = {
        "DMLC_ROLE": "worker",
        "DMLC_NUM_WORKER": str(options.num_workers),
        "DMLC_NUM_SERVER": str(servers),
        "TORCH_CPP_LOG_LEVEL": os.environ.get("TORCH_CPP_LOG_LEVEL", "ERROR"),
    }
    if "OMP_NUM_THREADS" in os.environ:
        found["OMP_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"]
    if options.timeout is not None:
        found["MXNET_KVSTORE_TIMEOUT"] = f"{options.timeout:g}"
    for name in options.env:
        if name not in os.environ:
            raise ValueError(f"--env {name}: not set in this process; to set it, write --env-worker {name}:VALUE")
        found[name] = os.environ[name]
    for text in options.env_worker:
        name, separator, value = text.partition(":")
        if not (name and separator):
            raise ValueError(f"--env-worker: received {text!r}; expected NAME:VALUE, such as OMP_NUM_THREADS:2")
        found[name] = value
    return found


def _notes(options: argparse.Namespace) -> list[str]:
    notes = []
    if options.num_servers is not None:
        notes.append(f"-s {options.num_servers}: no server is started; workers add up among themselves.")
    if options.env_server:
        notes.append("--env-server: no effect, since no server is started; --env-worker sets variables of workers.")
    return notes
