"""Where a node comes from, and how problems are listed."""

from types import SimpleNamespace

from regluon.convert.torch_export.conversion_errors import Problem, place_of, report

TRACE = """
  File "/home/me/torch/net.py", line 12, in forward
    y = self.block(x)
  File "/usr/lib/python3/site-packages/torch/nn/modules/module.py", line 1790, in forward
    return call()
"""


def node(**meta):
    return SimpleNamespace(name="add_3", meta=meta)


def test_places():
    assert place_of(node(stack_trace=TRACE)) == "/home/me/torch/net.py:12 in forward: y = self.block(x)"
    stack = {"a": ("", "Net"), "b": ("layer1.0", "torch.nn.modules.linear.Linear")}
    assert place_of(node(nn_module_stack=stack)) == "layer layer1.0 (torch.nn.modules.linear.Linear)"
    assert place_of(node()) == "node add_3"


def test_reports_count_and_shorten():
    problems = [Problem("aten.a.default", "no", f"net.py:{line}") for line in (1, 1, 2, 3, 4, 5)]
    problems.append(Problem("aten.b.default", "never", "net.py:9"))
    lines = str(report(problems, 20)).splitlines()
    assert lines[:-1] == [
        "[from_exported_program] 7 of 20 nodes cannot be converted:",
        "  aten.a.default, 6 times: no",
        "    at net.py:1",
        "    at net.py:2",
        "    at net.py:3",
        "    and at 2 more places",
        "  aten.b.default, once: never",
        "    at net.py:9",
    ]
