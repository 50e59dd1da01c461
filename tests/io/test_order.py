"""Which examples make which batch."""

import pytest

from mxnet.error import OpParamError
from mxnet.io._base import Passes, check_part, part_by_bytes


def several(passes: Passes, count: int) -> list[list[tuple[list[int], int]]]:
    found = []
    for _ in range(count):
        found.append([tuple(rows) for rows in passes.batches()])
        passes.restart(finished=True)
    return found


def test_the_next_pass_begins_after_what_filled_up_the_last():
    assert several(Passes(4, 3), 3) == [
        [([0, 1, 2], 0), ([3, 0, 1], 2)],
        [([2, 3, 0], 1)],
        [([1, 2, 3], 0)],
    ]


def test_without_rounding_the_last_batch_keeps_what_was_there():
    assert several(Passes(4, 3, round_batch=False), 2) == [[([0, 1, 2], 0), ([3, 1, 2], 2)]] * 2
    assert several(Passes(2, 3, round_batch=False), 1) == [[([0, 1, 0], 1)]]


def test_a_batch_may_be_larger_than_all_examples():
    assert several(Passes(2, 7), 2) == [[([0, 1, 0, 1, 0, 1, 0], 5)], [([1, 0, 1, 0, 1, 0, 1], 6)]]


def test_an_unfinished_pass_is_begun_again():
    passes = Passes(4, 3)
    list(passes.batches())
    passes.restart(finished=False)
    assert next(passes.batches()).numbers == [0, 1, 2]


def test_shuffled_passes_hold_every_example_once():
    passes = Passes(10, 4, seed=3)
    rows = [number for batches in several(passes, 4) for numbers, _ in batches for number in numbers]
    orders = [rows[i : i + 10] for i in range(0, len(rows) - 9, 10)]
    assert all(sorted(order) == list(range(10)) for order in orders)
    assert orders[0] != orders[1]
    assert several(Passes(10, 4, seed=3), 2) == several(Passes(10, 4, seed=3), 2)
    assert several(Passes(10, 4, seed=3), 1) != several(Passes(10, 4, seed=4), 1)


def test_parts_hold_every_example_once():
    starts = [0, 7, 9, 30, 31, 64]
    parts = [part_by_bytes(starts, 70, 4, part, align=4) for part in range(4)]
    assert sorted(number for part in parts for number in part) == list(range(6))
    assert part_by_bytes([], 0, 2, 1, align=1) == []


@pytest.mark.parametrize(("num_parts", "part_index"), [(0, 0), (2, 2), (2, -1)])
def test_parts_that_do_not_exist(num_parts, part_index):
    with pytest.raises(OpParamError, match=r"\[me\] received num_parts=.*; expected 0 <= part_index < num_parts"):
        check_part(num_parts, part_index, "me")
