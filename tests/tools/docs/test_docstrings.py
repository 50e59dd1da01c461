"""Docstrings become records, and their texts Markdown in which nothing has a meaning by accident."""

import pytest

from tools.docs.docstrings import code, escaped, example, inline, markdown, parsed, table

DOC = """Adds things, `one` by one.

More about it:

    a   first
    b   second

Args:
    one: the first *sizes; see `two`,
        over two lines.
    kwargs: others.

Returns:
    A pair: both of them.

Raises:
    ValueError: if it must.

Example:
    >>> add(1)
    1
"""


def html(text: str) -> str:
    renderer = pytest.importorskip("markdown", reason="comes with the extra docs")
    return renderer.markdown(text, extensions=["tables", "attr_list"])


def test_sections():
    doc = parsed(DOC)
    assert doc.summary == "Adds things, `one` by one."
    assert doc.arguments == {"one": "the first *sizes; see `two`,\nover two lines.", "kwargs": "others."}
    assert doc.returns == "A pair: both of them."
    assert doc.raises == (("ValueError", "if it must."),)
    assert doc.examples == (">>> add(1)\n1",)


def test_indented_blocks_are_code():
    assert "```text\na   first\nb   second\n```" in markdown(parsed(DOC).body)


def test_long_summaries_are_cut_after_a_sentence():
    assert parsed(f"Short one. {'Long ' * 40}").line == "Short one."


@pytest.mark.parametrize(
    "text", ["a * b * c", "_x_ and __y__", "[a](b)", "x < y <b>", "a | b", "# no", "- no", "1. no", "2^3 ~x~"]
)
def test_plain_text_stays_plain(text: str):
    shown = html(escaped(text))
    assert not any(tag in shown for tag in ("<em>", "<strong>", "<a ", "<b>", "<li>", "<h1>", "\\"))


def test_cells_keep_pipes():
    text = table(
        ("Name", "Type"), [(code("x"), code("int | None | list[_T_]", in_table=True)), ("a", escaped("|x| < 1"))]
    )
    shown = html(text)
    assert shown.count("<td>") == 4
    assert "<code>int &#124; None &#124; list&#91;&#95;T&#95;&#93;</code>" in shown
    assert "&#124;x&#124; &#60; 1" in shown


def test_names_are_linked():
    assert inline("see `nd.sum` and `x`", {"nd.sum": "page.md"}.get) == "see [`nd.sum`](page.md) and `x`"


def test_lists_and_examples():
    assert markdown("Two:\n- one\n  more\n- `two`") == "Two:\n\n- one more\n- `two`"
    assert example(">>> 1\n1\n\n>>> 2\n2") == "```pycon\n>>> 1\n1\n>>> 2\n2\n```"


def test_a_block_may_begin_indented_and_end_plain():
    assert markdown("    x = 1\nplain") == f"{markdown('    x = 1')}\n\nplain"
