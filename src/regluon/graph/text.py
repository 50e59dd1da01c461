"""Graphs as text to look at."""

from collections.abc import Sequence

from .node import Entry, Writes, in_order

_RULE = "-" * 20


def debug_text(heads: Sequence[Entry]) -> str:
    """Every node with its inputs and attributes, in the layout of MXNet's `debug_str`."""
    if len(heads) == 1 and heads[0].node.is_variable:
        return f"Variable:{heads[0].node.name}\n"
    writes = Writes()
    lines = ["Symbol Outputs:"]
    lines += [f"\toutput[{place}]={head.node.name}({head.index})" for place, head in enumerate(heads)]
    for node in in_order(heads):
        if node.is_variable:
            lines.append(f"Variable:{node.name}")
            continue
        writes.note(node)
        lines += [_RULE, f"Op:{node.op_name}, Name={node.name}", "Inputs:"]
        for place, source in enumerate(node.inputs):
            version = f" version={writes.version(source)}" if source.node.is_variable else ""
            lines.append(f"\targ[{place}]={source.node.name}({source.index}){version}")
        if node.attrs:
            lines.append("Attrs:")
            lines += [f"\t{key}={node.attrs[key]}" for key in sorted(node.attrs)]
    return "\n".join(lines) + "\n"
