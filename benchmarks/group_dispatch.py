"""Small eager calls: what each costs besides its arithmetic."""

import goals
from options import Options
from sides import compared, started
from tables import table

TITLE = "Eager calls"
# Operators that take more than arrays; each is measured alone, and with its backward.
CALLS = (
    "sum_axis",
    "mean_axis",
    "fully_connected",
    "reshape",
    "transpose",
    "slice",
    "concat",
    "softmax",
    "clip",
    "relu",
    "activation",
)
BACKWARD = tuple(f"{name}_backward" for name in CALLS)
NAMES = (
    "add",
    "recorded_add",
    "add_scalar",
    "mul_chain",
    "recorded_mul_chain",
    "backward_step",
    *CALLS,
    *BACKWARD,
    "eager_network",
)
SOUGHT = {**goals.DISPATCH, **dict.fromkeys(CALLS, goals.CALL), **dict.fromkeys(BACKWARD, goals.CALL_BACKWARD)}


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    rows = {}
    with started("ours", "torch", "MXNet") as sides:
        for work in options.works(NAMES):
            rows[work] = compared({name: (side, work) for name, side in sides.items()}, options.rounds)
    sought = {work: (goal.torch, goal.mxnet) for work, goal in SOUGHT.items()}
    return [
        *table(rows, ("ours", "torch", "MXNet"), (("ours", "torch"), ("ours", "MXNet")), sought),
        "",
        "- Seconds of one call on arrays of 3 x 4 (mul_chain: of eight products; fully_connected: 4 x 16, 16 units).",
        "- With backward: the call while autograd records, and the backward of it alone.",
        "- eager_network: a training step of a loop in Python over about 60 small operators; batch 8, width 32.",
        "- MXNet hands its calls to threads of its engine: the clock stops when all results are there.",
    ]
