"""What the pages for users say is true: their programs run, their links lead somewhere, their numbers are right."""

import json
import re
from pathlib import Path

import pytest

from mxnet.ops import registry
from mxnet.tools.command import main as command
from tests.ndarray.differences import DIFFERENCES
from tests.numpy.differences import DIFFERENCES as NUMPY_DIFFERENCES
from tests.ops.base import load_fixtures

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
README = (ROOT / "README.md").read_text()
FIXTURES = ROOT / "tests" / "fixtures"


def test_program_of_the_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(program, names)
    assert names["loss"].mean().asscalar() < 0.05
    assert abs(names["again"](names["x"]) - names["net"](names["x"])).max().asscalar() < 1e-5
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "sine-0000.params",
        "sine-symbol.json",
        "sine.safetensors",
    ]
    capsys.readouterr()
    assert command(["inspect", "sine-symbol.json", "sine-0000.params"]) == 0
    assert "2  FullyConnected" in capsys.readouterr().out
    assert command(["convert", "sine", "--to", "safetensors", "--output", "other.safetensors"]) == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    assert [target for target in targets if "://" not in target and not (page.parent / target).exists()] == []


def test_counts_of_the_readme():
    contract = set(json.loads((FIXTURES / "api" / "operators.json").read_text()))
    operators = {operator.name for _, operator in registry.names()} & contract
    assert f"{len(operators)} of {len(contract)}" in README
    assert f"{len(load_fixtures()):,} calls recorded" in README
    paths = list((FIXTURES / "expressions").glob("*.json"))
    for is_numpy, different in ((False, DIFFERENCES), (True, NUMPY_DIFFERENCES)):
        counts = [len(json.loads(path.read_text())) for path in paths if path.name.startswith("np") is is_numpy]
        differences = sum(map(len, different.values()))
        agree = sum(counts) - differences
        assert (
            f"of {sum(counts):,} recorded expressions {agree:,} agree to the letter, the other {differences}" in README
        )
