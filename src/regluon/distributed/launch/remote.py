"""Run workers on other machines."""

import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from .hosts import Host, first_node
from .local import worker_command
from .options import Job

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


_PATIENCE = 45.0  # seconds to end in: an agent gives its workers 30
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # all but SIGKILL that ask a program to end


class _Stopped(BaseException):
    """A signal asked this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def run_all(attempts: Sequence[Sequence[Command]]) -> int:
    """Starts commands and waits for them; when one fails, the others are ended.

    Args:
        attempts: what to start, all at once; after a failure, what to start in its place, and so on. Agents on several
            machines cannot do it by themselves: one whose workers have ended well, or that is gone itself, would not
            take part.

    Returns:
        The exit code for this process; a last line on stderr says what went wrong.
    """
    for name in {words[0] for command in attempts[0] for words in (*command.before, command.words)}:
        if shutil.which(name) is None:
            return _say(f"there is no program {name!r} on this machine; install it, or choose another --launcher.", 1)
    for command in attempts[0]:
        for words in command.before:
            if code := subprocess.run(words, check=False).returncode:
                return _say(f"{command.who}: {words[0]} ended with exit code {code}; no worker was started.", code)
    previous = {number: signal.signal(number, _stop) for number in _SIGNALS}
    try:
        for attempt, commands in enumerate(attempts, 1):
            place, code = _run_once(commands)
            if not code:
                return 0
            how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            again = f" All start again ({attempt} of {len(attempts) - 1})." if attempt < len(attempts) else ""
            _say(f"{commands[place].who} failed first: {how}.{again}", code)
        return 128 - code if code < 0 else code
    except _Stopped as stopped:
        return _say(f"stopped by {signal.Signals(stopped.number).name}; all workers have ended.", 128 + stopped.number)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _run_once(commands: Sequence[Command]) -> tuple[int, int]:
    """Runs commands until all have ended well, or one has not: its place and exit code."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands:
            env, stdin = {**os.environ, **command.env}, subprocess.PIPE if command.ends_with_input else None
            processes.append(subprocess.Popen(command.words, env=env, stdin=stdin))
        return _first_failure(processes)
    finally:
        _end(processes)


def _first_failure(processes: Sequence[subprocess.Popen[bytes]]) -> tuple[int, int]:
    """Waits until all have ended well, or one has not: its place and exit code."""
    ended: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
    for place, process in enumerate(processes):
        threading.Thread(target=_report, args=(place, process, ended), daemon=True).start()
    for _ in processes:
        place, code = ended.get()
        if code:
            return place, code
    return 0, 0


def _report(place: int, process: subprocess.Popen[bytes], ended: Any) -> None:
    ended.put((place, process.wait()))


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ends what still runs."""
    for process in processes:
        if process.stdin is not None:
            process.stdin.close()
        elif process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _stop(number: int, frame: FrameType | None) -> None:
    raise _Stopped(number)


def _say(text: str, code: int) -> int:
    print(f"[mxnet.launch] {text}", file=sys.stderr)
    return code
