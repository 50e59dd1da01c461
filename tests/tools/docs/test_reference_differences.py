"""Rows of DIFFERENCES.md, and the entries they are about."""

import re

from tools.docs.reference_differences import PAGE, Row, differences, named_in, read_rows, rows_of
from tools.docs.reference_names import names

TEXT = """# Title

## Arrays and operators

| MXNet 1.9.1 | here | why |
|---|---|---|
| BatchNorm moves its averages in `backward` | in forward | one \\| behaviour |
| `softmax(dtype=None)` and `x[2:1]` | the data's dtype | None means `clip` |

No table: | a | b | c

## `mx.np`

| MXNet 1.9.1 | here | why |
|---|---|---|
| `where` with a number | unless `mx.random.seed` is called | why |
"""


def named(row: Row) -> list[str]:
    return [entry.short for entry in named_in(row, names())]


def test_rows():
    first, second, third = rows_of(TEXT)
    assert first == Row(
        "Arrays and operators", "BatchNorm moves its averages in `backward`", "in forward", "one \\| behaviour"
    )
    assert second.section == "Arrays and operators"
    assert third.section == "`mx.np`"


def test_names_of_rows():
    first, second, third = rows_of(TEXT)
    assert named(first) == ["nd.BatchNorm"]  # not `backward`, which is a step of every program
    assert named(second) == ["nd.softmax"]  # not what the reason names
    assert named(third) == ["np.where", "random.seed"]


def test_every_row_of_the_page_is_read():
    """A difference has three cells; tables of two list operators of the difference above them."""
    page = PAGE.read_text(encoding="utf-8").splitlines()
    lines = [line for line in page if re.match(r"\| (?!MXNet 1\.).* \| .* \| ", line)]
    assert len(read_rows()) == len(lines) > 50


def test_differences_by_entry():
    found = differences(names())
    assert len(found) > 40
    assert {"mxnet.nd.BatchNorm", "mxnet.autograd.get_symbol", "mxnet.np.unique", "mxnet.nd.save"} <= set(found)
    assert all(names().find(path) for path in found)
