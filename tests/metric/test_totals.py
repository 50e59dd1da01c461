"""Sums that wait on the device."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.metric._totals import Running, Total, add, in_float, in_same_float, precise, sum_of


class Holder:
    amount = Total()


def test_a_running_sum_is_not_changed_by_adding():
    first = Running(1)
    second = first.plus(nd.array([2], dtype="float64")).plus(3)
    third = second.plus(nd.array([4], dtype="float64", ctx=mx.cpu(1)))
    assert (first.number(), second.number(), third.number()) == (1, 6, 10)


def test_counts_are_exact_beyond_float32():
    for dtype in ("float32", "int32"):
        holder = Holder()
        add(holder, nd.array([2**24], dtype=dtype), "amount")
        for _ in range(5):
            add(holder, nd.array([1], dtype=dtype), "amount")
        assert holder.amount == 2**24 + 5


@pytest.mark.parametrize("number", [np.float32(2.0**24), np.int32(2**24), 2**24, 2.0**24])
def test_numbers_of_any_type_add_up_exactly(number):
    holder = Holder()
    holder.amount = 0.0 if isinstance(number, (float, np.floating)) else 0
    holder.amount += number
    for _ in range(5):
        holder.amount += type(number)(1)
    assert holder.amount == 2**24 + 5
    holder.amount = np.int32(2**31 - 1)
    holder.amount += np.int32(1)
    assert holder.amount == 2**31


def test_an_attribute_is_read_as_a_number():
    holder = Holder()
    with pytest.raises(AttributeError, match="Holder has no amount yet"):
        holder.amount  # noqa: B018
    add(holder, nd.array([3]), "amount")
    add(holder, 2, "amount")
    assert holder.amount == 5
    assert type(holder.amount) is float
    assert type(Holder.amount) is Total


def test_attributes_that_were_the_same_stay_the_same():
    class Pair:
        local, overall = Total(), Total()

    pair = Pair()
    pair.local = pair.overall = 1.0
    add(pair, nd.array([2]), "local", "overall")
    assert vars(pair)["local"] is vars(pair)["overall"]
    pair.local = 0.0
    add(pair, nd.array([4]), "local", "overall")
    assert (pair.local, pair.overall) == (4, 7)


@pytest.mark.parametrize(
    ("given", "calculated"),
    [
        ("float16", "float32"),
        ("bfloat16", "float32"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("int32", "float64"),
        ("uint8", "float64"),
    ],
)
def test_types_to_calculate_in(given, calculated):
    array = nd.ones(3).astype(given)
    assert in_float(array).dtype == np.dtype(calculated)
    assert precise(array).dtype == np.float64
    assert sum_of(array).asscalar() == 3


def test_two_arrays_in_one_type():
    pairs = {("float32", "float16"): "float32", ("int32", "float32"): "float64", ("int32", "int64"): "float64"}
    for given, expected in pairs.items():
        assert all(a.dtype == np.dtype(expected) for a in in_same_float(*(nd.ones(2, dtype=name) for name in given)))
