"""Small eager calls: what each costs besides its arithmetic."""

import goals
from options import Options
from sides import compared, started
from tables import table

TITLE = "Eager calls"
NAMES = (
    "add",
    "recorded_add",
    "add_scalar",
    "mul_chain",
    "recorded_mul_chain",
    "small_fc",
    "recorded_small_fc",
    "operator_call",
    "backward_step",
)


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    rows = {}
    with started("ours", "torch", "MXNet") as sides:
        for work in options.works(NAMES):
            rows[work] = compared({name: (side, work) for name, side in sides.items()}, options.rounds)
    sought = {work: (goal.torch, goal.mxnet) for work, goal in goals.DISPATCH.items()}
    return [
        *table(rows, ("ours", "torch", "MXNet"), (("ours", "torch"), ("ours", "MXNet")), sought),
        "",
        "- Seconds of one call on arrays of 3 x 4 (mul_chain: of eight products; small_fc: 4 x 16, 16 units).",
        "- MXNet hands its calls to threads of its engine: the clock stops when all results are there.",
    ]
