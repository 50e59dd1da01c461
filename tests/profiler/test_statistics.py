import json

import pytest

from mxnet.profiler._records import Instant, Span, Value
from mxnet.profiler._report import SORT_KEYS, Statistics


def spans(name: str, *milliseconds: float, category: str = "operator", allocated: int | None = None) -> list[Span]:
    return [Span(category, name, "", 0, int(each * 1e6), "cpu/0", 1, allocated) for each in milliseconds]


@pytest.fixture
def statistics() -> Statistics:
    found = Statistics()
    found.add(spans("Convolution", 0.5, 2.5, allocated=64_000))
    found.add(spans("relu", 0.25, 0.25, 0.25))
    found.add(spans("dot", 2.0))
    return found


# Layout as MXNet 1.9.1 prints it.
TABLE = """
Profile Statistics:
\tNote the difference in units for different entries.
Operator Memory
=================
Name                          Total Count    Min Use  (kB)    Max Use  (kB)    Avg Use  (kB)
----                          -----------    -------------    -------------    -------------
Convolution                             2          64.0000          64.0000          64.0000

operator
=================
Name                          Total Count        Time (ms)    Min Time (ms)    Max Time (ms)    Avg Time (ms)
----                          -----------        ---------    -------------    -------------    -------------
Convolution                             2           3.0000           0.5000           2.5000           1.5000
dot                                     1           2.0000           2.0000           2.0000           2.0000
relu                                    3           0.7500           0.2500           0.2500           0.2500

"""


def test_the_table_is_laid_out_as_mxnets(statistics: Statistics) -> None:
    assert statistics.table("total", False) == TABLE


def test_counters_have_mxnets_columns() -> None:
    # Set to 5, 8, 7: MXNet shows the last value as the total, and half of the span as the average.
    found = Statistics()
    found.add([Value("Dom", "counter", 0, value) for value in (5, 8, 7)])
    line = (
        "counter                                 3           0.0070           0.0050           0.0080           0.0010"
    )
    assert line in found.table("total", False).splitlines()


ORDERS = {
    "total": ["Convolution", "dot", "relu"],
    "avg": ["dot", "Convolution", "relu"],
    "min": ["dot", "Convolution", "relu"],
    "max": ["Convolution", "dot", "relu"],
    "count": ["relu", "Convolution", "dot"],
}


@pytest.mark.parametrize("key", SORT_KEYS)
def test_rows_are_sorted(statistics: Statistics, key: str) -> None:
    for ascending in (False, True):
        rows = list(json.loads(statistics.json(key, ascending))["Time"]["operator"])
        assert rows == (ORDERS[key][::-1] if ascending else ORDERS[key])
        table = statistics.table(key, ascending).split("operator\n")[1]
        assert [line.split()[0] for line in table.splitlines()[3:6]] == rows


def test_json_has_units_and_no_totals_of_memory(statistics: Statistics) -> None:
    found = json.loads(statistics.json("total", False))
    assert found["Unit"] == {"Time": "ms", "Memory": "kB"}
    assert found["Time"]["operator"]["relu"] == {"Count": 3, "Total": 0.75, "Min": 0.25, "Max": 0.25, "Avg": 0.25}
    assert found["Memory"]["Operator Memory"]["Convolution"] == {"Count": 2, "Min": 64.0, "Max": 64.0, "Avg": 64.0}


def test_kernels_and_blocks_are_left_to_traces_and_markers_have_no_rows() -> None:
    found = Statistics()
    found.add([*spans("aten::add", 1.0, category="torch"), *spans("net0", 1.0, category="block")])
    found.add([Instant("Dom,instant_marker", "marker", 0, 1, "process")])
    assert json.loads(found.json("total", False))["Time"] == {"Dom,instant_marker": {}}
