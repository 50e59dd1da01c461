"""The report as one page that needs no other file and no network."""

import re
from html import escape
from pathlib import Path
from string import Template

from .report import Name, Report
from .resolver import Place
from .status import STATES
from .text_report import counted, lead, notes

TEMPLATE = Path(__file__).with_name("page.html")
_PLACES = 30  # shown of each name


def as_html(report: Report, title: str) -> str:
    """The page.

    Args:
        report: what was found.
        title: what was read.
    """
    counts, uses = report.counts(), report.uses()
    template = Template(TEMPLATE.read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(title),
        lead=f"{lead(report)}.",
        bar=_bar(counts),
        legend="".join(_choice(state, counts[state], uses[state]) for state in STATES),
        habits=_section("Worth knowing", [_habit(report, number) for number in range(len(report.habits))]),
        problems=_section("Could not be read", [_problem(report, number) for number in range(len(report.problems))]),
        rows="\n".join(map(_row, report.counted)),
    )


def _bar(counts: dict[str, int]) -> str:
    total = sum(counts.values()) or 1
    parts = ((state, count) for state, count in counts.items() if count)
    return "".join(
        f'<span class="{state}" style="width:{100 * count / total:.2f}%" title="{count} {state}"></span>'
        for state, count in parts
    )


def _choice(state: str, count: int, uses: int) -> str:
    return (
        f'<label class="choice"><input type="checkbox" value="{state}" checked> <i class="{state}"></i>{state} '
        f"<b>{count:,}</b> <small>{counted(uses, 'use')}</small></label>"
    )


def _section(heading: str, items: list[str]) -> str:
    return f"<h2>{heading}</h2><ul>{''.join(items)}</ul>" if items else ""


def _habit(report: Report, number: int) -> str:
    habit = report.habits[number]
    places = _details([f"{place}: {detail}" for place, detail in habit.places])
    return f"<li><b>{escape(habit.kind)}</b> {escape(habit.text)} {places}</li>"


def _problem(report: Report, number: int) -> str:
    problem = report.problems[number]
    place = Place(problem.path, problem.line, problem.cell)
    return f"<li><code>{escape(str(place))}</code> {escape(problem.text)}</li>"


def _row(name: Name) -> str:
    facts = name.entry
    texts = "".join(f"<p>{_prose(text)}</p>" for text in notes(name))
    torch = facts.counterpart
    written = f"<code>{escape(torch.torch)}</code>" if torch else ""
    remark = f"<p>{_prose(torch.remark)}</p>" if torch and torch.remark else ""
    places = _details([str(place) for place in name.places])
    return (
        f'<tr data-state="{facts.state}"><td><code>{escape(facts.shown)}</code></td>'
        f'<td><i class="{facts.state}"></i>{facts.state}</td><td class="number">{len(name.places)}</td>'
        f"<td>{texts}</td><td>{written}{remark}</td><td>{places}</td></tr>"
    )


def _prose(text: str) -> str:
    """A text whose code stands in backquotes, as it does in the pages that it is from."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _details(places: list[str]) -> str:
    unique = list(dict.fromkeys(places))
    shown = "<br>".join(f"<code>{escape(place)}</code>" for place in unique[:_PLACES])
    more = f"<br>and {len(unique) - _PLACES} more" if len(unique) > _PLACES else ""
    return f"<details><summary>{counted(len(unique), 'place')}</summary>{shown}{more}</details>"
