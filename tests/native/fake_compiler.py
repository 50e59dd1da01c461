"""A compiler for tests: writes what it was called with to the file it should make, or fails as it is told."""

import json
import sys
from pathlib import Path

_SOURCE = """#!{python} -IS
import json, os, pathlib, signal, sys
arguments = sys.argv[1:]
if "--version" in arguments:
    print("g++ {version}\\nCopyright (C) 2022 Free Software Foundation, Inc.")
    sys.exit()
settings = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
with open(pathlib.Path(__file__).with_suffix(".log"), "a") as log:
    log.write(json.dumps(arguments) + "\\n")
if settings["dies"]:
    os.kill(os.getpid(), signal.SIGKILL)
if settings["fails"]:
    sys.exit("winograd.cpp:1: error: no such instruction")
if settings["copies"] and "-c" in arguments:
    source = pathlib.Path(arguments[arguments.index("-c") + 1])
    pathlib.Path(__file__).with_name(f"copy of {{source.stem}}").write_bytes(source.read_bytes())
pathlib.Path(arguments[arguments.index("-o") + 1]).write_bytes(b"made by the compiler " * 50)
"""


class FakeCompiler:
    """A compiler on disk."""

    def __init__(self, path: Path, version: str = "12.2.0") -> None:
        self.path = path
        self.update(version)
        self.set()

    def update(self, version: str) -> None:
        """Installs another version."""
        self.path.write_text(_SOURCE.format(python=sys.executable, version=version))
        self.path.chmod(0o755)

    def set(self, fails: bool = False, dies: bool = False, copies: bool = False) -> None:
        """Set how later calls behave.

        Args:
            fails: print an error and exit with status 1.
            dies: end by SIGKILL.
            copies: copy the source file, for `copy_of`.
        """
        settings = {"fails": fails, "dies": dies, "copies": copies}
        self.path.with_suffix(".json").write_text(json.dumps(settings))

    def copy_of(self, stem: str) -> str:
        """Return the text of a source that was compiled while `copies` was set."""
        return self.path.with_name(f"copy of {stem}").read_text()

    @property
    def calls(self) -> list[list[str]]:
        """The arguments of all calls since the last look."""
        log = self.path.with_suffix(".log")
        if not log.exists():
            return []
        found = [json.loads(line) for line in log.read_text().splitlines()]
        log.unlink()
        return found
