"""A small run of tools/faults.py: `make faults` is the large one."""

import os
import tempfile
from pathlib import Path

import pytest

if os.name != "posix":
    pytest.skip("signals and limits of POSIX", allow_module_level=True)

from tools import faults
from tools.fault_writers import WRITERS, Export, HardLinked, Torn, Writer, one

HOME = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()
BY_NAME = {kind.name: kind for kind in WRITERS}


@pytest.mark.parametrize("name", list(BY_NAME))
@pytest.mark.sample(one_in=4)
def test_kills(name: str) -> None:
    result = faults.run_kills([BY_NAME[name]], 4, seed=len(name), homes=[HOME])[0]
    assert result.torn == []
    assert result.counts["kills"] == 4
    assert result.counts["leftover"] == 0


@pytest.mark.parametrize("name", [name for name in BY_NAME if name != "MXIndexedRecordIO"])
def test_a_full_disk(name: str, tmp_path: Path) -> None:
    assert faults.refused(BY_NAME[name], tmp_path, faults.limit_files, lambda: None) == ""


def test_other_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert faults.check_folders([Writer, HardLinked, Export]) == []
    assert faults.check_devices() == []
    assert faults.check_workers(1) == []
    printed = capsys.readouterr().out.splitlines()
    assert printed == [
        "protected folders: 3 of 3 as they should be",
        "devices: 2 of 2 as they should be",
        "dead workers: 1 of 1 as they should be",
    ]


class Careless(Writer):
    """Saves as nobody should: the harness has to notice."""

    name = "careless"

    def save(self, version: int) -> None:
        for place in ("first", "second"):
            with open(self.folder / place, "wb", buffering=0) as stream:
                for _ in range(200):
                    stream.write(b"%d " % version)

    def load(self) -> int:
        contents = [(self.folder / place).read_bytes().split() for place in ("first", "second")]
        if any(len(content) != 200 for content in contents):
            raise Torn("cut off")
        return one([version for content in contents for version in content], "the pair")


def test_torn_files_are_noticed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "WRITERS", (Careless,))
    assert faults.main(["--kills", "12", "--only-kills"]) == 1
    assert "careless: " in capsys.readouterr().out


def test_a_save_that_should_fail_and_does_not_is_noticed(tmp_path: Path) -> None:
    assert faults.refused(Writer, tmp_path, lambda: None, lambda: None) == "the save succeeded"
    result = faults.Kills(Writer)
    writer = Writer(tmp_path)
    writer.save(1)
    result._look(writer, 7)
    assert result.torn == ["nd.save: version 1; expected 7 or 8"]
