"""Training over several processes: steps, sums of gradients and what is sent, on teams of ranks with a thread each."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import goals
from distributed_works import WORKS
from options import Options
from sides import ENVIRONMENT, HERE, OUR_ENVIRONMENT, Samples, Side, agreed, interleaved
from tables import best, goal_text, markdown, median, processor_text, ratio, ratio_text, time_text

TITLE = "Distributed training"
STEPS = {"mlp_2": ("mlp", 2), "mlp_4": ("mlp", 4), "lenet_2": ("lenet", 2), "lenet_4": ("lenet", 4)}
STEPS["resnet18_2"] = ("resnet18", 2)
GRADIENTS, COMPRESSION, GROWTH = "gradients_100MB", "compression", "ranks_and_sizes"
NAMES = (*STEPS, GRADIENTS, COMPRESSION, GROWTH)
MINE, TORCH = "ours", {"torch": "", "torch static": " static", "torch tuned": " tuned"}
RANKS = (1, 2, 4, 8)
SIZES = tuple(1024 * 4**power for power in range(9))  # bytes: 1 kB to 64 MB
TOLERANCE = 2e-3
FILES = {"ours": "distributed_gluon.py", "torch": "distributed_torch.py"}
RESULTS, FIGURES = HERE / "RESULTS.md", HERE / "results.json"
PARTS = ("Cost model", "Overlap")  # of the report, that cost_model.py and trace.py write
NOTES = (
    "- A side is a team of processes, a rank each, with one thread each, that sum over gloo on the loopback device; "
    "while one team works the other waits for its next request. The time of a team is that of its slowest rank.",
    "- Ours: hybridized, `Trainer(..., kvstore='dist_sync')`. Best of torch: the quickest of `DistributedDataParallel("
    "gradient_as_bucket_view=True, broadcast_buffers=False)`, with `static_graph=True`, and tuned (channels last, fused"
    " optimizer) too; the others update with `foreach`. SGD with momentum.",
    "- Every rank has data of its own: MLP 64 x 784, LeNet 32 x 1 x 28 x 28, ResNet-18 16 x 3 x 64 x 64. The weights "
    f"after each of the first steps agree within {TOLERANCE} with torch's, and over all ranks.",
    f"- {GRADIENTS}: `Trainer.allreduce_grads` of 40 gradients of mixed sizes that backward has written, against one "
    "`all_reduce` of as many bytes that lie together; only the call is timed.",
    f"- {COMPRESSION}: bytes that a rank sends in a step of LeNet, of 2 ranks.",
)


class _Rank(Side):
    """One process of a team."""

    def __init__(self, library: str, rank: int, size: int, port: int) -> None:
        self.name = f"{library}, rank {rank} of {size}"
        facts = {
            "RANK": rank,
            "WORLD_SIZE": size,
            "LOCAL_RANK": rank,
            "LOCAL_WORLD_SIZE": size,
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": port,
            "GLOO_SOCKET_IFNAME": "lo",
            "MXNET_KVSTORE_TIMEOUT": 120,
            **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), 1),
        }
        own = OUR_ENVIRONMENT if library == "ours" else {}
        env = {**os.environ, **ENVIRONMENT, **own, **{name: str(value) for name, value in facts.items()}}
        command = [sys.executable, str(HERE / FILES[library])]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def send(self, request: str) -> None:
        """Asks, without waiting for the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{request}\n")
        self._process.stdin.flush()

    def end_input(self) -> None:
        """Tells it to end: ranks leave their group together."""
        assert self._process.stdin is not None
        self._process.stdin.close()


class Team(Side):
    """Ranks that work together, asked as one side is: all get the request, and all answer.

    Args:
        library: 'ours' or 'torch'.
        size: how many ranks.
    """

    def __init__(self, library: str, size: int) -> None:
        self.name = f"{library}, {size} ranks"
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self._ranks = [_Rank(library, rank, size, port) for rank in range(size)]

    def ready(self) -> None:
        """Waits until all ranks have imported everything."""
        for rank in self._ranks:
            rank.ready()

    def close(self) -> None:
        """Ends all ranks."""
        for rank in self._ranks:
            rank.end_input()
        for rank in self._ranks:
            rank.close()

    def ask(self, request: str):
        """The time of the slowest rank and the processor's of all; else what rank 0 answers, weights being equal."""
        for rank in self._ranks:
            rank.send(request)
        answers = [rank._answer() for rank in self._ranks]
        if request.startswith("outcome") and any(answer != answers[0] for answer in answers):
            raise SystemExit(f"{request}: the ranks of {self.name} do not have the same results")
        first = answers[0]
        if isinstance(first, list) and not isinstance(first[0], list):
            return [max(clock for clock, _ in answers), sum(processor for _, processor in answers)]
        return first


@contextlib.contextmanager
def teams(size: int, *libraries: str) -> Iterator[dict[str, Team]]:
    """Teams of so many ranks, by library."""
    found: dict[str, Team] = {}
    try:
        for library in libraries:
            found[library] = Team(library, size)
        for team in found.values():
            team.ready()
        yield found
    finally:
        for team in found.values():
            team.close()


def _compared(found: dict[str, Team], work: str, rounds: int) -> Samples:
    """Steps of both sides, in turn."""
    requests: dict[str, tuple[Side, str]] = {MINE: (found["ours"], f"step {work}")}
    requests |= {name: (found["torch"], f"step {work}{mode}") for name, mode in TORCH.items()}
    agreed(requests, TOLERANCE)
    return interleaved(requests, rounds)


def _step_rows(rows: dict[str, Samples]) -> Iterator[list[str]]:
    for work, samples in rows.items():
        other = best(samples, set(samples) - {MINE})
        name = "flat" if work == GRADIENTS else other.partition(" ")[2] or "plain"
        yield [
            work,
            time_text(median(samples, MINE)),
            f"{time_text(median(samples, other))} {name}",
            ratio_text(samples, MINE, other),
            processor_text(samples, MINE, other),
            goal_text(ratio(samples, MINE, other), goals.DISTRIBUTED[work]),
        ]


def _growth(team: Team, size: int, rounds: int, curves: dict[str, dict[str, float]]) -> None:
    """Times of a sum against its size, and of our steps, with so many ranks."""
    sums = {f"all_reduce_{count}": (team, f"all_reduce {count}") for count in SIZES}
    steps = {f"step_{work}": (team, f"step {work}") for work in WORKS}
    samples = interleaved({**sums, **steps}, rounds)
    for name in samples:
        curves.setdefault(name, {})[str(size)] = median(samples, name)
    if size == 1:
        curves.update({f"parts_{work}": team.ask(f"parts {work}") for work in WORKS})


def _growth_rows(curves: dict[str, dict[str, float]]) -> Iterator[list[str]]:
    for name, times in curves.items():
        if name.startswith("all_reduce_"):
            size = int(name.rpartition("_")[2])
            label = f"sum of {size // 1024} kB" if size < 2**20 else f"sum of {size // 2**20} MB"
        elif name.startswith("step_"):
            label = f"step of {name[5:]}"
        else:
            continue
        yield [label, *(time_text(times[str(size)]) for size in RANKS)]


def _keep(options: Options, curves: dict[str, dict[str, float]]) -> None:
    """Has the figures written to results.json, where cost_model.py finds them, with those of groups not measured."""
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))["curves"] if FIGURES.exists() else {}
    options.curves.update({name: values for name, values in kept.items() if name not in options.curves})
    options.curves.update(curves)


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    works = options.works(NAMES)
    rows: dict[str, Samples] = {}
    sent: dict[str, float] = {}
    curves: dict[str, dict[str, float]] = {}
    for size in RANKS:
        steps = {name: work for name, (work, ranks) in STEPS.items() if ranks == size and name in works}
        pair = size == 2 and not {GRADIENTS, COMPRESSION}.isdisjoint(works)
        if not (steps or pair or GROWTH in works):
            continue
        with teams(size, *(("ours", "torch") if steps or pair else ("ours",))) as found:
            for name, work in steps.items():
                rows[name] = _compared(found, work, options.rounds)
            if size == 2 and GRADIENTS in works:
                requests: dict[str, tuple[Side, str]] = {name: (team, "gradients") for name, team in found.items()}
                agreed(requests, TOLERANCE)
                rows[GRADIENTS] = interleaved(requests, 2 * options.rounds)  # one call a sample
            if size == 2 and COMPRESSION in works:
                sent = {kind: found["ours"].ask(f"bytes {kind}") for kind in ("none", "2bit")}
            if GROWTH in works:
                _growth(found["ours"], size, options.fewer(3), curves)
    lines = []
    if rows:
        order = {name: rows[name] for name in NAMES if name in rows}
        lines += [*markdown(["work", MINE, "best of torch", "ours / it", "processor", "sought"], _step_rows(order)), ""]
    if sent:
        lines += [*_sent_table(sent), ""]
    if curves:
        _keep(options, curves)
        head = ["ours", *(f"{size} rank{'s' * (size > 1)}" for size in RANKS)]
        lines += ["Sums and steps against ranks:", "", *markdown(head, _growth_rows(curves)), ""]
    return [*lines, *NOTES, *([] if options.chosen else _other_parts())]


def _sent_table(sent: dict[str, float]) -> list[str]:
    share = sent["2bit"] / sent["none"]
    cells = [COMPRESSION, f"{sent['none']:,.0f}", f"{sent['2bit']:,.0f}", f"1 / {1 / share:.1f}"]
    sought = goals.DISTRIBUTED[COMPRESSION]
    verdict = f"<= 1 / {1 / sought:.0f}, {'met' if share <= sought else 'missed'}"
    return markdown(["work", "bytes of a step", "with 2 bits", "ratio", "sought"], [[*cells, verdict]])


def _split(section: str) -> tuple[str, dict[str, str]]:
    """A section as what comes before its parts, and the parts by their titles."""
    head, *texts = section.split("\n### ")
    return head.rstrip(), {text.partition("\n")[0]: f"### {text.rstrip()}" for text in texts}


def _section(path: Path) -> tuple[str, str, str]:
    """The report: what comes before this group's section, the section, what comes after."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    before, mark, rest = text.partition(f"\n## {TITLE}\n")
    section, following, after = rest.partition("\n## ")
    return before, f"{mark}{section}", f"{following}{after}"


def _other_parts() -> list[str]:
    """What cost_model.py and trace.py wrote; it stays until they are run again."""
    parts = _split(_section(RESULTS)[1])[1]
    return [line for title in PARTS if title in parts for line in ("", parts[title])]


def put_part(title: str, lines: Sequence[str]) -> None:
    """Writes a part of this group's section, in place of an earlier one of this title."""
    before, section, after = _section(RESULTS)
    if not section:
        raise SystemExit(f"{RESULTS.name} has no section on distributed training: run the group `distributed` first")
    head, parts = _split(section)
    parts[title] = "\n".join([f"### {title}", "", *lines])
    texts = [head, *(parts[name] for name in PARTS if name in parts)]
    RESULTS.write_text(before + "\n" + "\n\n".join(texts).lstrip("\n") + "\n" + after, encoding="utf-8")
