"""Workers on this machine, under an elastic agent of torch in this process."""

import os
import sys

from torch.distributed import DistNetworkError
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError, ProcessFailure
from torch.distributed.run import parse_args, run

from .options import Job
from .worker import worker_command

_ADDRESS = "127.0.0.1"


def agent_command(job: Job) -> list[str]:
    """The words that would start the same agent by hand."""
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
    """Starts the workers and waits for them.

    Returns:
        The exit code for this process; a last line on stderr says what went wrong.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, _num_cores() // job.num_workers)))
    os.environ.update(job.env)
    try:
        run(parse_args(_arguments(job)))
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        print(error, file=sys.stderr)  # torch's table of all that failed
        after = f" after {job.max_restarts} restarts" if job.max_restarts else ""
        return _say(f"rank {rank} of {job.num_workers} failed first{after}: {_how(failure)}.", _code(failure.exitcode))
    except SignalException as error:
        return _say(f"stopped by {error.sigval.name}; all workers have ended.", 128 + error.sigval)
    except DistNetworkError as error:
        text = str(error).partition("\n")[0]
        return _say(f"no worker was started: {text} Choose another --master-port, or leave it out.", 1)
    return 0


def _num_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _how(failure: ProcessFailure) -> str:
    if failure.exitcode < 0:
        return f"killed by signal {-failure.exitcode} ({failure.signal_name()})"
    return f"its program ended with exit code {failure.exitcode}"


def _code(exitcode: int) -> int:
    """The exit code of a process as shells tell it."""
    return 128 - exitcode if exitcode < 0 else exitcode


def _say(text: str, code: int) -> int:
    print(f"[mxnet.launch] {text}", file=sys.stderr)
    return code
