"""What stands between a launcher and a worker's program."""

import sys

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
