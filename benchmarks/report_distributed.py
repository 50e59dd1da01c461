"""Report training over several processes: steps, sums of gradients and bytes sent, on ranks with one thread each."""

import contextlib
import json
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import goals
from sides import HERE, Options, Requests, Samples, Side, check_agreement, interleaved, thread_variables
from tables import best, goal_text, markdown, median, processor_text, ratio, ratio_text, time_text
from workloads import GROUPS, MINE, RANK_ROWS, RANK_STEPS, RANKS, SUM_SIZES, Workload, format_size, select

GRADIENTS, COMPRESSION, GROWTH = "gradients_100MB", "compression", "ranks_and_sizes"
TOLERANCE = 2e-3
COMMANDS = {
    "ours": (sys.executable, str(HERE / "distributed_mxnet.py")),
    "torch": (sys.executable, str(HERE / "adapter_torch.py"), "ranks"),
}
RESULTS, FIGURES = HERE / "RESULTS.md", HERE / "results.json"
PARTS = ("Cost model", "Overlap")  # of the section, written by cost_model.py and trace.py
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
        facts = {
            "RANK": rank,
            "WORLD_SIZE": size,
            "LOCAL_RANK": rank,
            "LOCAL_WORLD_SIZE": size,
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": port,
            "GLOO_SOCKET_IFNAME": "lo",
            "MXNET_KVSTORE_TIMEOUT": 120,
            **thread_variables(1),
        }
        variables = {name: str(value) for name, value in facts.items()}
        self._start(f"{library}, rank {rank} of {size}", library, COMMANDS[library], variables)


class Team(Side):
    """Ranks that work together and are asked as one side: all get the request, and all answer.

    Args:
        library: "ours" or "torch".
        size: number of ranks.
    """

    def __init__(self, library: str, size: int) -> None:
        self.name = f"{library}, {size} ranks"
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self._ranks = [_Rank(library, rank, size, port) for rank in range(size)]

    def ready(self) -> None:
        """Wait until all ranks have imported everything."""
        for rank in self._ranks:
            rank.ready()

    def close(self) -> None:
        """End all ranks; they leave their group together."""
        for rank in self._ranks:
            rank.end_input()
        for rank in self._ranks:
            rank.close()

    def ask(self, request: str):
        """Return the time of the slowest rank and the processor's of all; of other requests the answer of rank 0."""
        for rank in self._ranks:
            rank.send(request)
        answers = [rank.receive() for rank in self._ranks]
        if request.startswith("outcome") and any(answer != answers[0] for answer in answers):
            raise SystemExit(f"{request}: the ranks of {self.name} do not have the same results")
        first = answers[0]
        if isinstance(first, list) and not isinstance(first[0], list):
            return [max(clock for clock, _ in answers), sum(processor for _, processor in answers)]
        return first


@contextlib.contextmanager
def teams(size: int, *libraries: str) -> Iterator[dict[str, Team]]:
    """Start teams of so many ranks and yield them by library."""
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


def _compare(workload: Workload, found: dict[str, Team], rounds: int) -> Samples:
    """Check that the teams agree, then take samples of all modes in turn."""
    requests: Requests = {name: (found[name.split()[0]], request) for name, request in workload.requests.items()}
    check_agreement(requests, TOLERANCE)
    return interleaved(requests, rounds)


def _step_rows(rows: dict[str, Samples]) -> Iterator[list[str]]:
    for name, samples in rows.items():
        other = best(samples, set(samples) - {MINE})
        mode = "flat" if name == GRADIENTS else other.partition(" ")[2] or "plain"
        yield [
            name,
            time_text(median(samples, MINE)),
            f"{time_text(median(samples, other))} {mode}",
            ratio_text(samples, MINE, other),
            processor_text(samples, MINE, other),
            goal_text(ratio(samples, MINE, other), goals.DISTRIBUTED[name]),
        ]


def _measure_growth(team: Team, size: int, rounds: int, curves: dict[str, dict[str, float]]) -> None:
    """Add the times of sums and of our steps on so many ranks to the curves."""
    sums = {f"all_reduce_{count}": (team, f"all_reduce {count}") for count in SUM_SIZES}
    steps = {f"step_{step}": (team, f"step {step}") for step in RANK_STEPS}
    samples = interleaved({**sums, **steps}, rounds)
    for name in samples:
        curves.setdefault(name, {})[str(size)] = median(samples, name)
    if size == 1:
        curves.update({f"parts_{step}": team.ask(f"parts {step}") for step in RANK_STEPS})


def _growth_rows(curves: dict[str, dict[str, float]]) -> Iterator[list[str]]:
    for name, times in curves.items():
        if name.startswith("all_reduce_"):
            label = f"sum of {format_size(int(name.rpartition('_')[2]))}"
        elif name.startswith("step_"):
            label = f"step of {name[5:]}"
        else:
            continue
        yield [label, *(time_text(times[str(size)]) for size in RANKS)]


def _keep(options: Options, curves: dict[str, dict[str, float]]) -> None:
    """Add curves to those that results.json gets, where cost_model.py reads them, and keep those of other groups."""
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))["curves"] if FIGURES.exists() else {}
    options.curves.update({name: values for name, values in kept.items() if name not in options.curves})
    options.curves.update(curves)


def report(options: Options) -> list[str]:
    """Measure the group and return its section as lines of Markdown."""
    workloads = options.select(select("distributed"))
    rows: dict[str, Samples] = {}
    sent: dict[str, float] = {}
    curves: dict[str, dict[str, float]] = {}
    for size in RANKS:
        steps = [name for name, (_, ranks) in RANK_ROWS.items() if ranks == size and name in workloads]
        is_pair = size == 2 and not {GRADIENTS, COMPRESSION}.isdisjoint(workloads)
        if not (steps or is_pair or GROWTH in workloads):
            continue
        with teams(size, *(("ours", "torch") if steps or is_pair else ("ours",))) as found:
            for name in steps:
                rows[name] = _compare(workloads[name], found, options.rounds)
            if size == 2 and GRADIENTS in workloads:
                rows[GRADIENTS] = _compare(workloads[GRADIENTS], found, 2 * options.rounds)  # one call per sample
            if size == 2 and COMPRESSION in workloads:
                sent = {kind: found["ours"].ask(f"bytes {kind}") for kind in ("none", "2bit")}
            if GROWTH in workloads:
                _measure_growth(found["ours"], size, options.fewer(3), curves)
    lines = []
    if rows:
        order = {name: rows[name] for name in workloads if name in rows}
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
    """Split a section into the text before its parts, and the parts by title."""
    head, *texts = section.split("\n### ")
    return head.rstrip(), {text.partition("\n")[0]: f"### {text.rstrip()}" for text in texts}


def _section(path: Path) -> tuple[str, str, str]:
    """Split the report into the text before this group's section, the section, and the text after it."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    before, mark, rest = text.partition(f"\n## {GROUPS['distributed']}\n")
    section, following, after = rest.partition("\n## ")
    return before, f"{mark}{section}", f"{following}{after}"


def _other_parts() -> list[str]:
    """Return the parts that cost_model.py and trace.py wrote; they stay until these are run again."""
    parts = _split(_section(RESULTS)[1])[1]
    return [line for title in PARTS if title in parts for line in ("", parts[title])]


def put_part(title: str, lines: Sequence[str]) -> None:
    """Write a part of this group's section in place of an earlier one with this title."""
    before, section, after = _section(RESULTS)
    if not section:
        raise SystemExit(f"{RESULTS.name} has no section on distributed training: run the group `distributed` first")
    head, parts = _split(section)
    parts[title] = "\n".join([f"### {title}", "", *lines])
    texts = [head, *(parts[name] for name in PARTS if name in parts)]
    RESULTS.write_text(before + "\n" + "\n\n".join(texts).lstrip("\n") + "\n" + after, encoding="utf-8")
