"""`python -m regluon.native`: builds the native kernels, says what is there, or removes them."""

import argparse
import shutil
import sys
import time
from pathlib import Path

import torch

from ..base import MXNetError, kept_folder
from . import levels
from .building import build, faults, folder, kernels_in, plan, runner_in
from .compilers import BuildError, find_compiler
from .compiling import allowed_jobs, missing_headers
from .loading import PACKAGED, library
from .sealing import facts_of, fault


def main(arguments: list[str]) -> int:
    """Command line; returns 0 if the kernels can be used."""
    options = _parser().parse_args(arguments)
    if options.remove:
        return _remove()
    if options.status:
        return _show_status()
    try:
        return _build(options)
    except (MXNetError, OSError) as error:
        text = str(error)
        print(text.splitlines()[0] if options.optional else text, file=sys.stderr)
        return 0 if options.optional else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m regluon.native", description="Builds the native kernels.")
    parser.add_argument("--status", action="store_true", help="say what is there and what is used, and why")
    parser.add_argument("--remove", action="store_true", help="remove all libraries that were built under MXNET_HOME")
    parser.add_argument(
        "--force", action="store_true", help="compile though there are sound libraries, or it failed before"
    )
    parser.add_argument("--jobs", type=int, help="the most compilers at a time")
    parser.add_argument(
        "--level", default=levels.NATIVE, choices=[levels.NATIVE, *levels.NAMES], help="an instruction set"
    )
    parser.add_argument("--optional", action="store_true", help="one line, and success, where nothing can be built")
    return parser


def _build(options: argparse.Namespace) -> int:
    place = folder(options.level)
    if place is not None and not options.force and not faults(place):
        print(f"The native kernels are up to date: {kernels_in(place)}")
        return 0
    if place is not None and kernels_in(place).exists():
        print(f"Rebuilding the native kernels: {faults(place) or '--force was given'}.")
    steps = plan(options.level, jobs=options.jobs)
    began = time.monotonic()
    if build(steps, options.force, lambda line: print(line, flush=True)):
        size = sum(path.stat().st_size for path in (kernels_in(steps.place), runner_in(steps.place)))
        seconds = time.monotonic() - began
        print(f"Done: {size / 2**20:.1f} MB in {seconds:.0f} s. Programs that you start from now on use the kernels.")
    wrong = faults(steps.place)
    if wrong:
        print(f"The native kernels cannot be used: {wrong}.", file=sys.stderr)
    return bool(wrong)


def _remove() -> int:
    home = kept_folder("native")
    if home is None or not home.is_dir():
        print("No native kernels to remove.")
        return 0
    size = _size(home)
    shutil.rmtree(home)
    print(f"Removed {home}: {size / 2**20:.1f} MB.")
    return 0


def _show_status() -> int:
    used = library()
    print(f"used        {used}")
    print(f"processor   {', '.join(levels.available()) or 'no level that wheels are built for'}")
    print(f"torch       {torch.__version__}")
    try:
        print(f"compiler    {find_compiler()}")
    except BuildError as error:
        print(f"compiler    none: {error}")
    jobs = allowed_jobs()
    print(f"jobs        {jobs.limit} ({jobs.reason})")
    if missing_headers():
        print(f"missing     {missing_headers()}")
    own = folder()
    for path in _libraries():
        text = fault(path, PACKAGED.parent if path.parent == PACKAGED else None)
        is_other = path.parent not in (own, PACKAGED)
        note = text or ("for other sources, versions or processors" if is_other else "sound")
        made_by = facts_of(path).get("compiler", "an unknown compiler")
        print(f"library     {path}  {path.stat().st_size / 2**20:.1f} MB by {made_by}: {note}")
    failed = None if own is None else own / "failed.json"
    if failed is not None and failed.exists():
        print(f"failed      {failed} has the output of the last build")
    return 0 if used.operators is not None else 1


def _libraries() -> list[Path]:
    home = kept_folder("native")
    return [*sorted(PACKAGED.glob("*.so")), *(sorted(home.glob("*/*.so")) if home is not None else [])]


def _size(place: Path) -> int:
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
