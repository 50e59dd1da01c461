"""Child processes that share what the test has made, and may die over what they do."""

import os
from collections.abc import Callable

from tools.faults import fork


def run_forked(body: Callable[[], object]) -> int:
    """Runs a function in a forked process, which ends without cleaning up.

    Returns:
        0 if the function returned, 1 if it raised, or what it gave to `os._exit`.
    """
    return os.waitstatus_to_exitcode(os.waitpid(fork(body), 0)[1])
