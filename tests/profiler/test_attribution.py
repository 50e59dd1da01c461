from mxnet.profiler._records import Span, Value
from mxnet.profiler._tracer import Attribution, Range
from regluon.torch_private import TraceEvent

GRADIENT = "autograd::engine::evaluate_function: "
RANGES = {"a": Range("operator", "dot", "net0"), "b": Range("operator", "exp", ""), "c": Range("block", "net0", "")}


def event(name: str, start: int, duration: int, sequence: int = -1, forward: int = 0, size: int = 0) -> TraceEvent:
    return TraceEvent(name, start, duration, 1, size, sequence, forward, "cpu", 0)


def found(*traces: list[TraceEvent], memory: bool = True) -> list:
    attribution = Attribution(memory)
    return [record for trace in traces for record in attribution.records(trace, RANGES, 77)]


def operators(records: list) -> list[Span]:
    spans = [record for record in records if isinstance(record, Span) and record.category == "operator"]
    return sorted(spans, key=lambda span: span.start)


FORWARD = [
    event("c", 0, 100),
    event("a", 10, 30),
    event("aten::mm", 12, 20, sequence=4),
    event("aten::t", 13, 2, sequence=4),
    event("b", 50, 10),
    event("aten::exp", 51, 5, sequence=5),
]
BACKWARD = [
    event(f"{GRADIENT}ExpBackward0", 200, 10, sequence=5, forward=1),
    event("ExpBackward0", 201, 8, sequence=5, forward=1),
    event(f"{GRADIENT}TBackward0", 220, 5, sequence=4, forward=1),
    event(f"{GRADIENT}MmBackward0", 230, 10, sequence=4, forward=1),
    event(f"{GRADIENT}AccumulateGrad", 250, 1),
]


def test_ranges_become_operators_in_their_thread() -> None:
    dot, exp = operators(found(FORWARD))
    assert dot == Span("operator", "dot", "net0", 10, 30, "cpu/0", 77, 0)
    assert (exp.name, exp.where) == ("exp", "")


def test_gradients_have_the_names_of_their_operators() -> None:
    for records in (found([*FORWARD, *BACKWARD]), found(FORWARD, BACKWARD)):  # in one trace, and in the next
        *_, exp, dot = operators(records)
        assert (exp.name, exp.start, exp.duration) == ("_backward_exp", 200, 10)
        assert dot == Span("operator", "_backward_dot", "net0", 220, 20, "cpu/0", dot.lane)


def test_gradients_of_unknown_operators_have_no_name() -> None:
    assert operators(found(BACKWARD)) == []
    assert operators(found(FORWARD, [], BACKWARD))[2:] == []


def test_a_compiled_program_is_not_taken_for_an_operator() -> None:
    assert len(operators(found([*FORWARD, event(f"{GRADIENT}_RunBackward", 300, 5, sequence=4, forward=1)]))) == 2


def test_kernels_are_kept() -> None:
    kernels = [record.name for record in found(FORWARD) if isinstance(record, Span) and record.category == "torch"]
    assert kernels == ["aten::mm", "aten::t", "aten::exp"]


def test_memory_belongs_to_operators_and_devices() -> None:
    changes = [
        event("[memory]", 15, 0, size=1000),
        event("[memory]", 16, 0, size=-400),
        event("[memory]", 90, 0, size=8),
    ]
    records = found([*FORWARD, *changes])
    assert [span.allocated for span in operators(records)] == [1000, 0]
    values = [record for record in records if isinstance(record, Value)]
    assert [(value.name, value.value) for value in values] == [
        ("Memory: cpu/0", 1000), ("Memory: cpu/0", 600), ("Memory: cpu/0", 608),
    ]  # fmt: skip
    assert [span.allocated for span in operators(found(FORWARD, memory=False))] == [None, None]


def test_other_devices_are_named_as_mxnets() -> None:
    kernel = TraceEvent("gemm", 5, 5, 9, 0, -1, 0, "cuda", 1)
    assert found([kernel]) == [Span("torch", "gemm", "", 5, 5, "gpu/1", 9)]
