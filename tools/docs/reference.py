"""Writes the reference: every public name, from the operator registry, signatures and docstrings.

python -m tools.docs.reference build/docs/reference             writes the pages and their nav.json
python -m tools.docs.reference build/docs/reference --report    and says which names have a poor docstring
"""

import argparse
import contextlib
import functools
import inspect
import io
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from unittest import mock

import mxnet
from mxnet._commands.command import main as command
from mxnet.tools.im2rec import main as im2rec
from regluon.cli.rec2idx import main as rec2idx
from regluon.config import VARIABLES
from regluon.distributed.launch.main import main as launch

from .docstrings import code, escaped, fenced, inline, parsed, table
from .reference_differences import differences
from .reference_entries import Section, Writer
from .reference_names import MODULES, PACKAGES, Entry, Names, internal_operators, names, resolve
from .reference_pages import Book, Page, chunks, listing, split_pages, table_pages
from .signatures import call_text, operator_arguments

_ONE_PAGE = 25_000  # characters of a module that is not split

# Pages of operators, by the files in src/regluon/ops that declare them.
FAMILIES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("layers", "Dense layers and activations", "Dense layers, activations, softmax, dropout and scaling by norms.",
     ("nn.dense", "nn.activation", "nn.softmax", "numpy.elementwise")),
    ("convolution", "Convolution and pooling", "Convolutions, their transposes, and pooling.",
     ("nn.convolution", "nn.deformable", "nn.pooling")),
    ("normalization", "Normalization", "Normalization over batches, layers, groups and channels.",
     ("nn.normalization", "nn.sync_batch_norm")),
    ("losses", "Outputs and losses", "Outputs that define their own gradient, and losses.",
     ("nn.output", "nn.ctc")),
    ("sequences", "Sequences and attention", "Recurrent networks and attention.",
     ("nn.rnn", "nn.attention")),
    ("spatial", "Spatial transformations", "Upsampling, sampling images at other places, and correlation of images.",
     ("nn.upsampling",)),
    ("elementwise", "Elementwise functions", "Functions of one array, element by element.", ("tensor.unary",)),
    ("arithmetic", "Arithmetic and comparison", "Functions of two arrays, element by element.", ("tensor.arithmetic",)),
    ("reduction", "Reduction and sorting", "Sums, means, extrema, norms, sorting along axes, and masks of sequences.",
     ("tensor.reduction", "tensor.sort")),
    ("shape", "Shape", "Changing the shape of arrays, and the order of their axes.",
     ("tensor.shape", "tensor.padding")),
    ("indexing", "Indexing, joining and splitting", "Taking parts of arrays, and putting arrays together.",
     ("tensor.slicing", "tensor.gather", "tensor.concatenation")),
    ("products", "Products and linear algebra", "Matrix products, factorizations, determinants.",
     ("tensor.dot", "tensor.linalg")),
    ("random", "Random numbers", "Random arrays, and densities of distributions.",
     ("random.operators", "random.choice", "random.distributions")),
    ("detection", "Object detection", "Boxes, anchors, proposals and regions of interest.",
     ("detection.boxes", "detection.multibox", "detection.proposal", "detection.roi")),
    ("image", "Images", "Changing images that are arrays.", ("image.transform", "image.random", "image.codec")),
    ("updates", "Optimizer updates", "One step of an optimizer, as the optimizers call it.",
     ("updates.operators", "updates.lamb")),
    ("quantized", "Quantization", "Arrays and layers in 8 bits.",
     ("quantized.calibration", "quantized.elementwise", "quantized.layers")),
    ("others", "Other operators", "Custom and contributed operators, graphs, sparse storage, old versions of layers.",
     ("custom", "tensor.storage", "legacy.extras", "legacy.graph_sampling", "legacy.outputs")),
)  # fmt: skip

# Pages of the functions of mx.np, by the files that define them.
_NUMPY_GROUPS = {
    "creation": "Making arrays",
    "axes": "Shape and axes",
    "concatenation": "Joining and splitting",
    "products": "Products",
    "reduction": "Reduction",
    "search": "Sorting and searching",
    "statistics": "Statistics",
    "elementwise": "Elementwise functions",
}
_COMMANDS: tuple[tuple[str, Callable[..., object], tuple[tuple[str, ...], ...]], ...] = (
    ("python -m mxnet", command, ((), ("inspect",), ("convert",), ("doctor",), ("bench",), ("repair",))),
    ("python -m mxnet.launch", launch, ((),)),
    ("python -m mxnet.tools.im2rec", im2rec, ((),)),
    ("python -m mxnet.tools.rec2idx", rec2idx, ((),)),
)


class Reference:
    """Makes the pages of the reference."""

    def __init__(self) -> None:
        self.names: Names = names()
        self.writer = Writer(self.names, differences(self.names))
        self.book = Book()
        self._important = set(map(id, self.names.important))

    def made(self) -> Book:
        """All pages, with their navigation."""
        nav: list[object] = ["index.md"]
        nav.append({"Operators": self._operator_pages()})
        for package, modules in PACKAGES.items():
            nav.append({package: [page for module in modules for page in self._module_pages(module)]})
        nav.append({"Commands and settings": [self._commands(), self._settings()]})
        nav.append({"Index of names": self._index_pages()})
        self._start_page()
        self.book.nav = nav
        return self.book

    def _add(self, pages: Iterable[Page]) -> list[object]:
        return [{_short_title(page.title): self.book.add(page).path} for page in pages]

    # Operators

    def _operator_pages(self) -> list[object]:
        by_file: dict[str, list[Entry]] = {}
        for entry in self.names.entries.values():
            if entry.operator:
                by_file.setdefault(entry.operator.function.__module__.removeprefix("regluon.ops."), []).append(entry)
        nav: list[object] = ["operators/index.md"]
        rows = []
        for slug, title, text, files in FAMILIES:
            entries = [entry for file in files for entry in by_file.pop(file, ())]
            entries.sort(key=lambda entry: entry.name.lower())
            path = f"operators/{slug}.md"
            nav += self._add(split_pages(path, title, text, list(map(self.writer.in_module, entries))))
            rows.append((f"[{title}](@{path})", f"{text} {len(entries)} operators."))
        assert not by_file, f"no page for the operators of {sorted(by_file)}"
        nav += self._internal_pages()
        rows.append(("[Internal operators](@operators/internal.md)", "Operators that only graphs name."))
        text = (
            "An operator is a function on arrays that is declared once: `mx.nd`, `mx.sym`, `mx.npx` and the methods of "
            "arrays and symbols are made from that declaration.\n\nInputs come first, then parameters, which may "
            "be given by "
            "name. Functions on arrays also take `out`, an array to write the result to; functions on symbols "
            "take `name` and "
            "`attr`."
        )
        self.book.add(
            Page(
                "operators/index.md",
                "Operators",
                f"# Operators\n\n{text}\n\n{listing(rows, ('Family', 'What it has'))}",
            )
        )
        return nav

    def _internal_pages(self) -> list[object]:
        rows = []
        for operator in internal_operators():
            doc = parsed(operator.doc)
            call = (
                re.sub(r"\n *", " ", call_text("", operator_arguments(operator))).replace("( ", "(").replace(", )", ")")
            )
            rows.append(
                (
                    f'<a id="operator.{operator.name}"></a>{code(operator.name)}',
                    code(call, in_table=True),
                    inline(doc.line, in_table=True),
                )
            )
        text = (
            "Operators without a public function: symbol files contain them, and functions of `mx.np` and "
            "arithmetic on arrays "
            "call them."
        )
        return self._add(
            table_pages(
                "operators/internal.md", "Internal operators", text, ("Operator", "Arguments", "What it does"), rows
            )
        )

    # Modules and classes

    def _module_pages(self, module: str) -> list[object]:
        listed = self.names.listed[module]
        short = module.removeprefix("mxnet.")
        path, title = f"{short.replace('.', '/')}.md", f"mx.{short}" if short != "mxnet" else "mxnet"
        rows = [(f"[{code(name)}](@{entry.path})", self._row(module, name, entry)) for name, entry in listed.items()]
        own = [entry for name, entry in listed.items() if entry.path == f"{module}.{name}" and not entry.operator]
        small = [entry for entry in own if id(entry) not in self._important]
        intro = self._module_text(module)
        sections = [self.writer.in_module(entry) for entry in small if entry.kind in ("function", "class")]
        plain = [entry for entry in small if entry.kind in ("constant", "foreign")]
        constants = [(f'<a id="{entry.path}"></a>{code(entry.name)}', self.writer.line(entry)) for entry in plain]
        if constants:
            sections.insert(0, Section((), f"## Constants and types\n\n{table(('Name', 'Value'), constants)}"))
        table_text = listing(rows)
        whole = "\n\n".join([intro, table_text, *(section.text for section in sections)])
        nav: list[object] = []
        if len(whole) <= _ONE_PAGE:
            nav += self._add([Page(path, title, f"# {escaped(title)}\n\n{whole}")])
        elif module == "mxnet.np":
            nav += self._add(_listing_pages(path, title, intro, rows))
            nav += self._numpy_pages(sections[0], [entry for entry in small if entry.kind in ("function", "class")])
        else:
            nav += self._add(_listing_pages(path, title, intro, rows))
            nav += self._add(
                split_pages(
                    path.replace(".md", "/entries.md"), f"{title}: entries", f"What {code(title)} defines.", sections
                )
            )
        for entry in own:
            if id(entry) in self._important:
                nav += self._class_pages(entry)
        return nav

    def _module_text(self, module: str) -> str:
        owner = resolve(module)
        doc = parsed(inspect.getdoc(owner) or "")
        text = inline(doc.summary)
        full = owner.__name__
        return text if full == module else f"{text} Also importable as `{full}`."

    def _row(self, module: str, name: str, entry: Entry) -> str:
        is_here = entry.path == f"{module}.{name}"
        if is_here or (entry.operator and name == entry.name):
            return self.writer.line(entry)
        return f"Alias of {self.writer.link(entry, in_table=True)}."

    def _numpy_pages(self, constants: Section, entries: list[Entry]) -> list[object]:
        title = "np: constants and types"
        nav = self._add(
            [Page("np/constants.md", title, f"# {title}\n\nConstants of NumPy, and dtypes.\n\n{constants.text}")]
        )
        groups: dict[str, list[Section]] = {title: [] for title in _NUMPY_GROUPS.values()}
        official = []
        for entry in entries:
            if entry.is_numpy:
                call = re.sub(r"\n *", "", self.writer.signature(entry))
                official.append((f'<a id="{entry.path}"></a>{code(call.removeprefix("mx."), in_table=True)}',))
            else:
                file = entry.value.__module__.rpartition(".")[2]
                groups[_NUMPY_GROUPS.get(file, _NUMPY_GROUPS["elementwise"])].append(self.writer.in_module(entry))
        for title, group in groups.items():
            path = f"np/{title.lower().replace(' ', '-')}.md"
            text = f"Functions of `mx.np`: {title[0].lower()}{title[1:]}."
            nav += self._add(split_pages(path, f"np: {title}", text, group))
        text = (
            "Functions that the official NumPy carries out, on copies of the arrays. They take NumPy's "
            "arguments; arrays in the "
            "result are `mx.np` arrays on the same context. While recording, they are refused where a gradient "
            "would be lost."
        )
        return nav + self._add(
            table_pages("np/official.md", "np: NumPy's own functions", text, ("Function",), official)
        )

    def _class_pages(self, entry: Entry) -> list[object]:
        folder = entry.module.removeprefix("mxnet").replace(".", "/").strip("/") or "mxnet"
        path, writer = f"{folder}/class-{entry.name.lower()}.md", self.writer
        sections = [Section((), writer.class_head(entry, 1, heading=False))]
        sections += [
            Section(((writer.link(member, member.name), writer.line(member)),), writer.described(member, 2))
            for member in writer.methods(entry)
        ]
        calls = writer.operator_methods(entry)
        intro = writer.line(entry)
        more = path.replace(".md", "-operators.md")
        if calls:
            intro += f"\n\nMethods that call an operator are on [a page of their own](@{more})."
        pages = split_pages(path, entry.short, intro, sections)
        pages[0].text = pages[0].text.replace(f"# {entry.short}\n", f"# {entry.short} {{ #{entry.path} }}\n", 1)
        if calls:
            head = ("Method", "Operator", "What it does")
            text = f"Each of these calls an operator with the {entry.name} as its first input."
            pages += table_pages(more, f"{entry.short}: operators", text, head, calls)
        return self._add(pages)

    # Other pages

    def _commands(self) -> object:
        parts = ["# Commands", "What can be run from the command line, with the help that `--help` shows."]
        for name, main, subcommands in _COMMANDS:
            for words in subcommands:
                title = " ".join([name, *words])
                parts += [f"## `{title}`", fenced(_help(main, title, words), "text")]
        return {"Commands": self.book.add(Page("commands.md", "Commands", "\n\n".join(parts))).path}

    def _settings(self) -> object:
        rows = [
            (code(name), code(variable.default) if variable.default else "", inline(variable.purpose, in_table=True))
            for name, variable in sorted(VARIABLES.items())
        ]
        text = "Environment variables that the library reads. It reads no others whose names begin with `MXNET_`."
        text = f"# Environment variables\n\n{text}\n\n{table(('Variable', 'Default', 'What it does'), rows)}"
        return {"Environment variables": self.book.add(Page("settings.md", "Environment variables", text)).path}

    def _index_pages(self) -> list[object]:
        by_name: dict[str, dict[str, Entry]] = {}
        for path, entry in self.names.places.items():
            owner = path.rpartition(".")[0]
            if owner in MODULES or owner in self.names.entries:
                by_name.setdefault(path.rpartition(".")[2], {})[owner] = entry
        lines: dict[str, list[str]] = {}
        for name in sorted(by_name, key=lambda name: (name.lower().strip("_"), name)):
            letter = name.strip("_")[:1].upper()
            lines.setdefault(letter, []).append(f"- {code(name)}: {self._owners(by_name[name])}")
        letters = list(lines)
        groups = [
            [letters[i] for i in part]
            for part in chunks([sum(map(len, lines[letter])) for letter in letters], 19_000)
            if part
        ]
        text = "All public names in alphabetical order, each with the modules and classes that have it."
        made: list[Page] = []
        for group in groups:
            span = group[0] if len(group) == 1 else f"{group[0]}-{group[-1]}"
            entries = [line for letter in group for line in (f"\n## {letter}\n", *lines[letter])]
            parts = chunks(list(map(len, entries)), 19_000)
            for number, part in enumerate(parts):
                title = f"Names: {span}" + (f" ({number + 1})" if len(parts) > 1 else "")
                body = "\n".join(entries[i] for i in part)
                slug = span.lower() + (f"-{number + 1}" if number else "")
                made.append(Page(f"names/{slug}.md", title, f"# {title}\n\n{text}\n\n{body}"))
        rows = [(f"[{page.title}](@{page.path})", f"{page.text.count(chr(10) + '- ')} names") for page in made]
        self.book.add(
            Page(
                "names/index.md", "Index of names", f"# Index of names\n\n{text}\n\n{listing(rows, ('Page', 'Names'))}"
            )
        )
        return ["names/index.md", *self._add(made)]

    def _owners(self, owners: dict[str, Entry]) -> str:
        """Where a name is; places with the same description are put together, subclasses that inherit it counted."""
        by_entry: dict[str, list[str]] = {}
        for owner, entry in owners.items():
            by_entry.setdefault(entry.path, []).append(owner)
        pieces = []
        for path, places in by_entry.items():
            own = path.rpartition(".")[0]
            heirs = [
                place for place in places if place != own and place in self.names.entries and own in self.names.entries
            ]
            shown = [place.removeprefix("mxnet.") for place in places if place not in heirs]
            label = ", ".join(sorted(shown, key=lambda place: place != own.removeprefix("mxnet.")))
            more = f" (and {len(heirs)} more)" if heirs else ""
            pieces.append(f"[{code(label)}](@{path}){more}")
        return ", ".join(pieces)

    def _start_page(self) -> None:
        total = sum(1 for _ in self.names.surface_paths())
        parts = [
            "# Reference",
            f"Every public name of the library: the {total:,} of MXNet 1.9.1 that its tests list, and more. It is "
            "made from the "
            "code: signatures and defaults are those that run.",
            "Differences from MXNet are noted where they belong; [Differences](../DIFFERENCES.md) has them all "
            "in one place. "
            "`import mxnet as mx` is assumed everywhere; examples also use `nd`, `autograd`, `gluon` and `nn`.",
            listing([("[Operators](@operators/index.md)", "Functions on arrays and symbols, by family."),
                     ("[Commands](@commands.md)", "What can be run from the command line."),
                     ("[Environment variables](@settings.md)", "What can be set from outside."),
                     ("[Index of names](@names/index.md)", "All names in alphabetical order.")],
                    ("Page", "What it has")),
        ]  # fmt: skip
        for package, modules in PACKAGES.items():
            rows = []
            for module in modules:
                path = f"{module.removeprefix('mxnet.').replace('.', '/')}.md"
                doc = parsed(inspect.getdoc(resolve(module)) or "")
                rows.append((f"[{code(module.replace('mxnet.', 'mx.', 1))}](@{path})", inline(doc.line, in_table=True)))
            parts += [f"## {package}", listing(rows, ("Module", "What it has"))]
        self.book.pages.insert(0, Page("index.md", "Reference", "\n\n".join(parts)))


def _short_title(title: str) -> str:
    return title.removeprefix("mx.")


def _listing_pages(path: str, title: str, intro: str, rows: Sequence[tuple[str, str]]) -> list[Page]:
    return split_pages(path, title, intro, [Section((row,), "") for row in rows])


def _help(main: Callable[..., object], title: str, words: tuple[str, ...]) -> str:
    """What a command prints for `--help`, whatever the terminal and the program that runs it."""
    printed = io.StringIO()
    program = title.removesuffix("".join(f" {word}" for word in words))
    surroundings = mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1"})
    with (
        surroundings,
        mock.patch("sys.argv", [program]),
        contextlib.redirect_stdout(printed),
        contextlib.suppress(SystemExit),
    ):
        main([*words, "--help"])
    return printed.getvalue().strip()


@functools.cache
def made() -> Book:
    """The reference, made once."""
    return Reference().made()


def write(folder: Path) -> Book:
    """Writes all pages into a folder."""
    made().write(folder)
    return made()


def _in_class_docstring(entry: Entry) -> bool:
    """Whether an attribute is explained where its class is."""
    return entry.owner is not None and f" {entry.path.rpartition('.')[2]}: " in (
        inspect.getdoc(entry.owner.value) or ""
    )


def poor_names() -> dict[str, list[str]]:
    """Public names with nothing said about them, and parameters of operators without a meaning."""
    found = names()
    everything = [member for entry in found.entries.values() for member in (entry, *entry.members.values())]
    empty = [entry.path for entry in everything if not entry.doc.summary and not _in_class_docstring(entry)]
    unsaid = []
    for entry in found.entries.values():
        if entry.operator:
            known = entry.doc.arguments
            lacking = [name for name in (*entry.operator.inputs, *entry.operator.params) if name not in known]
            unsaid += [f"{entry.path}: {', '.join(lacking)}"] if lacking else []
    return {"without a docstring": empty, "arguments without a meaning": unsaid}


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where to write the pages")
    parser.add_argument("--report", action="store_true", help="say which names have a poor docstring")
    options = parser.parse_args()
    book = write(options.folder)
    print(f"{len(book.pages)} pages of mxnet {mxnet.__version__} in {options.folder}")
    if options.report:
        for what, found in poor_names().items():
            print(f"{what}: {len(found)}", *found, sep="\n  ")


if __name__ == "__main__":
    main()
