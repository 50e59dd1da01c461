"""The pages about compatibility count what is there, and link to the reference."""

import posixpath
import re

from regluon.ops import registry
from tests.ops.base import load_fixtures
from tools.docs import compatibility
from tools.docs.compatibility import FIXTURES, FORMATS, name_counts, recorded_calls
from tools.docs.reference_names import ROOT
from tools.docs.reference_pages import LIMIT


def test_nothing_is_missing():
    assert [(path, missing) for path, _, missing in name_counts() if missing] == []


def test_recorded_calls_are_counted():
    counts = recorded_calls()
    assert sum(count["calls"] for count in counts.values()) == len(load_fixtures())
    assert counts["Activation"]["refused"] >= 1
    assert counts["Activation"]["gradients"] >= 1


def test_operators(compatible):
    text = "".join(page.text for page in compatible.pages if page.path.startswith("operators"))
    rows = [line for line in text.splitlines() if re.match(r"\| \[?`", line)]
    assert len(rows) == 609
    assert sum("| refused: " in row for row in rows) == len(registry.ABSENT)
    assert any(row.startswith("| `_set_value` | refused: it has no result") for row in rows)


def test_fixtures_of_formats_exist():
    for *_, fixtures in FORMATS:
        assert fixtures is None or list((FIXTURES / fixtures[0]).glob(fixtures[1]))


def test_projects(compatible):
    (page,) = [page for page in compatible.pages if page.path == "projects.md"]
    assert "| [gluonts](https://github.com/awslabs/gluonts) | tag v0.9.10 |" in page.text
    assert "not there yet" not in page.text


def test_links_lead_somewhere(compatible, pages):
    texts = compatible.linked()
    dead = []
    for text in texts.values():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            file, _, anchor = target.partition("#")
            if file.startswith("https://") or file in texts:
                continue
            place = posixpath.relpath(file, "../reference")
            is_doc = file == "../DIFFERENCES.md" and (ROOT / "docs" / "DIFFERENCES.md").exists()
            if not is_doc and (
                place not in pages
                or (anchor and f"#{anchor} }}" not in pages[place] and f'id="{anchor}"' not in pages[place])
            ):
                dead.append(target)
    assert dead == []


def test_small_and_always_the_same(compatible, tmp_path):
    texts = compatible.linked()
    assert all(len(text.encode()) <= LIMIT for text in texts.values())
    assert compatibility.made().linked() == texts
    compatible.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*texts, "nav.json"])
