"""Where Symbol programs differ from MXNet 1.9.1 on purpose: what they give here and what MXNet gives."""

import json
from typing import Any, NamedTuple

from tests.expected import Gives, Raises


class Difference(NamedTuple):
    """What a program gives here and in MXNet, and why. A function as the value accepts or refuses the result."""

    reason: str
    ours: Gives | Raises
    theirs: Gives | Raises


def counts_writes(count: int) -> Gives:
    """Return the result whose saved graph counts so many writes to each of the two states of BatchNorm."""

    def accepts(value: Any) -> bool:
        (batch_norm,) = (node for node in json.loads(value["symbol"])["nodes"] if node["op"] == "BatchNorm")
        return [entry[2] for entry in batch_norm["inputs"]] == [0, 0, 0, count, count]

    return Gives(accepts)


NEGATIVE = "negative indices of outputs count from the end, as in Python; MXNet refuses them"
KNOWN = "shapes of loops and branches are inferred from the input alone; MXNet leaves them unknown"
UNKNOWN_LENGTH = "a product or sum with an unknown length (0) is unknown, and one without it is known"
UNKNOWN = (None, None, None)

DIFFERENCES: dict[str, Difference] = {
    "composing-lists-10": Difference(NEGATIVE, Gives("softmax"), Raises("MXNetError")),
    "composing-picking-3": Difference(NEGATIVE, Gives(["s_output2"]), Raises("MXNetError")),
    "composing-calling-8": Difference(
        "the saved graph counts writes to a state once for each operator in it; MXNet also counts its composition",
        counts_writes(1),
        counts_writes(2),
    ),
    "dtypes-spreading-29": Difference(
        "infer_type gives None for unknown dtypes; MXNet raises for an unknown dtype of an index",
        Gives(UNKNOWN),
        Raises("MXNetError"),
    ),
    "control-cond-5": Difference(KNOWN, Gives(([(1,), (1,)], [(1,)], [])), Gives(UNKNOWN)),
    "control-inferring-5": Difference(KNOWN, Gives(([(2, 2)], [(4, 2, 2)], [])), Gives(UNKNOWN)),
    "control-inferring-6": Difference(KNOWN, Gives(([(2, 2)], [(2, 2)], [])), Gives(UNKNOWN)),
    "control-running-1": Difference(
        "a while_loop without steps gives max_iterations rows of zeros; MXNet refuses it",
        Gives((2, 1)),
        Raises("MXNetError"),
    ),
    "shapes-both_ways-28": Difference(
        UNKNOWN_LENGTH, Gives(([(2, 3), (2, 0)], [(2, 0)], [])), Gives(([(2, 3), (2, 0)], [(2, 3)], []))
    ),
    "shapes-reshaping-1": Difference(
        "a reshape that changes the number of elements is refused; MXNet infers a shape that fails when it runs",
        Raises("OpShapeError", "[Reshape] received data float32(3, 5): cannot reshape 15 elements of shape (3, 5)"),
        Gives(([(3, 5)], [(2, 15 // 2)], [])),
    ),
    "shapes-reshaping-9": Difference(
        UNKNOWN_LENGTH, Gives(([(0, 6, 2)], [(0, 6 * 2)], [])), Gives(([(0, 6, 2)], [(0, 0)], []))
    ),
    "shapes-reshaping-15": Difference(
        UNKNOWN_LENGTH, Gives(([(0, 6, 2)], [(0, 6 * 2)], [])), Gives(([(0, 6, 2)], [()], []))
    ),
}
