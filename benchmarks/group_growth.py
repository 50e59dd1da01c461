"""How the cost of a training step grows: with the depth of a network, and with the batch."""

from networks import BATCHES, DEPTHS, GROWTH
from options import Options
from sides import Samples, compared, started
from tables import markdown, median, ratio_text, time_text

TITLE = "Growth of cost"
NAMES = tuple(GROWTH)
MODES = {"ours": "eager", "ours hybridized": "hybridized", "torch": "eager", "MXNet static": "static"}
MINE = "ours hybridized"


def _rows(found: dict[str, Samples], first: dict[str, dict[str, float]]):
    for work, samples in found.items():
        yield [
            work,
            *(
                f"{time_text(median(samples, name))}, {first[work][name]:.2f} s" if name in samples else "-"
                for name in MODES
            ),
            ratio_text(samples, MINE, "torch"),
            ratio_text(samples, MINE, "MXNet static"),
        ]


def _grown(found: dict[str, Samples], kind: str, sizes: tuple[int, ...]) -> list[str]:
    """How many times longer the largest takes than the smallest."""
    small, large = found.get(f"{kind}_{sizes[0]}"), found.get(f"{kind}_{sizes[-1]}")
    if not (small and large):
        return []
    grown = ", ".join(f"{median(large, name) / median(small, name):.0f} ({name})" for name in MODES if name in small)
    return [
        f"- From {kind} {sizes[0]} to {sizes[-1]:,}, {sizes[-1] // sizes[0]:,} times as large, a step takes so many "
        f"times as long: {grown}."
    ]


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    found, first = {}, {}
    with started(*options.modes(tuple(MODES), [MINE])) as sides:
        for work in options.works(NAMES):
            requests = {name: (side, f"network {work} {MODES[name]}") for name, side in sides.items()}
            first[work] = {name: side.ask(f"first {request}") for name, (side, request) in requests.items()}
            found[work] = compared(requests, options.fewer(2))
    for work, samples in found.items():
        options.curves[work] = {name: median(samples, name) for name in samples}
    head = ["work", *(f"{name}, its first step" for name in MODES), f"{MINE} / torch", f"{MINE} / MXNet static"]
    return [
        *markdown(head, _rows(found, first)),
        "",
        *_grown(found, "depth", DEPTHS),
        *_grown(found, "batch", BATCHES),
        "- Training steps: depth is that of a chain of dense layers of 32 units, batch 8; batch is that of LeNet.",
    ]
