"""Figures in prose are those of benchmarks/results.json, and no page has a measured number from elsewhere."""

import json
import re
from pathlib import Path

import pytest

from benchmarks import figures

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if path.name != "CHANGELOG.md"  # history: what was measured when an entry was written
)
QUOTED = figures.sentences()

# Pages about performance: every ratio below one is a measured one, too.
PERFORMANCE = {page for page in PAGES if re.fullmatch(r"README.*|docs/(index|PERFORMANCE|DISTRIBUTED).*", page)}

_RATIO = re.compile(r"(?<![\w.])0\.\d+(?![\w.])")
_MEASURED = re.compile(
    r"""
    (?<![\w.,])\d[\d,.]*\s?-?(?:ns|us|µs|ms|s|sec|seconds?|minutes?|hours?|%|MB|GB|[GT]FLOP/s|[纳微毫]?秒|分钟|小时|倍)(?![A-Za-z])
    | (?<![\w.,])\d[\d,.]*\s?(?:x|times)\s+(?:as\s|faster|slower|less|more)
    | \b(?:half|twice|\w+fold|\w+\s+times|(?:a|one|two|three)[\s-](?:third|quarter|fifth|sixth|eighth|tenth|twelfth)s?)
      \s+(?:as\s+(?:fast|slow|long|much|quick)|faster|slower|(?:of\s+)?(?:\S+\s+)?(?:the\s+)?(?:time|memory)\b)
    | \b(?:an?|one|two|three|four|five|ten|fifteen|twenty|thirty|sixty|hundred)
      \s+(?:(?:micro|milli)?seconds|minutes?|hours?)\b
    | [一二两三四五六七八九十]+(?:[微毫]?秒|分钟)(?!钟)
    | [两三四五六七八九十几]倍(?:速|快|的)|[二三四五六七八九十]分之[一二三四五六七八九]的?(?:时间|内存)
    """,
    re.VERBOSE,
)

# Numbers that no benchmark measures, by the words around them, with the reason why they may stand in a page.
ALLOWED = {
    "under a minute": "a limit that the Makefile keeps",
    "under 10 minutes on two cores": "a limit that the Makefile keeps",
    "不到一分钟": "a limit that the Makefile keeps",
    "在双核上不到 10 分钟": "a limit that the Makefile keeps",
    "JSON from 0.8 to 1.9": "versions of MXNet",
    "flat buffers, 8 MB each": "the default of MXNET_KVSTORE_BUCKET_MB",
    "in buckets of 8 MB": "the default of MXNET_KVSTORE_BUCKET_MB",
    "按 8 MB 一桶": "the default of MXNET_KVSTORE_BUCKET_MB",
    "unused for a minute": "a constant of memory.cpp",
    "beyond 64 MB above the peak": "a constant of memory.cpp",
    "| 0.49; 0.54 | 0.40 |": "goals.ZOO_MEAN",
    "| 0.91 | 0.70 |": "goals.ZOO_WORST",
    "How many times as fast": "the title of a picture",
    "files from 1 MB on": "the least size of a mapped file",
    "1 MB 以上的": "the least size of a mapped file",
    "a quarter of the memory": "bytes of int8 and float32",
    "四分之一的内存": "bytes of int8 and float32",
    "five to ten minutes to read": "time of the reader",
    "读下来五到十分钟": "time of the reader",
    "compares their heartbeats for 3 seconds": "a constant of failures.py",
    "SIGKILL after 3 seconds": "a constant of distributed/launch/local.py",
    "ends within 10 seconds of the timeout": "the sum of these constants, with a reserve",
    "Predict one hour only": "an hour of the data",
    "two minutes or so of training on a busy machine": "says how a page was tried",
    "训练了两分钟左右": "says how a page was tried",
    "## In a minute": "a heading",
    "一分钟迁移": "a heading",
    "To see it train in a minute": "a small data set for the reader's patience",
    "想在一分钟内看到训练过程": "a small data set for the reader's patience",
}


def prose(text: str) -> str:
    """Blank out code blocks, code spans and targets of links."""
    pattern = r"(?s:```.*?```)|`[^`]*`|\]\([^)]*\)|^ {4}\S.*$"
    return re.sub(pattern, lambda found: re.sub(r"\S", " ", found[0]), text, flags=re.MULTILINE)


def unbound(page: str, text: str) -> list[str]:
    """Return the measured numbers of a page that no sentence of quoted.md covers, each with the text around it."""
    rest = text
    for quote in figures.quotes(text, QUOTED.get(page, ()), figures.known()):
        rest = rest[: quote.start] + re.sub(r"\S", " ", rest[quote.start : quote.end]) + rest[quote.end :]
    patterns = (_MEASURED, _RATIO) if page in PERFORMANCE else (_MEASURED,)
    found = [each for pattern in patterns for each in pattern.finditer(prose(rest))]
    return [" ".join(text[max(each.start() - 40, 0) : each.end() + 40].split()) for each in found]


@pytest.mark.parametrize("page", QUOTED)
def test_quoted_figures_are_those_of_the_results(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [*figures.problems(text, figures.quotes(text, QUOTED[page], figures.known()))] == []


@pytest.mark.parametrize("page", PAGES)
def test_measured_numbers_in_prose_are_quoted_from_the_results(page):
    found = unbound(page, (ROOT / page).read_text(encoding="utf-8"))
    assert [each for each in found if not any(words in each for words in ALLOWED)] == []


def test_allowed_numbers_are_in_a_page():
    found = [each for page in PAGES for each in unbound(page, (ROOT / page).read_text(encoding="utf-8"))]
    assert [words for words in ALLOWED if not any(words in each for each in found)] == []


@pytest.mark.parametrize("page", QUOTED)
def test_quoted_tables_are_of_runs_of_the_date_that_the_page_names(page):
    runs = json.loads(figures.FIGURES.read_text(encoding="utf-8"))["runs"]
    titles = {title for line in QUOTED[page] for title in re.findall(r"\{([^\[{]+)\[", line)} - {"runs"}
    used = {run for title in titles for run in runs if title == run or title.startswith(f"{run}, ")}
    assert len(used) >= len({title.partition(",")[0] for title in titles})
    assert {runs[run]["date"] for run in used} == {runs["Networks"]["date"]}
    assert runs["Networks"]["date"] in (ROOT / page).read_text(encoding="utf-8")


def test_the_results_are_the_tables():
    results = json.loads(figures.FIGURES.read_text(encoding="utf-8"))
    markdown = figures.RESULTS.read_text(encoding="utf-8")
    assert (results["tables"], results["runs"]) == (figures.tables(markdown), figures.runs(markdown))
    assert set(results["runs"]) == set(re.findall(r"^## (.+)", markdown, re.MULTILINE))
    for work, ratios in results["plots"].items():
        for library, (ratio, _) in ratios.items():
            assert f"{results['tables']['Networks'][work][f'best of {library}, ours / it']:.2f}" == f"{ratio:.2f}"


# -- the tests above can fail ------------------------------------------------------------------------------------------

_TABLES = {"A": figures.Rows({"x": {"ours / torch": 0.514}, "y": {"ours / torch": 2.0}}), "runs": {}}
_LINE = "takes {A[x][ours / torch]:.2f} of its time, {A[max *][ours / torch]:.0%} at most"


def test_a_wrong_figure_is_found_and_updated():
    text = "It takes 0.52 of\nits time, 200% at most."
    assert [*figures.problems(text, figures.quotes(text, [_LINE], _TABLES))] == [
        "0.52, expected 0.51: {A[x][ours / torch]:.2f}"
    ]
    text = figures.updated(text, figures.quotes(text, [_LINE], _TABLES))
    assert text == "It takes 0.51 of\nits time, 200% at most."
    assert [*figures.problems(text, figures.quotes(text, [_LINE], _TABLES))] == []


def test_a_sentence_that_is_not_in_the_page_is_found():
    (problem,) = figures.problems("", figures.quotes("", [_LINE], _TABLES))
    assert problem == f"not found, or more than once: {_LINE}"


@pytest.mark.parametrize(
    "text",
    [
        "takes 35 us",
        "1.5 ms",
        "half the time",
        "six times as fast",
        "23% of it",
        "2x faster",
        "3,600 微秒",
        "三倍快",
        "0.95 of it",
    ],
)
def test_a_measured_number_without_a_source_is_found(text):
    assert len(unbound("docs/PERFORMANCE.md", f"It {text}, see `9 ms`.")) == 1


def test_columns_of_a_table_have_names_of_their_own():
    head = "\n## T\n\n| work | a | ratio | b | ratio |\n|---|---|---|---|---|\n"
    row = "| w | 2.5 ms x | 0.50 (0.4-0.6) | 1,000 /s | - |\n"
    assert figures.tables(head + row) == {"T": {"w": {"a": 0.0025, "a, ratio": 0.5, "b": 1000.0}}}
