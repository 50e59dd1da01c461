"""Arrays in notebooks: small tables of safe text."""

import re

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd


def cells(html: str) -> list[list[str]]:
    return [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)]


def test_a_matrix_is_a_table():
    html = nd.array([[1, 2.5], [3, 1 / 3]])._repr_html_()
    assert cells(html) == [["1", "2.5"], ["3", "0.33333"]]
    assert "<small>NDArray 2&times;2, float32, @cpu(0)</small>" in html


def test_large_arrays_show_their_ends():
    html = nd.arange(30 * 12).reshape((30, 12))._repr_html_()
    rows = cells(html)
    assert [row[0] for row in rows[:2]] == ["0", "12"]
    assert rows[0] == ["0", "1", "2", "3", "4", "5", "6", "7", "&hellip;", "10", "11"]
    assert rows[15] == ["&hellip;"] * 11
    assert rows[-1][-1] == "359"
    assert len(rows) == 21


def test_more_axes_show_the_first_matrix():
    html = nd.arange(24).reshape((2, 3, 4))._repr_html_()
    assert cells(html)[2] == ["8", "9", "10", "11"]
    assert "<small>[0, :, :] of NDArray 2&times;3&times;4, float32" in html
    assert len(nd.zeros((50, 50, 50, 50))._repr_html_()) < 5000


@pytest.mark.parametrize(
    ("array", "expected", "caption"),
    [
        (mx.np.array(1.5), [["1.5"]], "ndarray (), float32"),
        (mx.np.array([True, False], dtype=bool), [["True", "False"]], "ndarray 2, bool"),
        (nd.array([7], dtype="int64"), [["7"]], "NDArray 1, int64"),
        (nd.array([0.5]).astype("bfloat16"), [["0.5"]], "NDArray 1, bfloat16"),
        (nd.array([np.nan, np.inf]), [["nan", "inf"]], "NDArray 2, float32"),
    ],
)
def test_kinds(array, expected, caption: str):
    html = array._repr_html_()
    assert cells(html) == expected
    assert caption in html


def test_empty_and_sparse_arrays_are_only_named():
    with mx.np_shape():
        assert nd.zeros((0, 3))._repr_html_() == "<div>NDArray 0&times;3, float32, @cpu(0)</div>"
    assert nd.ones((2, 2)).tostype("csr")._repr_html_() == (
        "<div><small>CSRNDArray 2&times;2, float32, @cpu(0), csr</small></div>"
    )


def test_looking_does_not_disturb_recording():
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with mx.autograd.record():
        y = x * x
        y._repr_html_()
        loss = y.sum()
    loss.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [2, 4])
