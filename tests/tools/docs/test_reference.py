"""The reference has every public name once, on pages that are small, linked and always the same."""

import json
import posixpath
import re

import pytest

from regluon.ops import registry
from tools.docs import REPOSITORY
from tools.docs.reference import Reference, poor_names
from tools.docs.reference_names import MODULES, ROOT, internal_operators, names, public_names
from tools.docs.reference_pages import LIMIT, chunks

LINK = re.compile(r"\]\(([^)\s]+)\)")
ANCHOR = re.compile(r'\{ #(\S+) \}|<a id="([^"]+)">')
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def entry(pages: dict[str, str], path: str) -> str:
    """The text of one entry of level 2."""
    (page,) = [text for text in pages.values() if f"## `{path.removeprefix('mxnet.')}` {{ #{path} }}" in text]
    return page.split(f"{{ #{path} }}")[1].split("\n## ")[0]


def test_an_operator(pages):
    text = entry(pages, "mxnet.nd.Convolution")
    assert "mx.nd.Convolution(\n    data, weight, bias=None, kernel, stride=()" in text
    assert "| `kernel` | `tuple of int` | required | size of the filters" in text
    assert "| `num_group` | `int` | `1` |" in text
    assert "| `bias` | (num\\_filter,); left out with `no_bias`. | optional |" in text
    assert "**Returns:** one array." in text
    assert "```pycon\n>>> x, weight, bias = nd.ones" in text
    assert "Also: `npx.convolution`, `sym.Convolution`." in text
    assert re.search(re.escape(REPOSITORY) + r"/blob/main/src/regluon/ops/nn/convolution\.py#L\d+", text)


def test_an_operator_with_states_differences_and_methods(pages):
    text = entry(pages, "mxnet.nd.BatchNorm")
    assert re.search(r"\| `moving_mean` \|.*\| auxiliary state \|", text)
    assert text.count('!!! info "Differs from MXNet"') >= 3
    assert "gamma counts as 1 and keeps its memory" in text
    assert "[`NDArray.softmax`](../nd/class-ndarray-operators.md#mxnet.nd.NDArray.softmax)" in entry(
        pages, "mxnet.nd.softmax"
    )


def test_a_class(pages):
    text = pages["gluon/class-trainer.md"]
    assert text.startswith("# gluon.Trainer { #mxnet.gluon.Trainer }\n\nApplies an optimizer to parameters")
    assert "[`step`](#mxnet.gluon.Trainer.step)" in text
    assert "## `Trainer.step` { #mxnet.gluon.Trainer.step }" in text
    assert '<a id="mxnet.gluon.Trainer.learning_rate"></a>`learning_rate`' in text
    assert "**Inherited** from [`gluon.Block`](class-block.md#mxnet.gluon.Block)" in pages["gluon/class-hybridblock.md"]


def test_an_alias_leads_to_its_entry(pages):
    listed = "".join(text for path, text in pages.items() if re.fullmatch(r"nd(-\d)?\.md", path))
    row = next(line for line in listed.splitlines() if line.startswith("| [`ElementWiseSum`]"))
    assert row.endswith("| Alias of [`nd.add_n`](operators/elementwise.md#mxnet.nd.add_n). |")


def test_functions_of_numpy_do_not_repeat_its_texts(pages):
    assert '<a id="mxnet.np.allclose"></a>' in pages["np/official.md"]
    assert not any("element-wise equal within a tolerance" in text for text in pages.values())


def test_additions_are_there():
    for path in ("nd.from_torch", "nd.NDArray.as_torch", "gluon.contrib.Checkpoint", "contrib.hvd.DistributedTrainer"):
        assert names().find(f"mxnet.{path}")
    assert names().find("mxnet.gluon.contrib.estimator.LearningRateFinder")


def test_commands_and_settings(pages):
    assert "usage: python -m mxnet.launch" in pages["commands.md"]
    assert "usage: python -m mxnet convert" in pages["commands.md"]
    assert "| `MXNET_HOME` |" in pages["settings.md"]


def test_every_public_name_has_an_entry(book, pages):
    anchors = {anchor for page in book.pages for anchor in page.anchors}
    found = list(names().surface_paths())
    assert [path for path, described in found if described is None] == []
    assert [path for path, described in found if described.path not in anchors] == []
    assert len(found) > 2900
    ours = [f"{module}.{name}" for module in MODULES for name in public_names(module)]
    assert [path for path in ours if names().find(path).path not in anchors] == []


def test_every_operator_has_a_place(book):
    anchors = {anchor for page in book.pages for anchor in page.anchors}
    described = {each.operator.name for each in names().entries.values() if each.operator}
    internal = {operator.name for operator in internal_operators()}
    assert described | internal == {operator.name for _, operator in registry.names()}
    assert {f"operator.{name}" for name in internal} <= anchors


def test_nothing_is_described_twice(book):
    anchors = [anchor for page in book.pages for anchor in page.anchors]
    assert len(anchors) == len(set(anchors))


def test_the_index_has_every_name(pages):
    index = "".join(text for path, text in pages.items() if path.startswith("names/"))
    listed = set(re.findall(r"^- `([^`]+)`:", index, re.MULTILINE))
    assert {path.rpartition(".")[2] for path, _ in names().surface_paths()} <= listed


def test_pages_are_small(pages):
    assert 120 <= len(pages) <= 230
    assert {path: len(text.encode()) for path, text in pages.items() if len(text.encode()) > LIMIT} == {}


def test_pages_begin_with_a_sentence(pages):
    for path, text in pages.items():
        title, sentence, *_ = text.split("\n\n")
        assert title.startswith("# "), path
        assert sentence[0].isalpha() or sentence[0] in "`[", path


def test_links_lead_somewhere(pages):
    known = {path: {first or second for first, second in ANCHOR.findall(text)} for path, text in pages.items()}
    dead = []
    for path, text in pages.items():
        for target in LINK.findall(FENCE.sub("", text)):
            if target.startswith("https://"):
                continue
            file, _, anchor = target.partition("#")
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            is_doc = place == "../DIFFERENCES.md" and (ROOT / "docs" / "DIFFERENCES.md").exists()
            if not is_doc and (place not in known or (anchor and anchor not in known[place])):
                dead.append((path, target))
    assert dead == []


def test_sources_exist(pages):
    files = {found for text in pages.values() for found in re.findall(r"/blob/main/(src/[^#)]+)#L\d+\)", text)}
    assert len(files) > 100
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_nav_names_every_page_once(book, pages):
    def paths(nav):
        if isinstance(nav, str):
            return [nav]
        return [path for each in (nav.values() if isinstance(nav, dict) else nav) for path in paths(each)]

    found = paths(book.nav)
    assert sorted(found) == sorted(pages)


def test_two_runs_write_the_same(book, pages, tmp_path):
    again = Reference().made()
    again.write(tmp_path)
    assert json.loads((tmp_path / "nav.json").read_text(encoding="utf-8")) == book.nav
    written = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.rglob("*.md")}
    assert written == {path: text.encode() for path, text in pages.items()}


def test_pages_of_an_earlier_run_are_removed(book, tmp_path):
    (tmp_path / "old.md").write_text("old")
    book.write(tmp_path)
    assert not (tmp_path / "old.md").exists()


def test_nothing_public_is_without_a_docstring():
    assert poor_names()["without a docstring"] == []


@pytest.mark.parametrize(
    ("sizes", "parts"),
    [([], 0), ([5], 1), ([4, 4], 1), ([6, 6], 2), ([1] * 30, 3), ([50], 1)],
)
def test_chunks(sizes, parts):
    found = chunks(sizes, budget=10)
    assert [i for part in found for i in part] == list(range(len(sizes)))
    assert len(found) == parts
