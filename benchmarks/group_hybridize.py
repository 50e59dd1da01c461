"""Training steps of hybridized networks, and how long the first call takes."""

import statistics

from sides import compared, started
from tables import table

TITLE = "Hybridized networks"
STEPS = ("mlp_step", "lenet_step")
RATIOS = (("ours hybridized", "ours"), ("ours hybridized", "torch"), ("ours hybridized", "MXNet hybridized"))
GOALS = {"mlp_step": (None, None, None), "lenet_step": (1.0, None, None)}


def _first_calls(network: str, rounds: int) -> str:
    """The median of fresh processes, one for each call."""
    samples: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name in ("ours", "MXNet"):
            with started(name) as sides:
                for side in sides.values():
                    samples.setdefault(name, []).append(side.ask(f"first_call {network}"))
    return ", ".join(f"{statistics.median(seconds):.3f} s ({name})" for name, seconds in samples.items())


def report(rounds: int) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    rows = {}
    with started("ours", "torch", "MXNet") as sides:
        for step in STEPS:
            requests = {name: (side, step) for name, side in sides.items()}
            requests |= {
                f"{name} hybridized": (side, f"{step}_hybridized") for name, side in sides.items() if name != "torch"
            }
            rows[step] = compared(requests, rounds)
    columns = ("ours", "ours hybridized", "torch", "MXNet", "MXNet hybridized")
    calls = {network: _first_calls(network, 3) for network in ("mlp", "lenet")}
    return [
        *table(rows, columns, RATIOS, GOALS),
        "",
        "- First call of a hybridized network in a fresh process: "
        + "; ".join(f"{network} {text}" for network, text in calls.items())
        + "; sought: below 0.5 s.",
    ]
