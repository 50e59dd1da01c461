"""Vocabularies and embeddings do what a real MXNet does."""

import builtins
import json
from pathlib import Path

import pytest

from tools.oracle.record_text import shortened
from tools.oracle.text_programs import PROGRAMS, run

RECORDED = json.loads((Path(__file__).parents[2] / "fixtures" / "text" / "programs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    expected, found = RECORDED[name], run(name)
    if "raises" in expected:
        assert isinstance(found["error"], getattr(builtins, expected["raises"]))
    else:
        assert "error" not in found, found["error"]
        assert shortened({"result": found["result"]})["result"] == expected["result"]
        assert len(found["warnings"]) == expected["warnings"]


def test_every_answer_belongs_to_a_program() -> None:
    assert list(RECORDED) == list(PROGRAMS)
