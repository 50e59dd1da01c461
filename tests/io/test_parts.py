"""Which examples the parts of `num_parts` have; the literals were recorded with MXNet 1.9.1."""

import itertools
import struct

import pytest

import mxnet as mx
from mxnet.error import FileFormatError
from tests.io.recorded import FIXTURES

IMAGES = {"path_imgrec": str(FIXTURES / "images.rec"), "data_shape": (3, 8, 8), "batch_size": 1}
BOXES = {**IMAGES, "path_imgrec": str(FIXTURES / "boxes.rec")}
IMAGE_INDEX = {"path_imgidx": str(FIXTURES / "images.idx")}
BOX_INDEX = {"path_imgidx": str(FIXTURES / "boxes.idx")}


def _rows(batch):
    """The labels of a batch, without those that fill it up."""
    labels = batch.label[0].asnumpy()
    return labels.reshape(labels.shape[0], -1)[: labels.shape[0] - batch.pad]


def _numbers(iterator):
    return [int(row[0]) for batch in iterator for row in _rows(batch)]


def _sums(iterator):
    return [float(row.sum()) for batch in iterator for row in _rows(batch)]


def _parts(make, num_parts, read=_numbers, **arguments):
    return [read(make(num_parts=num_parts, part_index=part, **arguments)) for part in range(num_parts)]


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ({}, [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]),  # by bytes
        ({}, [[0, 1, 2], [3, 4, 5], [6, 7], [8, 9]]),
        (IMAGE_INDEX, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]),  # by records
        (IMAGE_INDEX, [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]),
    ],
)
def test_image_records(index, expected):
    assert _parts(mx.io.ImageRecordIter, len(expected), **IMAGES, **index) == expected


@pytest.mark.parametrize(
    "expected", [[[0, 1, 2], [3, 4, 5], [6, 7, 8]], [[0, 1], [2, 3], [4, 5], [6, 7]]], ids=["three", "four"]
)
def test_images(expected):
    assert _parts(mx.image.ImageIter, len(expected), **IMAGES, **IMAGE_INDEX) == expected


@pytest.mark.parametrize("index", [{}, BOX_INDEX], ids=["no index", "index"])
@pytest.mark.parametrize(
    "expected", [[[24.5, 37.25, 51.25], [29.5, 42.25]], [[29.5, 42.25], [51.25, 24.5], [42.25]]], ids=["two", "three"]
)
def test_records_of_boxes(index, expected):
    assert _parts(mx.io.ImageDetRecordIter, len(expected), _sums, **BOXES, **index) == expected


@pytest.mark.parametrize("expected", [[[-3.5, 4.25], [8.25, -8.5]], [[1.5], [4.25], [8.25]]], ids=["two", "three"])
def test_boxes(expected):
    assert _parts(mx.image.ImageDetIter, len(expected), _sums, **BOXES, **BOX_INDEX) == expected


def _digits(folder, count):
    (folder / "images").write_bytes(struct.pack(">IIII", 0x803, count, 2, 2) + bytes(range(4 * count)))
    (folder / "labels").write_bytes(struct.pack(">II", 0x801, count) + bytes(range(count)))
    return {"image": str(folder / "images"), "label": str(folder / "labels"), "batch_size": 1, "silent": True}


@pytest.mark.parametrize(
    "expected",
    [
        [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9, 10]],
        [[0, 1], [2, 3, 4], [5, 6, 7], [8, 9, 10]],
        [[0], [1, 2], [3], [4, 5], [6], [7, 8], [9, 10]],
    ],
    ids=["two", "four", "seven"],
)
def test_digits(expected, tmp_path):
    assert _parts(mx.io.MNISTIter, len(expected), **_digits(tmp_path, 11), shuffle=False) == expected


def test_no_digit_is_lost_by_rounding(tmp_path):
    """MXNet counts in floating-point numbers, and its part 10 of 11 ends before the last of 15 digits."""
    parts = _parts(mx.io.MNISTIter, 11, **_digits(tmp_path, 15), shuffle=False)
    assert [*itertools.chain(*parts)] == list(range(15))


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (11, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]),
        (10, [[0, 1, 2, 3], [4, 5], [6, 7], [8, 9]]),
    ],
)
def test_lines(count, expected, tmp_path):
    lines = [
        f"{number} " + " ".join(f"{column}:{column + 1}.5" for column in range(number % 4)) for number in range(count)
    ]
    (tmp_path / "lines").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    given = {"data_libsvm": str(tmp_path / "lines"), "data_shape": (4,), "batch_size": 1}
    assert _parts(mx.io.LibSVMIter, len(expected), **given) == expected


def test_a_part_goes_on_with_its_own_examples():
    """A batch at the end of a part is filled up with the part's first examples; the next pass begins after them."""
    iterator = mx.io.ImageRecordIter(**{**IMAGES, "batch_size": 2}, num_parts=3, part_index=1)
    passes = []
    for _ in range(2):
        passes.append([(batch.label[0].asnumpy().tolist(), batch.pad) for batch in iterator])
        iterator.reset()
    assert passes == [[([4, 5], 0), ([6, 4], 1)], [([5, 6], 0)]]


@pytest.mark.parametrize("index", [{}, IMAGE_INDEX], ids=["no index", "index"])
def test_one_seed_fixes_the_orders_of_parts(index):
    def orders(seed):
        found = []
        for part in range(2):
            iterator = mx.io.ImageRecordIter(**IMAGES, **index, num_parts=2, part_index=part, shuffle=True, seed=seed)
            passes = []
            for _ in range(2):
                passes.append(_numbers(iterator))
                iterator.reset()
            found.append(passes)
        return found

    first, again, other = orders(3), orders(3), orders(4)
    assert first == again
    assert first != other
    whole = _parts(mx.io.ImageRecordIter, 2, **IMAGES, **index)
    for part, passes in enumerate(first):
        assert passes[0] != passes[1]
        assert [sorted(each) for each in passes] == [whole[part]] * 2


def test_one_seed_fixes_the_order_of_digits(tmp_path):
    given = _digits(tmp_path, 40)
    first, again = (_parts(mx.io.MNISTIter, 3, **given, shuffle=True, seed=5) for _ in range(2))
    assert first == again
    assert first != _parts(mx.io.MNISTIter, 3, **given, shuffle=True, seed=6)
    assert [sorted(part) for part in first] == _parts(mx.io.MNISTIter, 3, **given, shuffle=False)


def test_parts_of_images_have_as_many_batches():
    for num_parts in (2, 3, 4):
        parts = _parts(mx.image.ImageIter, num_parts, _num_batches, **{**IMAGES, "batch_size": 2}, **IMAGE_INDEX)
        assert len(set(parts)) == 1


def _num_batches(iterator):
    return sum(1 for _ in iterator)


def test_a_part_without_examples_is_refused():
    """MXNet ends the process."""
    with pytest.raises(FileFormatError, match="part 6 of 7 has no records; expected one or more"):
        mx.io.ImageRecordIter(**IMAGES, **IMAGE_INDEX, num_parts=7, part_index=6)
