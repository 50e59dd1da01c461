"""How costs grow: with the depth of a network, its nodes, its parameters, the batch, the shapes of data, a file."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import goals
from networks import BATCHES, DEPTHS, GROWTH
from options import Options
from sides import Samples, compared, started
from tables import goal_text, markdown, median, ratio_text, time_text

TITLE = "Growth of cost"
DEEPEST = 5000
STEPS = (*GROWTH, f"depth_{DEEPEST}")
# Of these the largest should take as many times as long as it is larger, or as long as the smallest.
LINEAR = {"first_step": (1000, 10000), "tojson": (1000, 10000)}
FLAT = {"unused": (10, 10000), "unused_eager": (10, 10000)}
SIZES = {
    **{f"{kind}_{size}": f"{kind} {size}" for kind, sizes in LINEAR.items() for size in sizes},
    **{f"unused_{size}": f"unused_parameters {size} hybridized" for size in FLAT["unused"]},
    **{f"unused_eager_{size}": f"unused_parameters {size} eager" for size in FLAT["unused_eager"]},
}
SHAPES = 1000
NAMES = (*STEPS, *SIZES, "load_large", "many_shapes")
MODES = {"ours": "eager", "ours hybridized": "hybridized", "torch": "eager", "MXNet static": "static"}
MINE = "ours hybridized"
_file = {"megabytes": 2000}


def use_file_of(megabytes: int) -> None:
    """How large a file `load_large` writes and loads."""
    _file["megabytes"] = megabytes


def _rows(found: dict[str, Samples], first: dict[str, dict[str, float]]) -> Iterator[list[str]]:
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


def _times(found: dict[str, Samples], kind: str, sizes: tuple[int, ...]) -> dict[str, float]:
    """By side, how many times longer the largest takes than the smallest."""
    small, large = found.get(f"{kind}_{sizes[0]}"), found.get(f"{kind}_{sizes[-1]}")
    if not (small and large):
        return {}
    return {name: median(large, name) / median(small, name) for name in small}


def _grown(found: dict[str, Samples], kind: str, sizes: tuple[int, ...], mine: str, goal: float | None) -> list[str]:
    times = _times(found, kind, sizes)
    if not times:
        return []
    grown = ", ".join(f"{value:.{0 if value > 9 else 1}f} ({name})" for name, value in times.items())
    sought = f" Sought for {mine}: {goal_text(times[mine], goal)}." if goal else ""
    return [
        f"- From {kind} {sizes[0]:,} to {sizes[-1]:,}, {sizes[-1] // sizes[0]:,} times as large, it takes so many "
        f"times as long: {grown}.{sought}"
    ]


def _steps_report(options: Options, works: list[str]) -> list[str]:
    """Training steps, in every mode."""
    found, first = {}, {}
    with started(*options.modes(tuple(MODES), [MINE])) as sides:
        for work in works:
            asked = f"deep {DEEPEST}" if work == f"depth_{DEEPEST}" else f"network {work}"
            requests = {name: (side, f"{asked} {MODES[name]}") for name, side in sides.items()}
            first[work] = {name: side.ask(f"first {request}") for name, (side, request) in requests.items()}
            found[work] = compared(requests, options.fewer(2))
    for work, samples in found.items():
        options.curves[work] = {name: median(samples, name) for name in samples}
    head = ["work", *(f"{name}, its first step" for name in MODES), f"{MINE} / torch", f"{MINE} / MXNet static"]
    depths = (*DEPTHS, DEEPEST)
    return [
        *markdown(head, _rows(found, first)),
        "",
        *_grown(found, "depth", depths, MINE, goals.LINEAR * DEEPEST / DEPTHS[0]),
        *_grown(found, "batch", BATCHES, MINE, None),
        "- Training steps: depth is that of a chain of dense layers of 32 units, batch 8; batch is that of LeNet.",
        "",
    ]


def _size_rows(found: dict[str, Samples]) -> Iterator[list[str]]:
    for work, samples in found.items():
        mine = median(samples, "ours")
        times = [time_text(median(samples, name)) if name in samples else "-" for name in ("ours", "MXNet")]
        yield [work, *times, ratio_text(samples, "ours", "MXNet"), goal_text(mine, goals.GROWTH.get(work))]


def _sizes_report(options: Options, works: list[str]) -> list[str]:
    """What is done once with a network, and what should not depend on its size."""
    with started("ours", "MXNet") as sides:
        found = {
            work: compared({name: (side, SIZES[work]) for name, side in sides.items()}, options.fewer(3))
            for work in works
        }
    return [
        *markdown(["work", "ours", "MXNet", "ours / MXNet", "seconds sought"], _size_rows(found)),
        "",
        *(
            line
            for kind, sizes in LINEAR.items()
            for line in _grown(found, kind, sizes, "ours", goals.LINEAR * sizes[-1] / sizes[0])
        ),
        *(line for kind, sizes in FLAT.items() for line in _grown(found, kind, sizes, "ours", goals.FLAT)),
        "- first_step: the first recorded call of a hybridized network of so many operators, and its backward. "
        "tojson: its graph as text. unused: a call of a network that has so many parameters more than it needs.",
    ]


def _load_report() -> list[str]:
    """Each side in a fresh process, with the file that ours writes."""
    lines, megabytes = [], _file["megabytes"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.params"
        with started("ours") as sides:
            sides["ours"].ask(f"save_large {megabytes} {path}")
        for name in ("ours", "MXNet"):
            with started(name) as sides:
                lines += [(name, *side.ask(f"load_large {path}")) for side in sides.values()]
    grown = ", ".join(
        f"{own:.0f} MB, {all_of_it:.0f} in {seconds:.2f} s ({name})" for name, own, all_of_it, seconds in lines
    )
    return [
        f"- A file of {megabytes:,} MB is loaded, and one element of each of its 100 arrays read: the process grows by "
        f"so much, and so much with pages of the file, which the system may drop: {grown}. Sought, "
        f"in MB: {goal_text(lines[0][1], goals.LOAD_MEMORY)}."
    ]


def _shapes_report() -> list[str]:
    found = {}
    for name in ("ours", "MXNet"):
        with started(name) as sides:
            found |= {name: side.ask(f"many_shapes {SHAPES}") for name, side in sides.items()}
    grown = ", ".join(
        f"{size:.0f} MB, {time_text(seconds)} for each ({name})" for name, (size, seconds) in found.items()
    )
    return [
        f"- Images of {SHAPES:,} shapes through one hybridized network: the process grows by {grown}. Sought, in MB: "
        f"{goal_text(found['ours'][0], goals.SHAPES_MEMORY)}."
    ]


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    works, lines = options.works(NAMES), []
    if steps := [work for work in works if work in STEPS]:
        lines += _steps_report(options, steps)
    if sizes := [work for work in works if work in SIZES]:
        lines += _sizes_report(options, sizes)
    if "load_large" in works:
        lines += _load_report()
    if "many_shapes" in works:
        lines += _shapes_report()
    return lines
