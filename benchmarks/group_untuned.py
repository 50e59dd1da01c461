"""Networks and shapes that nothing was tuned with: whether what was gained elsewhere holds for them, too."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import goals
from options import Options
from sides import Samples, Side, compared, started
from tables import against, markdown, median, summary, time_text
from untuned import UNTUNED

TITLE = "Untuned networks"
NAMES = tuple(UNTUNED)
MODES = {
    "ours hybridized": "hybridized",
    "torch": "eager",
    "torch tuned": "tuned",
    "MXNet hybridized": "hybridized",
    "MXNet static": "static",
}
MINE = "ours hybridized"
LIBRARIES = {library: [name for name in MODES if name.startswith(library)] for library in ("torch", "MXNet")}
TOLERANCE = 2e-3
NOTES = (
    "- Nothing in this library was written or tuned with these networks and shapes. One that it is tuned with goes.",
    "- Best of torch: the quicker of eager and tuned (channels last, fused optimizer). Best of MXNet: the quicker of "
    "`hybridize()` and `hybridize(static_alloc=True, static_shape=True)`.",
    "- torch's networks are written from the graph of Gluon's. All sides begin with the same parameters; outputs and "
    f"losses of the first steps agree within {TOLERANCE}.",
)


def _measured(work: str, options: Options, source: Side, folder: Path) -> Samples:
    path = folder / f"{work}.json"
    path.write_text(json.dumps(source.ask(f"untuned_graph {work}")), encoding="utf-8")
    with started(*options.modes(tuple(MODES), [MINE])) as sides:
        requests = {name: (side, f"untuned {work} {MODES[name]} {path}") for name, side in sides.items()}
        return compared(requests, options.fewer(2), TOLERANCE)


def _rows(found: dict[str, Samples]) -> Iterator[list[str]]:
    for work, samples in found.items():
        cells = [cell for names in LIBRARIES.values() for cell in against(samples, MINE, names, None)[:-1]]
        shape = " x ".join(map(str, UNTUNED[work].shape))
        yield [work, shape, time_text(median(samples, MINE)), *cells]


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    with started("ours") as sides, tempfile.TemporaryDirectory() as folder:
        found = {work: _measured(work, options, sides["ours"], Path(folder)) for work in options.works(NAMES)}
    head = ["work", "data", MINE]
    for library in LIBRARIES:
        head += [f"best of {library}", "ours / it", "processor"]
    return [
        *markdown(head, _rows(found)),
        "",
        *summary(found, MINE, LIBRARIES, goals.UNTUNED_MEAN, goals.UNTUNED_WORST),
        *NOTES,
    ]
