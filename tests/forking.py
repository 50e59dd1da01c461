"""Child processes that share what the test has made, and may die over what they do."""

import os
import traceback
import warnings
from collections.abc import Callable


def run_forked(body: Callable[[], object]) -> int:
    """Runs a function in a forked process, which ends without cleaning up.

    Returns:
        0 if the function returned, 1 if it raised, or what it gave to `os._exit`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, which the child does not use
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        body()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)
