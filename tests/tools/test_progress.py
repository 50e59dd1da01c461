"""Progress: a line on a terminal, nothing elsewhere."""

import contextlib
import io

import pytest

from regluon.cli import output as module
from regluon.cli.output import activity, clear, progress

CLEARED = " " * 12


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _narrow(monkeypatch):
    monkeypatch.setattr(module, "_width", lambda: len(CLEARED))
    monkeypatch.setattr(module, "_INTERVAL", 0)


def shown(run) -> list[str]:
    with contextlib.redirect_stderr(Terminal()) as terminal:
        run()
    return terminal.getvalue().split("\r")


def test_items_are_counted():
    found: list[str] = []
    lines = shown(lambda: found.extend(progress("abc", 3, "read")))
    assert found == ["a", "b", "c"]
    assert lines == ["", "read 1 of 3 ", "read 2 of 3 ", "read 3 of 3 ", CLEARED, ""]


def test_the_line_goes_when_the_work_fails():
    def fail() -> None:
        with activity("writing a file of a long name"):
            raise ValueError("wrong")

    def run() -> None:
        with pytest.raises(ValueError, match="wrong"):
            fail()

    assert shown(run) == ["", "writing a fi", CLEARED, ""]


def test_few_updates(monkeypatch):
    monkeypatch.setattr(module, "_INTERVAL", 3600)
    assert shown(lambda: list(progress(range(1000), 1000, "read"))) == ["", "read 1 of 10", CLEARED, ""]


def test_nothing_without_a_terminal(capsys):
    assert list(progress("abc", 3, "read")) == ["a", "b", "c"]
    with activity("writing"):
        clear()
    assert capsys.readouterr() == ("", "")
