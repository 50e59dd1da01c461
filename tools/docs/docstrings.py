"""Docstrings in Google style as records, and their texts as Markdown.

Text between backticks is code and may become a link; everything else is escaped, so that `*sizes` or `a | b` in a
docstring means nothing to Markdown.
"""

import functools
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import NamedTuple

from griffe import Docstring, DocstringSectionKind

Linker = Callable[[str], str | None]  # from the code between backticks to what it links to, if anything

_EXAMPLES = {"example", "examples"}
_MARKS = re.compile(r"[\\*_\[\]{}#]")
_ENTITIES = {ord(character): f"&#{ord(character)};" for character in "<|$^~"}
_FIRST = re.compile(r"(?m)^(\s*)(?:([-+>])|(\d+)\.(?=\s))")  # what makes a list or a quotation of a line
_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_ITEM = re.compile(r"(?:[-*]|\d+\.)\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_LONG_SUMMARY = 160


class Doc(NamedTuple):
    """What a docstring says.

    Attributes:
        summary: the first paragraph, in one line.
        body: the other paragraphs.
        arguments: what arguments mean, by name.
        attributes: likewise for attributes.
        returns: what is returned.
        yields: what is yielded.
        raises: errors with their reasons.
        examples: texts with `>>>`.
    """

    summary: str = ""
    body: str = ""
    arguments: dict[str, str] = {}
    attributes: dict[str, str] = {}
    returns: str = ""
    yields: str = ""
    raises: tuple[tuple[str, str], ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The summary, or its first sentence if it is long."""
        return self.summary if len(self.summary) <= _LONG_SUMMARY else _SENTENCE.split(self.summary)[0]


@functools.cache
def parsed(text: str) -> Doc:
    """The record of a docstring whose indentation has been removed."""
    free: list[str] = []
    found: dict[str, dict[str, str]] = {"arguments": {}, "attributes": {}}
    returned: dict[str, str] = {}
    raises: list[tuple[str, str]] = []
    examples: list[str] = []
    # Lines with one word and a colon begin a section only where an indented text follows.
    for section in Docstring(text).parse("google", warnings=False, returns_multiple_items=False):
        kind = section.kind
        if kind is DocstringSectionKind.text:
            free.append(section.value)
        elif kind in (DocstringSectionKind.parameters, DocstringSectionKind.other_parameters):
            found["arguments"].update((item.name.lstrip("*"), item.description) for item in section.value)
        elif kind is DocstringSectionKind.attributes:
            found["attributes"].update((item.name, item.description) for item in section.value)
        elif kind in (DocstringSectionKind.returns, DocstringSectionKind.yields):
            returned[kind.value] = " ".join(map(_result, section.value))
        elif kind is DocstringSectionKind.raises:
            raises += [(str(item.annotation), item.description) for item in section.value]
        elif kind is DocstringSectionKind.examples:
            examples += [value for _, value in section.value]
        elif kind is DocstringSectionKind.admonition and section.value.kind in _EXAMPLES:
            examples.append(section.value.description)
        elif kind is DocstringSectionKind.admonition:
            free.append(f"{section.title}:\n\n{textwrap.indent(section.value.description, '    ')}")
    summary, _, body = "\n\n".join(free).strip().partition("\n\n")
    if ">>>" in summary:
        summary, body = "", f"{summary}\n\n{body}"
    return Doc(
        " ".join(summary.split()),
        body.strip("\n"),
        found["arguments"],
        found["attributes"],
        returned.get("returns", ""),
        returned.get("yields", ""),
        tuple(raises),
        tuple(textwrap.dedent(example).strip("\n") for example in examples),
    )


def _result(item: object) -> str:
    """A description of a result; one with a colon in it was taken for a type and a description."""
    parts = [getattr(item, "name", None), getattr(item, "annotation", None), getattr(item, "description", "")]
    return ": ".join(str(part) for part in parts if part)


def escaped(text: str) -> str:
    """Plain text as Markdown."""
    text = _MARKS.sub(r"\\\g<0>", text.replace("&", "&amp;")).translate(_ENTITIES)
    return _FIRST.sub(lambda found: f"{found[1]}\\{found[2]}" if found[2] else f"{found[1]}{found[3]}\\.", text)


def code(text: str, *, in_table: bool = False) -> str:
    """A piece of code as Markdown; a `|` would end the cell of a table."""
    if in_table and "|" in text:
        plain = text.replace("&", "&amp;").translate(_ENTITIES)
        numbered = _MARKS.sub(lambda found: f"&@{ord(found[0])};", plain.replace("&#", "&@"))
        return f"<code>{numbered.replace('&@', '&#')}</code>"
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def inline(text: str, link: Linker | None = None, *, in_table: bool = False) -> str:
    """A paragraph as Markdown, names of the library linked."""
    parts, end = [], 0
    if in_table:
        text = " ".join(text.split())
    for found in _CODE.finditer(text):
        parts.append(escaped(text[end : found.start()]))
        shown = code(found[2].strip(), in_table=in_table)
        target = link(found[2].strip()) if link else None
        parts.append(f"[{shown}]({target})" if target else shown)
        end = found.end()
    return "".join([*parts, escaped(text[end:])])


def fenced(text: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def example(text: str, link: Linker | None = None) -> str:
    """An example: what was typed and printed, with paragraphs of text in between."""
    blocks = []
    for paragraph in re.split(r"\n\s*\n", textwrap.dedent(text).strip("\n")):
        if paragraph.lstrip().startswith(">>>"):
            is_more = blocks and blocks[-1].endswith("```")
            piece = textwrap.dedent(paragraph)
            blocks[-1:] = [f"{blocks[-1][:-4]}\n{piece}\n```"] if is_more else [*blocks[-1:], fenced(piece, "pycon")]
        else:
            blocks.append(inline(paragraph, link))
    return "\n\n".join(blocks)


def markdown(text: str, link: Linker | None = None) -> str:
    """Paragraphs, lists and indented blocks of a docstring as Markdown."""
    return "\n\n".join(block for part in re.split(r"\n\s*\n", text.strip("\n")) for block in _blocks(part, link))


def _blocks(paragraph: str, link: Linker | None) -> Iterable[str]:
    lines = paragraph.split("\n")
    if all(line.startswith("    ") for line in lines):
        shown = textwrap.dedent(paragraph)
        if shown.startswith(">>>"):
            yield example(shown, link)
        elif _ITEM.match(shown):
            yield from _blocks(shown, link)
        else:
            yield fenced(shown, "text")
    elif paragraph.startswith(">>>"):
        yield example(paragraph, link)
    else:
        first = next((i for i, line in enumerate(lines) if _ITEM.match(line) or line.startswith("    ")), len(lines))
        if first:
            yield inline("\n".join(lines[:first]), link)
        rest = lines[first:]
        if rest and _ITEM.match(rest[0]):
            yield "\n".join(_items(rest, link))
        elif rest:
            indented = next((i for i, line in enumerate(rest) if not line.startswith("    ")), len(rest))
            for part in filter(None, (rest[:indented], rest[indented:])):
                yield from _blocks("\n".join(part), link)


def _items(lines: list[str], link: Linker | None) -> Iterable[str]:
    items: list[str] = []
    for line in lines:
        if _ITEM.match(line) or not items:
            items.append(line)
        else:
            items[-1] += f" {line.strip()}"
    for item in items:
        mark = _ITEM.match(item)
        assert mark is not None
        yield f"{mark[0].strip()} {inline(item[mark.end() :], link)}"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table whose cells are Markdown already."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.strip() or ' ' for cell in line)} |" for line in lines)
