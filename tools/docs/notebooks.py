"""Tutorials as notebooks."""

import re

import nbformat

_PART = re.compile(r"^```python\n(?P<code>.*?)^```$(?:\n+^```text\n.*?^```$)?", re.DOTALL | re.MULTILINE)


def from_markdown(page: str) -> str:
    """A notebook with the text and the programs of a page; what these print is left to the reader's machine."""
    cells, end = [], 0
    for match in _PART.finditer(page):
        if text := page[end : match.start()].strip():
            cells.append(nbformat.v4.new_markdown_cell(text))
        cells.append(nbformat.v4.new_code_cell(match["code"].rstrip()))
        end = match.end()
    if text := page[end:].strip():
        cells.append(nbformat.v4.new_markdown_cell(text))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # nbformat draws them; builds are to be repeatable
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells)) + "\n"
