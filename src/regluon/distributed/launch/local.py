"""Run workers on this machine under torch's elastic agent."""

import os
import signal
import sys

from torch.distributed import DistNetworkError
from torch.distributed.elastic.multiprocessing import PContext
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError, ProcessFailure
from torch.distributed.run import parse_args, run

from .options import Job

# Runs in each worker before its program: sets those of MXNet's variables that differ from worker to worker, and has the
# system end the program when the launcher's agent dies (PR_SET_PDEATHSIG, kept over exec), so that none is left behind.
# Attempts are counted by the launcher, where it starts the agents again, else by the agent.
# A text, since the machine of the worker may have this package elsewhere; it imports nothing that takes time.
_PROGRAM = (
    "import ctypes, os, sys",
    "e = os.environ",
    'rank = next(e[n] for n in ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID") if n in e)',
    'e.update(DMLC_WORKER_ID=rank, DMLC_PS_ROOT_URI=e["MASTER_ADDR"], DMLC_PS_ROOT_PORT=e["MASTER_PORT"])',
    'e.setdefault("DMLC_NUM_ATTEMPT", e.get("TORCHELASTIC_RESTART_COUNT", "0"))',
    'e["TORCHELASTIC_RESTART_COUNT"] = e["DMLC_NUM_ATTEMPT"]',
    'sys.platform == "linux" and ctypes.CDLL(None).prctl(1, 15)',
    "os.execvp(sys.argv[1], sys.argv[1:])",
)


def worker_command(command: list[str], python: str = sys.executable) -> list[str]:
    """The words that start a worker's program."""
    return [python, "-I", "-S", f"-c{'; '.join(_PROGRAM)}", *command]  # torch's reports name the first without a dash


SHUTDOWN_SECONDS = 3  # between SIGTERM and SIGKILL for the remaining workers, after one worker has failed

_ADDRESS = "127.0.0.1"


def agent_command(job: Job) -> list[str]:
    """Return the command line that starts the same agent."""
    return [sys.executable, "-m", "torch.distributed.run", *_arguments(job)]


def _arguments(job: Job) -> list[str]:
    meeting = [f"--master-addr={_ADDRESS}", f"--master-port={job.port}"] if job.port else ["--standalone"]
    return [
        "--nnodes=1",
        f"--nproc-per-node={job.num_workers}",
        f"--max-restarts={job.max_restarts}",
        *meeting,
        f"--local-addr={_ADDRESS}",
        "--no-python",
        *worker_command(job.command),
    ]


def run_here(job: Job) -> int:
    """Start the workers and wait for them.

    After a failure, the last line on stderr names the rank that failed first. If that rank failed because it waited for
    a lost rank, the last line is its report (see `regluon.distributed.report_lost_ranks`), which names the lost rank.

    Returns:
        The exit code for this process.
    """
    _shorten_shutdown()
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, _num_cores() // job.num_workers)))
    os.environ.update(job.env)
    try:
        run(parse_args(_arguments(job)))
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        print(error, file=sys.stderr)  # torch's table of all that failed
        after = f" after {job.max_restarts} restarts" if job.max_restarts else ""
        if "lost_ranks" in failure.error_file_data:
            text = f"{failure.message}{after}."
        else:
            text = f"rank {rank} of {job.num_workers} failed first{after}: {_how(failure)}."
        return _say(text, _code(failure.exitcode))
    except SignalException as error:
        return _say(f"stopped by {error.sigval.name}; all workers have ended.", 128 + error.sigval)
    except DistNetworkError as error:
        text = str(error).partition("\n")[0]
        return _say(f"no worker was started: {text} Choose another --master-port, or leave it out.", 1)
    return 0


def _shorten_shutdown() -> None:
    """Have the agent kill workers that survive SIGTERM after SHUTDOWN_SECONDS.

    After a failure the agent gives the remaining workers 30 seconds, and its option --shutdown-timeout has no effect on
    that. A hung worker is often stopped or ignores SIGTERM. The agent passes a timeout of its own, which is kept, when
    the launcher itself is asked to end.
    """
    close = PContext.close

    def close_soon(context: PContext, death_sig: signal.Signals | None = None, timeout: int = SHUTDOWN_SECONDS) -> None:
        close(context, death_sig, timeout)

    PContext.close = close_soon  # type: ignore[assignment, method-assign]


def _num_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _how(failure: ProcessFailure) -> str:
    if failure.exitcode < 0:
        return f"killed by signal {-failure.exitcode} ({failure.signal_name()})"
    return f"its program ended with exit code {failure.exitcode}"


def _code(exitcode: int) -> int:
    """Return the exit code of a process in the notation of shells: 128 plus the signal number if a signal ended it."""
    return 128 - exitcode if exitcode < 0 else exitcode


def _say(text: str, code: int) -> int:
    print(f"[mxnet.launch] {text}", file=sys.stderr)
    return code
