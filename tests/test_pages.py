"""What the pages for users say is true: their programs run, their links lead somewhere, their numbers are right."""

import io
import json
import re
import tokenize
from pathlib import Path

import pytest

import mxnet as mx
from mxnet.ops import registry
from mxnet.tools.command import main as command
from tests.ndarray.differences import DIFFERENCES
from tests.numpy.differences import DIFFERENCES as NUMPY_DIFFERENCES
from tests.ops.base import load_fixtures
from tools.docs import blocks
from tools.docs.links import LARGEST

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
CHINESE = [page for page in PAGES if ".zh" in page.suffixes or ".zh-CN" in page.suffixes]
PROGRAMS = [page for page in PAGES if page not in CHINESE and "```python" in page.read_text(encoding="utf-8")]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIXTURES = ROOT / "tests" / "fixtures"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def english(page: Path) -> Path:
    return page.with_name(page.name.split(".")[0] + ".md")


def without_comments(code: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [token.string for token in tokens if token.type not in (tokenize.COMMENT, tokenize.NL)]


@pytest.fixture
def _as_a_program_finds_it(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with mx.name.NameManager():  # blocks are counted from 0
        yield
    mx.npx.reset_np()


@pytest.mark.usefixtures("_as_a_program_finds_it")
@pytest.mark.parametrize("page", PROGRAMS, ids=name_of)
def test_programs_print_what_the_page_says(page):
    differences = blocks.run(page)
    assert not differences, "\n".join(map(str, differences))


@pytest.mark.parametrize("page", CHINESE, ids=name_of)
def test_chinese_pages_have_the_programs_of_the_english_ones(page):
    ours, theirs = (blocks.blocks_of(path.read_text(encoding="utf-8")) for path in (page, english(page)))
    assert [without_comments(block.code) for block in ours] == [without_comments(block.code) for block in theirs]
    assert [block.output for block in ours] == [block.output for block in theirs]


@pytest.mark.parametrize("section", ["index.md", "install.md", "migrate", "learn", "cookbook"])
def test_what_users_read_first_is_there_in_chinese(section):
    path = DOCS / section
    pages = [path] if path.suffix else [page for page in path.glob("*.md") if page not in CHINESE]
    assert [page.name for page in pages if page.with_name(f"{page.stem}.zh.md") not in CHINESE] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_are_short(page):
    assert len(page.read_text(encoding="utf-8").encode()) <= LARGEST


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", text)
    generated = ("reference/", "compatibility/")  # written when the site is built, which checks links to them
    local = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [
        target
        for target in local
        if not target.removeprefix("../").startswith(generated) and not (page.parent / target).exists()
    ] == []


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
