"""From options to workers that run."""

import shlex
import sys
from collections.abc import Sequence

from .local import agent_command, run_here
from .options import Job, read_options
from .remote import job_commands, run_all


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `python -m mxnet.launch`.

    Args:
        arguments: of the command line; by default those of this process.

    Returns:
        The exit code: 0 if all workers ended well, else that of the one that failed first.
    """
    job = read_options(sys.argv[1:] if arguments is None else arguments)
    for note in job.notes:
        print(f"[mxnet.launch] {note}", file=sys.stderr)
    if job.is_dry:
        _show(job)
        return 0
    if job.launcher == "local":
        return run_here(job)
    return run_all([job_commands(job, attempt) for attempt in range(job.max_restarts + 1)])


def _show(job: Job) -> None:
    """Prints what would be run."""
    if job.launcher == "local":
        print(shlex.join(agent_command(job)))
        return
    for command in job_commands(job):
        for before in command.before:
            print(shlex.join(before))
        exported = [f"{name}={shlex.quote(value)}" for name, value in command.env.items()]
        print(" ".join([*exported, shlex.join(command.words)]))
