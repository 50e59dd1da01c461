"""Single operators of detection, sequences, sparse arrays and training, against the real MXNet."""

import statistics

from options import Options
from sides import compared, started
from tables import ratio, table

TITLE = "Operators"
NAMES = (
    "box_nms",
    "ROIAlign",
    "MultiBoxTarget",
    "CTCLoss",
    "topk",
    "sort",
    "sparse_dot",
    "sparse_dot_transposed",
    "sparse_embedding_step",
    "multi_sgd",
)


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    with started("ours", "MXNet") as sides:
        rows = {
            workload: compared({name: (side, workload) for name, side in sides.items()}, options.fewer(3))
            for workload in options.works(NAMES)
        }
    lines = table(rows, ("ours", "MXNet"), (("ours", "MXNet"),), dict.fromkeys(NAMES, (1.0,)))
    if all("MXNet" in samples for samples in rows.values()):
        mean = statistics.geometric_mean(ratio(samples, "ours", "MXNet") for samples in rows.values())
        lines += ["", f"- Geometric mean of the ratios: {mean:.2f}; sought: at most {1 / 1.5:.2f}."]
    return lines
