"""CSV, LibSVM and MNIST files."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from mxnet.base import MXNetError
from mxnet.error import FileFormatError, OpParamError
from mxnet.io import CSVIter, LibSVMIter, MNISTIter, MXDataIter
from regluon.array.sparse.csr import CSRNDArray
from tests.io.recorded import FIXTURES, NOTES, assert_recorded, make


@pytest.mark.parametrize(("name", "arguments", "expected"), NOTES["tables"], ids=lambda value: str(value)[:60])
def test_batches_are_those_of_mxnet(name, arguments, expected):
    iterator = make(name, arguments)
    assert isinstance(iterator, MXDataIter)
    assert_recorded(iterator, expected)


def csv(folder: Path, text: str = "0,1\n2,3\n", name: str = "a.csv") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_csv_dtypes_names_and_folders(tmp_path: Path):
    csv(tmp_path)
    csv(tmp_path, "4,5\n\n6,7", "b.csv")
    iterator = CSVIter(data_csv=str(tmp_path), data_shape="(2,)", batch_size="2", dtype="int64", data_name="x")
    batch = next(iterator)
    assert batch.data[0].dtype == np.int64
    assert iterator.provide_data[0].name == "x"
    assert next(iterator).data[0].asnumpy().tolist() == [[4, 5], [6, 7]]
    assert batch.index.tolist() == [0, 1]
    both = f"{tmp_path}/b.csv;{tmp_path}/a.csv"
    assert next(CSVIter(data_csv=both, data_shape=(2,), batch_size=2)).data[0].asnumpy().tolist() == [[4, 5], [6, 7]]


def test_labels_of_several_columns(tmp_path: Path):
    labels = csv(tmp_path, "1,2\n3,4\n", "l.csv")
    iterator = CSVIter(data_csv=csv(tmp_path), data_shape=(2,), label_csv=labels, label_shape=(2,), batch_size=2)
    assert next(iterator).label[0].asnumpy().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "arguments", "error", "match"),
    [
        ("0,1\n", {"data_shape": (3,)}, FileFormatError, r"a.csv has 2 numbers in a line; expected 3, from data_shape"),
        ("0,1\n2\n", {}, FileFormatError, r"a.csv: expected numbers of float32 between commas: .*row 2"),
        ("0,x\n", {}, FileFormatError, "expected numbers of float32 between commas"),
        ("0,1.5\n", {"dtype": "int32"}, FileFormatError, "expected numbers of int32"),
        ("", {}, FileFormatError, "a.csv is empty; expected lines of 2 numbers"),
        ("0,1\n", {"batch_size": 0}, OpParamError, r"\[CSVIter\] batch_size: received 0"),
        (
            "0,1\n",
            {"dtype": "float64"},
            OpParamError,
            "dtype: received 'float64'; expected 'float32', 'int32' or 'int64'",
        ),
        ("0,1\n", {"dtype": "nonsense"}, OpParamError, "dtype: received 'nonsense'; expected one of"),
        ("0,1\n", {"foo": 3}, OpParamError, r"received the parameter foo=3, which does not exist. Known: data_csv, "),
        ("0,1\n", {"round_batches": 3}, OpParamError, r"which does not exist. Did you mean round_batch"),
        ("0,1\n", {"data_csv": "/no/such.csv"}, MXNetError, r"received '/no/such.csv'; expected an existing file"),
        ("0,1\n", {"data_shape": "x"}, OpParamError, "data_shape: received 'x'; expected a tuple of integers"),
    ],
)
def test_bad_csv(tmp_path: Path, text, arguments, error, match):
    with pytest.raises(error, match=match):
        CSVIter(**{"data_csv": csv(tmp_path, text), "data_shape": (2,), "batch_size": 1, **arguments})


def test_arguments_without_names_or_at_all(tmp_path: Path):
    with pytest.raises(TypeError, match=r"CSVIter can only accept keyword arguments; received 'a.csv' without a name"):
        CSVIter("a.csv", data_shape=(2,), batch_size=1)
    with pytest.raises(OpParamError, match=r"\[CSVIter\] received no batch_size; expected an integer: it is required"):
        CSVIter(data_csv=csv(tmp_path), data_shape=(2,))
    (tmp_path / "empty").mkdir()
    with pytest.raises(MXNetError, match="expected a file, and this folder has none"):
        CSVIter(data_csv=str(tmp_path / "empty"), data_shape=(2,), batch_size=1)
    labels = csv(tmp_path, "1\n", "l.csv")
    with pytest.raises(FileFormatError, match="has 1 lines; expected 2, as in"):
        CSVIter(data_csv=csv(tmp_path), data_shape=(2,), batch_size=1, label_csv=labels)


def test_sparse_batches():
    iterator = LibSVMIter(data_libsvm=str(FIXTURES / "data.svm"), data_shape=(3,), batch_size=4)
    batch = next(iterator)
    assert isinstance(batch.data[0], CSRNDArray)
    assert batch.data[0].indptr.asnumpy().tolist() == [0, 2, 2, 5, 6]


@pytest.mark.parametrize(
    ("text", "arguments", "error", "match"),
    [
        ("1 5:2\n", {}, FileFormatError, r"a.svm, line 1: received column 5; expected 0 to 2, from shape \(3,\)"),
        ("1 -1:2\n", {}, FileFormatError, "received column -1"),
        (
            "1 0:2\n2 1;3\n",
            {},
            FileFormatError,
            r"a.svm, line 2: received '2 1;3'; expected a label and entries `column:",
        ),
        ("a 0:2\n", {}, FileFormatError, "expected a label and entries"),
        ("\n", {}, FileFormatError, "part 0 of 1 has no lines; expected one or more"),
        ("  \t\n", {}, FileFormatError, "part 0 of 1 has no lines; expected one or more|expected a label"),
        (b"\x1d\n", {}, FileFormatError, r"line 1: received '\\x1d'; expected a label and entries"),
        (b"1\x1d0:2\n", {}, FileFormatError, r"line 1: received '1\\x1d0:2'; expected a label and entries"),
        (b"\xff\xff\n", {}, FileFormatError, "line 1: received .*; expected text of numbers"),
        ("1 0:2\n", {"round_batch": False}, OpParamError, "round_batch: received False; expected True"),
        (
            "1 0:2\n",
            {"data_shape": (3, 2)},
            OpParamError,
            r"data_shape: received \(3, 2\); expected a number of columns",
        ),
        ("1 0:2\n", {"label_shape": (2,)}, OpParamError, r"label_shape: received \(2,\); expected \(1,\) without"),
        ("1 0:2\n", {"num_parts": 2, "part_index": 2}, OpParamError, "expected 0 <= part_index < num_parts"),
        ("1 0:2\n", {"label_libsvm": str(FIXTURES / "label.svm"), "label_shape": (3,)}, FileFormatError, "has 4 lines"),
    ],
)
def test_bad_libsvm(tmp_path: Path, text, arguments, error, match):
    (tmp_path / "a.svm").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(error, match=match):
        LibSVMIter(**{"data_libsvm": str(tmp_path / "a.svm"), "data_shape": (3,), "batch_size": 1, **arguments})


def digits(**arguments):
    paths = {"image": str(FIXTURES / "digits"), "label": str(FIXTURES / "digit_labels")}
    return MNISTIter(**{**paths, "batch_size": 7, **arguments})


def test_shuffled_digits_have_one_order():
    orders = [next(digits(seed=seed)).label[0].asnumpy().tolist() for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == list(range(7))
    iterator = digits(seed=1)
    plain = next(digits(shuffle=False))
    for _ in range(2):
        batch = next(iterator)
        assert batch.label[0].asnumpy().tolist() == orders[0]
        np.testing.assert_array_equal(
            batch.data[0].asnumpy(), plain.data[0].asnumpy()[batch.label[0].asnumpy().astype(int)]
        )
        iterator.reset()


@pytest.mark.parametrize("name", ["data_shape", "input_shape"])
def test_the_shape_that_scripts_pass_for_digits_decides_nothing(name: str):
    expected = next(digits(seed=1, flat=True)).data[0].asnumpy()
    assert expected.ndim == 2
    np.testing.assert_array_equal(next(digits(seed=1, flat=True, **{name: (784,)})).data[0].asnumpy(), expected)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (gzip.compress(b"x", mtime=0), "a is a gzip file: unpack it first"),
        (b"", r"received the beginning b''; expected b'\\x00\\x00\\x08\\x03', an idx file of bytes with 3 axes"),
        (struct.pack(">IIII", 2049, 1, 1, 1), "expected b'"),
        (
            struct.pack(">IIII", 2051, 2**32 - 1, 2**32 - 1, 2**32 - 1),
            r"the header says shape .*; expected the 0 that f",
        ),
        (struct.pack(">IIII", 2051, 6, 1, 1) + b"123456", "has 7 labels; expected 6"),
    ],
)
def test_bad_digits(tmp_path: Path, content, match):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(FileFormatError, match=match):
        digits(image=str(tmp_path / "a"))


def test_other_bad_digits():
    with pytest.raises(MXNetError, match="expected a file that can be read: No such file"):
        digits(image="/none")
    with pytest.raises(OpParamError, match="batch_size: received 8; expected at most 7, as many as there are examples"):
        digits(batch_size=8)


def test_the_parts_of_a_stream():
    iterator = make("CSVIter", {"data_csv": "data.csv", "data_shape": (3,), "batch_size": 3})
    assert iterator.iter_next()
    assert iterator.getdata().shape == (3, 3)
    assert iterator.getlabel().shape == (3,)
    assert (iterator.getpad(), iterator.getindex().tolist()) == (0, [0, 1, 2])
    assert iterator.iter_next()
    assert iterator.getpad() == 2
    assert not iterator.iter_next()
    assert iterator.batch_size == 3
    iterator.debug_skip_load()
    assert [next(iterator).pad for _ in range(5)] == [2] * 5


def test_resetting_early_begins_with_the_first_example():
    iterator = make("CSVIter", {"data_csv": "data.csv", "data_shape": (3,), "batch_size": 3})
    iterator.reset()
    assert next(iterator).index.tolist() == [0, 1, 2]
    next(iterator)
    iterator.reset()
    assert next(iterator).index.tolist() == [2, 3, 0]
