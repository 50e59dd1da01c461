"""Pages: what they are called, how large ones are split, and the links between them."""

import json
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from .docstrings import escaped, table
from .reference_entries import Section

LIMIT = 30_000  # bytes of a page
BUDGET = 25_000  # characters before links are put in
_LINK = re.compile(r"\]\(@([^)#\s]+)\)")
_ANCHOR = re.compile(r'\{ #(\S+) \}|<a id="([^"]+)">')


@dataclass
class Page:
    """A page of Markdown, at a path below the folder of its part of the site."""

    path: str
    title: str
    text: str

    @property
    def anchors(self) -> list[str]:
        """The names that it describes."""
        return [first or second for first, second in _ANCHOR.findall(self.text)]


@dataclass
class Book:
    """The pages of a part of the site, and its navigation."""

    pages: list[Page] = field(default_factory=list)
    nav: list[object] = field(default_factory=list)

    def add(self, page: Page) -> Page:
        """Adds a page."""
        assert all(page.path.lower() != other.path.lower() for other in self.pages), f"{page.path} is there already"
        self.pages.append(page)
        return page

    def linked(self) -> dict[str, str]:
        """The texts of all pages by their paths, with links that lead from page to page."""
        places = {anchor: page.path for page in self.pages for anchor in page.anchors}
        places |= {page.path: page.path for page in self.pages}

        def text(page: Page) -> str:
            def target(found: re.Match[str]) -> str:
                place = places[found[1]]
                anchor = "" if found[1] == place else f"#{found[1]}"
                relative = posixpath.relpath(place, posixpath.dirname(page.path) or ".")
                return f"]({anchor if anchor and place == page.path else relative + anchor})"

            return _LINK.sub(target, page.text).rstrip() + "\n"

        return {page.path: text(page) for page in self.pages}

    def write(self, folder: Path) -> None:
        """Writes the pages and `nav.json`, and removes pages of an earlier run that are no more."""
        texts = self.linked()
        for old in folder.rglob("*.md") if folder.exists() else ():
            if old.relative_to(folder).as_posix() not in texts:
                old.unlink()
        for path, text in texts.items():
            size = len(text.encode())
            assert size <= LIMIT, f"{path} has {size} bytes"
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
        (folder / "nav.json").write_text(json.dumps(self.nav, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def listing(rows: Iterable[tuple[str, str]], head: tuple[str, str] = ("Name", "What it is")) -> str:
    """The table of a page's names."""
    return table(head, rows)


def chunks(sizes: Sequence[int], budget: int = BUDGET) -> list[range]:
    """Neighbours put together into as few parts as fit the budget, all of about the same size."""
    total, count = sum(sizes), 1
    while True:
        middles = [end - size / 2 for size, end in zip(sizes, accumulate(sizes))]
        numbers = [min(count - 1, int(middle * count / total)) if total else 0 for middle in middles]
        starts = [i for i in range(len(sizes)) if not i or numbers[i] != numbers[i - 1]]
        parts = [range(start, end) for start, end in zip(starts, [*starts[1:], len(sizes)])]
        if count >= len(sizes) or all(sum(sizes[i] for i in part) <= budget for part in parts):
            return parts
        count += 1


def split_pages(path: str, title: str, intro: str, sections: Sequence[Section]) -> list[Page]:
    """Pages with a table of names and then the sections: one if they fit, else several that link each other.

    Args:
        path: of the first page; the others have a number at the end.
        title: of the pages.
        intro: what the first page begins with, after the title.
        sections: what to put on them, in order.
    """
    sizes = [len(section.text) + sum(len(name) + len(text) + 8 for name, text in section.rows) for section in sections]
    parts = chunks([len(intro), *sizes])
    chosen = [[sections[position - 1] for position in part if position] for part in parts]
    titles = [f"{title}: {_span(part)}" if number else title for number, part in enumerate(chosen)]
    pages = []
    for number, part in enumerate(chosen):
        blocks = [f"# {escaped(titles[number])}"]
        blocks.append(f"Part {number + 1} of {len(parts)} of [{title}](@{path})." if number else intro)
        if len(parts) > 1:
            blocks.append(_parts_line(path, number, list(map(_span, chosen))))
        rows = [row for section in part for row in section.rows]
        blocks += [listing(rows)] if rows else []
        blocks.append("\n\n".join(section.text for section in part if section.text))
        pages.append(Page(numbered(path, number), titles[number], "\n\n".join(filter(None, blocks))))
    return pages


def table_pages(
    path: str, title: str, intro: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> list[Page]:
    """Pages with one table, in parts if it is long."""
    parts = chunks([sum(map(len, row)) + 3 * len(row) for row in rows])
    spans = [_between(rows[part[0]][0], rows[part[-1]][0]) for part in parts]
    pages = []
    for number, part in enumerate(parts):
        name = f"{title}: {spans[number]}" if number else title
        blocks = [f"# {escaped(name)}", intro]
        if len(parts) > 1:
            blocks.append(_parts_line(path, number, spans))
        blocks.append(table(head, [rows[i] for i in part]))
        pages.append(Page(numbered(path, number), name, "\n\n".join(blocks)))
    return pages


def _span(part: Sequence[Section]) -> str:
    names = [name for section in part for name, _ in section.rows]
    return _between(names[0], names[-1]) if names else ""


def _between(first: str, last: str) -> str:
    """The names in two cells."""
    found = [re.search(r"`([\w.]+)", cell) for cell in (first, last)]
    return " to ".join(name[1].rpartition(".")[2] for name in found if name)


def _parts_line(path: str, number: int, spans: list[str]) -> str:
    shown = [escaped(span) for span in spans]
    links = [f"[{span}](@{numbered(path, i)})" if i != number else f"**{span}**" for i, span in enumerate(shown)]
    return f"Parts: {' · '.join(links)}"


def numbered(path: str, number: int) -> str:
    """The path of a page's part, counted from 0."""
    return path.replace(".md", f"-{number + 1}.md") if number else path
