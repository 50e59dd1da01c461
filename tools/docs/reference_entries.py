"""One entry of the reference as Markdown: signature, description, tables of arguments, example, differences, source.

Links are written as `(@mxnet.nd.sum)`; reference_pages.py puts the page in, once it is known.
"""

import functools
import re
from typing import NamedTuple

from regluon.ops.registry import Operator

from .docstrings import Doc, Linker, code, example, fenced, inline, markdown, table
from .reference_differences import Row
from .reference_names import Entry, Names
from .reference_sources import source_of
from .signatures import Argument, arguments_of, call_text, operator_arguments, operator_default, param_type, result_of

_WRITTEN = re.compile(r"(?:mx\.|mxnet\.)?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(.*\))?", re.DOTALL)
_BEFORE = ("mxnet", "mxnet.nd", "mxnet.gluon", "mxnet.gluon.contrib", "mxnet.contrib")


class Section(NamedTuple):
    """A part of a page: links to what it describes, each with its line in the page's table, and its text."""

    rows: tuple[tuple[str, str], ...]
    text: str


class Writer:
    """Writes entries; it knows all names, to link them, and all differences."""

    def __init__(self, names: Names, differences: dict[str, list[Row]]) -> None:
        self.names, self.differences = names, differences
        self._unique: dict[str, Entry | None] = {}
        for entry in names.entries.values():
            if entry.kind in ("class", "operator"):
                self._unique[entry.name] = None if entry.name in self._unique else entry
        self._methods: dict[str, list[Entry]] = {}
        for entry in names.entries.values():
            for member in entry.members.values():
                if member.operator:
                    self._methods.setdefault(member.operator.name, []).append(member)
        self._operators = {entry.operator.name: entry for entry in names.entries.values() if entry.operator}

    # Links

    def linker(self, entry: Entry) -> Linker:
        """What names in the docstring of an entry link to."""
        own = {argument.name for argument in self._arguments(entry)}
        return functools.partial(self._target, entry, own)

    def link(self, entry: Entry, text: str | None = None, *, in_table: bool = False) -> str:
        """A link to an entry."""
        return f"[{code(text or entry.short, in_table=in_table)}](@{entry.path})"

    def _target(self, entry: Entry, own: set[str], written: str) -> str | None:
        match = _WRITTEN.fullmatch(written)
        if match is None or match[1] in own:
            return None
        found = self._found(entry, match[1])
        return f"@{found.path}" if found and found is not entry else None

    def _found(self, entry: Entry, name: str) -> Entry | None:
        first, _, rest = name.partition(".")
        if rest:
            name = f"nd.{rest}" if first == "F" else name
            found = next(filter(None, (self.names.find(f"{before}.{name}") for before in _BEFORE)), None)
            owner = self._unique.get(first)
            return found or (owner.members.get(rest) if owner else None)
        owner = entry.owner or entry
        if name in owner.members or name in owner.inherited:
            return self.names.member(owner, name)
        return self.names.find(f"{entry.module}.{name}") or (self._unique.get(name) if name[:1].isupper() else None)

    # Arguments

    def _arguments(self, entry: Entry) -> list[Argument]:
        if entry.operator:
            given = operator_arguments(entry.operator)
            return given[1:] if entry.owner else given
        if entry.kind not in ("function", "class", "method"):
            return []
        given = arguments_of(entry.value, is_method=entry.kind == "method")
        named = {argument.name for argument in given}
        takes_more = any(name not in named for name in entry.doc.arguments)  # any keywords, which the docstring names
        return [
            argument
            for argument in given
            if not argument.stars or argument.name in entry.doc.arguments or (takes_more and argument.stars == "**")
        ]

    def signature(self, entry: Entry) -> str:
        """How it is called."""
        name = f"{entry.owner.name}.{entry.name}" if entry.owner else f"mx.{entry.short}"
        result = "" if entry.kind == "class" or entry.operator else result_of(entry.value)
        return call_text(name, self._arguments(entry), result=result)

    def _argument_table(self, entry: Entry, link: Linker) -> list[str]:
        arguments, doc = self._arguments(entry), entry.doc
        listed = {argument.name for argument in arguments}
        named = [Argument(name) for name in doc.arguments if name not in listed]
        if named:  # instead of the keywords that they are among
            arguments = [
                argument for argument in arguments if not argument.stars or argument.name in doc.arguments
            ] + named
        if not arguments or not (doc.arguments or any(argument.type for argument in arguments)):
            return []
        rows = [
            (
                code(f"{argument.stars}{argument.name}"),
                code(argument.type, in_table=True) if argument.type else "",
                code(argument.default, in_table=True) if argument.default else "",
                inline(doc.arguments.get(argument.name, ""), link, in_table=True),
            )
            for argument in arguments
        ]
        return ["**Parameters**", _without_empty(("Name", "Type", "Default", "Meaning"), rows)]

    # Entries

    def line(self, entry: Entry) -> str:
        """What an entry is, in one line of a table."""
        return inline(entry.doc.line, self.linker(entry), in_table=True)

    def described(self, entry: Entry, level: int, *, heading: bool = True) -> str:
        """An entry of any kind but a class in full, or the head of a class."""
        doc, link = entry.doc, self.linker(entry)
        parts = [_heading(entry, level)] if heading else []
        if entry.kind in ("function", "class", "method", "operator"):
            parts.append(fenced(self.signature(entry), "py"))
        if heading:  # else the page begins with it
            parts.append(inline(doc.summary, link))
        if doc.body:
            parts.append(markdown(doc.body, link))
        if entry.operator:
            parts += self._operator_tables(entry.operator, doc, link)
        else:
            parts += self._argument_table(entry, link)
        if doc.returns or doc.yields:
            parts.append(f"**{'Returns' if doc.returns else 'Yields'}:** {inline(doc.returns or doc.yields, link)}")
        if doc.raises:
            parts.append("**Raises**")
            parts.append("\n".join(f"- `{kind}`: {inline(' '.join(why.split()), link)}" for kind, why in doc.raises))
        for shown in doc.examples:
            parts += ["**Example**", example(shown, link)]
        parts += [difference(row) for row in self.differences.get(entry.path, ())]
        parts.append(self._last_line(entry))
        return "\n\n".join(part for part in parts if part)

    def _operator_tables(self, operator: Operator, doc: Doc, link: Linker) -> list[str]:
        states = operator.auxiliary if isinstance(operator.auxiliary, tuple) else ()
        inputs = []
        for position, name in enumerate(operator.inputs):
            is_list = operator.variadic and position == len(operator.inputs) - 1
            notes = ["any number of arrays"] * is_list + ["auxiliary state"] * (position in states)
            if not is_list and position >= operator.num_required:
                notes.append("optional")
            text = inline(doc.arguments.get(name, ""), link, in_table=True)
            inputs.append((code(f"{'*' * is_list}{name}"), text, ", ".join(notes)))
        params = [
            (
                code(param.name),
                code(param_type(param), in_table=True),
                code(operator_default(param), in_table=True) if operator_default(param) else "required",
                inline(doc.arguments.get(param.name, ""), link, in_table=True),
            )
            for param in operator.params.values()
        ]
        parts = ["**Inputs**", _without_empty(("Name", "Meaning", ""), inputs)] if inputs else []
        parts += ["**Parameters**", _without_empty(("Name", "Type", "Default", "Meaning"), params)] if params else []
        return parts if doc.returns else [*parts, f"**Returns:** {_results(operator)}"]

    def _last_line(self, entry: Entry) -> str:
        others = [code(path.removeprefix("mxnet.")) for path in entry.names if path != entry.path]
        methods = self._methods.get(entry.operator.name, []) if entry.operator and not entry.owner else []
        others += [self.link(method, f"{method.owner.name}.{method.name}") for method in methods if method.owner]
        source = source_of(entry)
        pieces = [f"Also: {', '.join(others)}."] if others else []
        pieces += [f"[Source]({source})"] if source else []
        return " ".join(pieces)

    # Classes

    def class_head(self, entry: Entry, level: int, *, heading: bool = True) -> str:
        """A class without its methods: how it is made, its attributes, what it inherits."""
        parts = [self.described(entry, level, heading=heading)]
        doc, link = entry.doc, self.linker(entry)
        rows = []
        for name, member in entry.members.items():
            if member.kind in ("property", "constant"):
                text = self.line(member) or inline(doc.attributes.get(name, ""), link, in_table=True)
                rows.append((f"{_anchor(member)}{code(name)}", text))
        known = {*entry.members, *entry.inherited}
        rows += [
            (code(name), inline(text, link, in_table=True))
            for name, text in doc.attributes.items()
            if name not in known
        ]
        if rows:
            parts += ["**Attributes**", table(("Name", "Meaning"), rows)]
        bases: dict[str, list[str]] = {}
        for name in entry.inherited:
            member = self.names.member(entry, name)
            assert member.owner is not None
            bases.setdefault(member.owner.path, []).append(name)
        if heading and bases:
            listed = " and ".join(self.link(self.names.entries[path]) for path in sorted(bases))
            parts.append(f"Further methods and attributes: {listed}.")
        elif bases:
            for path, inherited in bases.items():
                members = [self.link(self.names.entries[path].members[name], name) for name in inherited]
                parts.append(f"**Inherited** from {self.link(self.names.entries[path])}: {', '.join(members)}.")
        return "\n\n".join(parts)

    def methods(self, entry: Entry) -> list[Entry]:
        """What a class defines beside attributes and operators."""
        return [member for member in entry.members.values() if member.kind == "method" and not member.operator]

    def operator_methods(self, entry: Entry) -> list[tuple[str, ...]]:
        """Rows of a table of methods that call an operator: how they are called, the operator, what it does."""
        found: list[tuple[str, ...]] = []
        for member in entry.members.values():
            if member.operator:
                operator = self._operators.get(member.operator.name)
                call = code(
                    call_text(member.name, self._arguments(member)).replace("\n    ", "").replace("\n", ""),
                    in_table=True,
                )
                cells = (f"{_anchor(member)}{call}", self.link(operator) if operator else "", self.line(member))
                found.append(cells)
        return found

    def in_module(self, entry: Entry) -> Section:
        """An entry on the page of its module."""
        if entry.kind != "class":
            name = entry.short if entry.operator else entry.name
            return Section(((self.link(entry, name), self.line(entry)),), self.described(entry, 2))
        parts, small = [self.class_head(entry, 2)], []
        for member in self.methods(entry):
            doc = member.doc
            if doc.arguments or doc.body or doc.examples or doc.returns or member.path in self.differences:
                parts.append(self.described(member, 3))
            else:
                call = call_text(member.name, self._arguments(member)).replace("\n    ", "").replace("\n", "")
                small.append((f"{_anchor(member)}{code(call, in_table=True)}", self.line(member)))
        if small:
            parts.insert(1, f"**Methods**\n\n{table(('Name', 'What it does'), small)}")
        return Section(((self.link(entry, entry.name), self.line(entry)),), "\n\n".join(parts))


def difference(row: Row) -> str:
    """A row of DIFFERENCES.md as a note."""
    return (
        f'!!! info "Differs from MXNet"\n\n    **MXNet 1.9.1:** {row.theirs}. **Here:** {row.ours}. **Why:** {row.why}.'
    )


def _results(operator: Operator) -> str:
    if not isinstance(operator.outputs, int):
        return "the number of results depends on inputs and parameters."
    if operator.outputs == 1:
        return "one array."
    named = ", ".join(f"`{name}`" for name in (operator.output_names or ())[: operator.outputs])
    return f"{operator.outputs} arrays{f': {named}' if named else ''}."


def _heading(entry: Entry, level: int) -> str:
    name = f"{entry.owner.name}.{entry.name}" if entry.owner else entry.short
    if "__" in entry.path:  # Markdown would take it for bold text inside of braces
        return f"{'#' * level} {_anchor(entry)}{code(name)}"
    return f"{'#' * level} {code(name)} {{ #{entry.path} }}"


def _anchor(entry: Entry) -> str:
    return f'<a id="{entry.path}"></a>'


def _without_empty(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table without the columns that have nothing in them."""
    kept = [column for column in range(len(head)) if any(row[column] for row in rows)]
    return table(tuple(head[column] for column in kept), [tuple(row[column] for column in kept) for row in rows])
