"""What the pages for users say is true: their programs run, their links lead somewhere, their numbers are right."""

import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import mxnet as mx
from mxnet._commands.command import main as command
from mxnet.gluon.model_zoo.vision import _catalogue
from regluon import config
from regluon.ops import registry
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


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


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
            f"of {sum(counts):,} recorded expressions {agree:,} give MXNet 1.9.1's output, character for character; "
            f"the other {differences}" in README
        )


def test_counts_of_several_pages():
    surface = json.loads((FIXTURES / "api" / "surface.json").read_text())
    contract = json.loads((FIXTURES / "api" / "operators.json").read_text())
    operators = len({operator.name for _, operator in registry.names()} & set(contract))
    names = sum(map(len, [*surface["modules"].values(), *surface["classes"].values()]))
    numpy = sum(
        len(found) for module, found in surface["modules"].items() if module.startswith(("mxnet.np", "mxnet.npx"))
    )
    skipped = {*CHINESE, DOCS / "cookbook" / "index.md"}
    questions = sum(read(page).count("\n## ") for page in (DOCS / "cookbook").glob("*.md") if page not in skipped)
    chinese, start, start_chinese = map(read, (ROOT / "README.zh-CN.md", DOCS / "index.md", DOCS / "index.zh.md"))
    assert f"all {numpy} names of the NumPy interface" in README
    assert f"`mx.npx` 的 {numpy} 个名字" in chinese
    assert f"all {len(_catalogue._MODELS)} networks" in README
    assert f"模型库的 {len(_catalogue._MODELS)} 个网络" in chinese
    assert f"{len(contract)} 个中有 {operators} 个" in chinese
    assert f"{len(load_fixtures()):,} 次调用" in chinese
    assert f"{operators} of MXNet's {len(contract)} operators" in start
    assert f"{len(contract)} 个算子中有 {operators} 个" in start_chinese
    assert f"All {names:,} public names" in start
    assert f"{names:,} 个公开名字" in start_chinese
    assert f"{questions} questions" in read(DOCS / "cookbook" / "index.md")
    assert f"{questions} 个问题" in read(DOCS / "cookbook" / "index.zh.md")


# Paths in pages are relative to one of these folders.
BASES = (ROOT, ROOT / "src", ROOT / "src" / "mxnet", ROOT / "src" / "regluon")
# First components of such paths. Paths with other ones belong to the programs, files and projects of users.
REPOSITORY_FOLDERS = {".github", "benchmarks", "docs", "examples", "src", "tests", "tools"}
FIRST_COMPONENTS = REPOSITORY_FOLDERS.union(
    path.name for base in BASES[1:] for path in base.iterdir() if path.is_dir() and path.name.isidentifier()
)
# Pages for contributors: a name of a Python file without a folder is one of this repository, not one of a user.
CONTRIBUTOR_PAGES = re.compile(
    r"CONTRIBUTING\.md|SECURITY\.md|docs/(ARCHITECTURE|PERFORMANCE|contribute|internals/.*|decisions/.*)\.md"
)
# Paths that pages name and that are not in the repository, with the reason.
NOT_IN_REPOSITORY = {"tools/launch.py": "in MXNet's repository"}


def code_of(text: str, with_blocks: bool) -> Iterator[str]:
    """Yield the code spans of a page, and, if requested, its code blocks without a language (diagrams, commands)."""
    for fence in re.finditer(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        if with_blocks and not fence[1]:
            yield fence[2]
    yield from re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", re.sub(r"(?ms)^ *```.*?^ *```", "", text))


def paths_of(page: str, text: str) -> set[str]:
    """Return the paths of this repository that a page names; `<name>` is replaced by `*`."""
    is_for_contributors = CONTRIBUTOR_PAGES.fullmatch(page) is not None
    found = set()
    for code in code_of(text, is_for_contributors):
        tokens = re.findall(r"(?<![\w./~<>*-])(?:[\w.*-]+/)+(?:[\w.*-]|<\w+>)*", code)
        found.update(token for token in tokens if token.partition("/")[0] in FIRST_COMPONENTS)
        if re.fullmatch(r"[\w*]+\.(?:cpp|h|py|toml)" if is_for_contributors else r"[\w*]+\.(?:cpp|h)", code):
            found.add(code)
    return {re.sub(r"<\w+>", "*", path) for path in found}


def exists(path: str) -> bool:
    bases = (*BASES, ROOT / "src" / "regluon" / "native") if path.endswith((".cpp", ".h")) else BASES
    return path in NOT_IN_REPOSITORY or any(next(base.glob(path.rstrip("/")), None) for base in bases)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=name_of)
def test_paths_that_pages_name_exist(page):
    missing = sorted(path for path in paths_of(name_of(page), read(page)) if not exists(path))
    assert missing == []


def test_paths_of_a_page_are_found():
    text = "`ops/x.py`, `train.py`, `python tools/x.py -n`, `tools/<family>.py`, `a.cpp`\n```\nops/\n```\n`b/c.py`"
    assert paths_of("docs/index.md", text) == {"ops/x.py", "tools/x.py", "tools/*.py", "a.cpp"}
    assert paths_of("docs/ARCHITECTURE.md", text) == {*paths_of("docs/index.md", text), "train.py", "ops/"}
    assert exists("ops/registry.py")
    assert exists("regluon/ops/")
    assert exists("winograd.cpp")
    assert not exists("ops/register.py")
    assert not exists("train.py")


def test_paths_outside_of_the_repository_are_named_by_a_page():
    named = set().union(*(paths_of(name_of(page), read(page)) for page in PAGES))
    assert NOT_IN_REPOSITORY.keys() - named == set()


def test_pages_name_the_variables_that_there_are():
    named = {name: page.name for page in PAGES for name in re.findall(r"\bMXNET_[A-Z_]*[A-Z]\b", read(page))}
    assert {name: page for name, page in named.items() if name not in config.VARIABLES} == {}


def test_the_readme_lists_the_commands(capsys):
    with pytest.raises(SystemExit):
        command(["--help"])
    commands = re.findall(r"^    (\w+)  ", capsys.readouterr().out, re.MULTILINE)
    listed = re.search(r"\| `python -m mxnet` \| (.*) \|", README)
    assert listed
    assert set(re.findall(r"`(\w+)`", listed[1])) == set(commands)
