"""A copy of the files that git knows, for builds and tests that must not write into the checkout."""

import shutil
import subprocess
from pathlib import Path


def copy_checkout(root: Path, target: Path, only_tracked: bool = False) -> None:
    """Copies a checkout as it is now, changes that are not committed included.

    Args:
        root: the checkout.
        target: a folder; what it holds is removed.
        only_tracked: leave out new files that git does not ignore.
    """
    shutil.rmtree(target, ignore_errors=True)
    others = [] if only_tracked else ["--others", "--exclude-standard"]
    command = ["git", "ls-files", "-z", "--cached", *others]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():  # not so if it was removed without telling git
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)


def is_clean(root: Path) -> bool:
    """Whether the checkout is what its last commit says."""
    command = ["git", "status", "--porcelain"]
    return not subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()


def commit_time(root: Path) -> str:
    """When the last commit was made, in seconds since 1970: the date of all files of a release."""
    command = ["git", "log", "-1", "--format=%ct"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
