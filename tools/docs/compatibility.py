"""Writes the pages about compatibility: names, operators, files, differences, other people's test suites.

    python -m tools.docs.compatibility build/docs/compatibility

Every number is counted in the library and in tests/fixtures, which were recorded from a real MXNet 1.9.1.
"""

import argparse
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from regluon.ops import registry

from . import reference
from .docstrings import code, inline, table
from .reference_differences import read_rows
from .reference_names import ROOT, SURFACE, Names, names, resolve, usual_path
from .reference_pages import Book, Page, table_pages

try:
    import tomllib
except ImportError:  # Python 3.10; tomli comes with pytest there
    import tomli as tomllib  # type: ignore[no-redef]

FIXTURES = SURFACE.parents[1]
OPERATORS = SURFACE.parent / "operators.json"
PEERS = ROOT / "tools" / "peers"
_NOT_YET = "not there yet: "

# What is read and written, by what, and the files that tests compare with: a folder of tests/fixtures, and a pattern.
FORMATS: tuple[tuple[str, str, str, str, tuple[str, str] | None], ...] = (
    ("`.params`", "arrays of every version of MXNet, dense and sparse, as a list or by name",
     "`nd.load`, `net.load_parameters`, `mx.model.load_checkpoint`",
     "`nd.save`, `net.save_parameters`, `net.export`: the bytes that MXNet 1.9.1 writes", ("files", "*.params")),
    ("`-symbol.json`", "graphs of MXNet 0.8 to 1.9, and 2.0, whose layout is the same; old ones are upgraded silently",
     "`mx.sym.load`, `gluon.SymbolBlock.imports`, `mx.model.load_checkpoint`",
     "`net.export`, `sym.save`: the bytes that MXNet 1.9.1 writes", ("exports", "*-symbol.json")),
    ("`.states`", "what optimizers remember",
     "`trainer.load_states`, `module.load_optimizer_states`; MXNet's pickles are read without unpickling",
     "`trainer.save_states`; MXNet does not load these, since they are no pickles", None),
    ("`.rec`, `.idx`, `.lst`", "records, also with vectors of labels, their indexes and lists",
     "`mx.recordio`, `mx.io`, `mx.image`, `gluon.data`", "`mx.recordio`, `python -m mxnet.tools.im2rec`",
     ("recordio", "**/*.rec")),
    ("`.safetensors`", "arrays, as other frameworks read them", "wherever `.params` are", "wherever `.params` are",
     None),
    ("`.onnx`", "networks; needs the extra `onnx`",
     "`mx.contrib.onnx.import_model`, `mx.contrib.onnx.import_to_gluon`, `python -m mxnet convert`",
     "`mx.contrib.onnx.export_model`, `python -m mxnet convert`", None),
    ("`.pt2`, `.pt`", "programs and state dicts of PyTorch", "not read", "`python -m mxnet convert --to torch`", None),
    ("`-ubyte`, `-ubyte.gz`", "MNIST and its kin", "`mx.io.MNISTIter`, `gluon.data.vision.MNIST`", "not written", None),
    ("CSV, LibSVM", "numbers as text", "`mx.io.CSVIter`, `mx.io.LibSVMIter`", "not written", None),
    ("JPEG, PNG and others", "images, by OpenCV; needs the extra `image`", "`mx.image.imread`, `mx.image.imdecode`",
     "`mx.recordio.pack_img`", None),
    ("checkpoints", "a whole training run, to be resumed", "`gluon.contrib.Checkpoint`", "`gluon.contrib.Checkpoint`",
     None),
)  # fmt: skip


def _linked(found: Names, text: str) -> str:
    """Markdown with the names in backticks linked to the reference."""

    def target(written: str) -> str | None:
        path = re.sub(r"^(?:mx|mxnet)\.", "", written)
        for before in ("mxnet", "mxnet.gluon"):
            entry = found.find(f"{before}.{path}")
            if entry:
                return f"../reference/@{entry.path}"
        return None

    return inline(text, target, in_table=True)


@cache
def recorded_calls() -> dict[str, Counter[str]]:
    """By operator: how many calls were recorded, how many of them MXNet refused, and how many have gradients."""
    aliases = dict(registry.names())
    counts: dict[str, Counter[str]] = {}
    for path in sorted((FIXTURES / "ops").glob("*.json")):
        for facts in json.loads(path.read_text(encoding="utf-8")):
            count = counts.setdefault(aliases[facts["op"]].name, Counter())
            count["calls"] += 1
            count["refused"] += "error" in facts
            count["gradients"] += bool(facts["grads"])
    return counts


def name_counts() -> list[tuple[str, int, list[str]]]:
    """By module and class: how many of MXNet's names are listed, and which of them are missing here."""
    surface = json.loads(SURFACE.read_text(encoding="utf-8"))
    owners = sorted({**surface["modules"], **surface["classes"]}.items())
    return [
        (path, len(theirs), [name for name in theirs if not hasattr(resolve(path), name)]) for path, theirs in owners
    ]


class Compatibility:
    """Makes the pages. Links into the reference are written as `../reference/@mxnet.nd.sum`."""

    def __init__(self, places: dict[str, str]) -> None:
        self.names, self.places, self.book = names(), places, Book()

    def made(self) -> Book:
        """All pages, with their navigation."""
        nav: list[object] = []
        for title, pages in (
            ("Names", self._names()),
            ("Operators", self._operators()),
            ("Files", self._files()),
            ("Differences", self._differences()),
            ("Other projects", self._projects()),
        ):
            for page in pages:
                page.text = self._resolved(page.text)
                self.book.add(page)
            first, *others = pages
            nav.append({title: first.path})
            nav += [{page.title: page.path} for page in others]
        self.book.add(Page("index.md", "Compatibility", self._index()))
        self.book.nav = ["index.md", *nav]
        return self.book

    def _resolved(self, text: str) -> str:
        def target(match: re.Match[str]) -> str:
            return f"](../reference/{self.places[match[1]]}#{match[1]})"

        return re.sub(r"\]\(\.\./reference/@([^)]+)\)", target, text)

    def _index(self) -> str:
        rows = name_counts()
        theirs = sum(count for _, count, _ in rows)
        missing = sum(len(lacking) for _, _, lacking in rows)
        operators = json.loads(OPERATORS.read_text(encoding="utf-8"))
        calls = sum(count["calls"] for count in recorded_calls().values())
        declared = sum(name not in registry.ABSENT for name in operators)
        parts = [
            "# Compatibility",
            "How much of MXNet 1.9.1 is here, counted in the code each time this page is made.",
            table(
                ("What", "How much", "Page"),
                [
                    ("public names", f"{theirs - missing:,} of {theirs:,} that are listed", "[Names](names.md)"),
                    ("operators", f"{declared} of {len(operators)}", "[Operators](operators.md)"),
                    ("calls of operators recorded from a real MXNet", f"{calls:,}", "[Operators](operators.md)"),
                    ("formats of files", f"{len(FORMATS)}", "[Files](files.md)"),
                    ("differences on purpose", f"{len(read_rows())}", "[Differences](differences.md)"),
                    ("test suites of MXNet and other projects", f"{len(_suites())}", "[Other projects](projects.md)"),
                ],
            ),
            "That a name exists does not say that it does the same. Tests compare operators and files with what "
            "a real MXNet 1.9.1 "
            "gave; where something differs on purpose, [Differences](differences.md) says so.",
        ]
        return "\n\n".join(parts)

    def _names(self) -> list[Page]:
        rows = []
        for path, theirs, missing in name_counts():
            page = self._page_of(path)
            shown = code(path.replace("mxnet.", "mx.", 1))
            lacking = ", ".join(map(code, missing)) if missing else "none"
            rows.append((f"[{shown}]({page})" if page else shown, f"{theirs}", f"{theirs - len(missing)}", lacking))
        theirs = sum(int(row[1]) for row in rows)
        here = sum(int(row[2]) for row in rows)
        text = (
            f"The tests have a list of {theirs:,} public names of these modules and classes, read off a real "
            f"MXNet 1.9.1; {here:,} of "
            "them are here. A name counts in every place where it is listed."
        )
        return table_pages("names.md", "Names", text, ("Module or class", "Listed", "Here", "Missing"), rows)

    def _page_of(self, path: str) -> str | None:
        entry = self.names.find(path)
        if entry and entry.path in self.places:
            return f"../reference/{self.places[entry.path]}#{entry.path}"
        if usual_path(path) in self.names.listed:
            return f"../reference/{usual_path(path).removeprefix('mxnet.').replace('.', '/')}.md"
        return None

    def _operators(self) -> list[Page]:
        aliases = dict(registry.names())
        entries = {entry.operator.name: entry for entry in self.names.entries.values() if entry.operator}
        rows = []
        counts = recorded_calls()
        theirs = json.loads(OPERATORS.read_text(encoding="utf-8"))
        for name in sorted(theirs, key=lambda name: (name.lower().lstrip("_"), name)):
            if name in registry.ABSENT:
                rows.append((code(name), f"refused: {inline(registry.ABSENT[name], in_table=True)}", "", "", ""))
                continue
            count = counts.get(aliases[name].name, Counter())
            anchor = (
                entries[aliases[name].name].path if aliases[name].name in entries else f"operator.{aliases[name].name}"
            )
            numbers = [f"{count[key]}" if count[key] else "" for key in ("calls", "gradients", "refused")]
            rows.append((f"[{code(name)}](../reference/{self.places[anchor]}#{anchor})", "works", *numbers))
        absent = sum(name in registry.ABSENT for name in theirs)
        calls = sum(count["calls"] for count in counts.values())
        text = (
            f"Of {len(theirs)} operators that were read off a real MXNet 1.9.1, {len(theirs) - absent} are "
            "declared here and have "
            f'tests ("works"), and {absent} say what to write instead. {calls:,} calls were recorded from a real '
            "MXNet, with their "
            "results; some with gradients, some that MXNet refuses. The tests repeat them.\n\nOperators without "
            "recorded calls draw random numbers, take functions, "
            "lists or sparse arrays (these are recorded as whole programs), or cannot be called alone in MXNet; "
            "their tests compare "
            "with programs, statistics or NumPy."
        )
        head = ("Operator", "State", "Recorded calls", "With gradients", "Refused by MXNet")
        return table_pages("operators.md", "Operators", text, head, rows)

    def _files(self) -> list[Page]:
        rows = []
        for suffix, what, read, written, fixtures in FORMATS:
            count = len(list((FIXTURES / fixtures[0]).glob(fixtures[1]))) if fixtures else 0
            cells = (suffix, what, read, written)
            rows.append((*(_linked(self.names, cell) for cell in cells), f"{count} files" if count else ""))
        text = (
            "Which files are read and written, and by what. The last column counts files that a real MXNet 1.9.1 "
            "wrote, or that "
            "were made in the layout of older versions, and that the tests read.\n\n"
            "Nothing that is loaded is unpickled."
        )
        head = ("File", "What it holds", "Read by", "Written by", "In the tests")
        return table_pages("files.md", "Files", text, head, rows)

    def _differences(self) -> list[Page]:
        counts = Counter(row.section for row in read_rows())
        rows = [(inline(section, in_table=True), f"{count}") for section, count in counts.items()]
        text = (
            "MXNet's behaviour is the rule. The exceptions are on purpose: [the list of "
            "differences](../DIFFERENCES.md) has each "
            "with its reason, and entries of the [reference](../reference/index.md) repeat those that name them.\n\n"
            f"{table(('Part', 'Differences'), rows)}"
        )
        return [Page("differences.md", "Differences", f"# Differences\n\n{text}")]

    def _projects(self) -> list[Page]:
        known = _read(PEERS / "differences.toml")
        rows = []
        for project, suite in _suites().items():
            source, _, version = suite["source"].partition(", ")
            patterns = ", ".join(map(code, suite["files"]))
            rows.append((f"[{project}]({source})", version, patterns, f"{len(known.get(project, {})) or ''}"))
        parts = [
            "# Other projects",
            "Test suites of MXNet and of projects that run on it. `make peers PEERS=folder-of-checkouts` runs "
            "each on this library "
            "and on a real MXNet 1.9.1, and compares. Some are run with a plugin that gives back names which "
            "newer versions of "
            "Python, NumPy and SciPy removed.",
            table(("Project", "Version", "Tests", "Listed exceptions"), rows),
            "## Exceptions",
            "Tests that pass on MXNet and may fail here, with the reason. A star stands for anything.",
        ]
        for project, tests in known.items():
            listed = [(code(test), inline(_reason(why), in_table=True)) for test, why in tests.items()]
            parts += [f"### {project}", table(("Test", "Reason"), listed)]
        return [Page("projects.md", "Other projects", "\n\n".join(parts))]


def _reason(text: str) -> str:
    """A reason as it stands, unless it says that a part is not there which has come since."""
    part = text.removeprefix(_NOT_YET)
    return f"listed before {part} was added" if part != text and names().has_module(f"mxnet.{part}") else text


def _read(path: Path) -> dict[str, dict[str, Any]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _suites() -> dict[str, dict[str, Any]]:
    return _read(PEERS / "suites.toml")


def made() -> Book:
    """The pages; their links lead to the reference as it is now."""
    return Compatibility(reference_places()).made()


@cache
def reference_places() -> dict[str, str]:
    """The pages of the reference, by the names that they describe."""
    return {anchor: page.path for page in reference.made().pages for anchor in page.anchors}


def write(folder: Path) -> Book:
    """Writes all pages into a folder; the reference is expected beside it."""
    book = made()
    book.write(folder)
    return book


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where to write the pages")
    options = parser.parse_args()
    print(f"{len(write(options.folder).pages)} pages in {options.folder}")


if __name__ == "__main__":
    main()
