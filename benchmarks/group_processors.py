"""Other processors, as far as one machine can stand for them: fewer instructions, other numbers of threads."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import goals
from options import Options
from predicting import NETWORKS as PREDICTING
from sides import OUR_ENVIRONMENT, PASSIVE, Samples, Side, agreed, compared, environment, interleaved, started, threads
from tables import against, goal_text, markdown, median, rate_text, spread_text, time_text

TITLE = "Processors"
MODES = {"ours hybridized": "hybridized", "torch": "eager", "torch tuned": "tuned"}
MINE, OTHERS = "ours hybridized", ("torch", "torch tuned")
TOLERANCE = 2e-3


class Limit(NamedTuple):
    """Instructions that all sides are limited to.

    Args:
        flag: the name that Linux has for them.
        capability: the name that torch has for them.
        level: that our kernels are compiled for.
        onednn: the name that oneDNN has for them.
        mkl: the name that MKL has for them.
    """

    flag: str
    capability: str
    level: str
    onednn: str
    mkl: str

    @property
    def variables(self) -> dict[str, str]:
        """What tells the libraries so."""
        return {
            "ATEN_CPU_CAPABILITY": self.capability.lower(),
            "ONEDNN_MAX_CPU_ISA": self.onednn,
            "MKL_ENABLE_INSTRUCTIONS": self.mkl,
            "MXNET_NATIVE": self.level,
        }


LIMITS = {
    "sse4": Limit("sse4_2", "DEFAULT", "x86-64-v2", "SSE41", "SSE4_2"),
    "avx2": Limit("avx2", "AVX2", "x86-64-v3", "AVX2", "AVX2"),
    "avx512": Limit("avx512f", "AVX512", "x86-64-v4", "AVX512_CORE", "AVX512"),
}
COUNTS = (1, 2, 4, 8)  # of threads
PREDICTING_THREADS = 10
AT_LIMITS = (
    "mlp_train",
    "lenet_train",
    "resnet18_infer_8",
    "resnet18_train",
    "mobilenet_infer_1",
    "lstm_train",
    "transformer_train",
)
WITH_THREADS = ("mlp_train", "lenet_train", "resnet18_infer_8", "lstm_train")
NAMES = (
    *(f"{work}_{limit}" for limit in LIMITS for work in AT_LIMITS),
    *(f"{work}_threads_{count}" for count in COUNTS for work in WITH_THREADS),
    *(f"predicting_{network}" for network in PREDICTING),
)
NOTES = (
    "- Best of torch: the quicker of eager and tuned (channels last, fused optimizer). `torch.compile` is left out: it "
    "compiles for the machine at hand whatever the limit is.",
    f"- All sides begin with the same parameters; outputs and losses of the first steps agree within {TOLERANCE}.",
    "- Choices between kernels are made afresh for every limit, by a process before those that are measured.",
    "- MKL, which has the products of both sides, follows its limit on processors of Intel only.",
    f"- Above {os.cpu_count()} threads, the number of cores here, threads of all sides wait without spinning.",
    f"- predicting: {PREDICTING_THREADS} Python threads call one network, each with an image of its own, one thread "
    "an operator; torch's module in eager mode under `no_grad`. Times: calls a second of all threads, against those "
    "of one.",
)


def _has(limit: Limit) -> bool:
    known = Path("/proc/cpuinfo")
    return known.exists() and limit.flag in known.read_text(encoding="utf-8").split()


def _python(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    env = {**os.environ, **OUR_ENVIRONMENT, **variables}
    return subprocess.run([sys.executable, *arguments], env=env, check=False, capture_output=True, text=True)


@contextlib.contextmanager
def _fresh_home() -> Iterator[None]:
    """For sides: our compiled kernels, but no choices between kernels: every setting makes its own."""
    native = _python("-c", "from mxnet.base import kept_folder; print(kept_folder('native') or '')").stdout.strip()
    with tempfile.TemporaryDirectory() as home:
        if native:
            Path(home, "native").symlink_to(native)
        with environment({"MXNET_HOME": home}):
            yield


def _measured(works: list[str], options: Options) -> dict[str, Samples]:
    """Steps of networks under the variables that are set."""
    with started(MINE) as first:
        for work in works:
            first[MINE].ask(f"outcome network {work} {MODES[MINE]}")
    found = {}
    with started(*options.modes(tuple(MODES), [MINE])) as sides:
        for work in works:
            requests = {name: (side, f"network {work} {MODES[name]}") for name, side in sides.items()}
            found[work] = compared(requests, options.fewer(2), TOLERANCE)
    return found


def _onednn(variables: Mapping[str, str]) -> str:
    """The instructions that oneDNN says it uses."""
    code = "import torch; x = torch.rand(8, 64, 32, 32); torch.conv2d(x, torch.rand(64, 64, 3, 3))"
    lines = _python("-c", code, **variables, ONEDNN_VERBOSE="1").stdout.splitlines()
    return next((line.partition("isa:")[2] for line in lines if "isa:" in line), "nothing")


def _obeyed(name: str, limit: Limit) -> str:
    """What sides use under a limit; ends the run if it is not that."""
    is_compiled = not _python("-m", "regluon.native", "--level", limit.level).returncode
    with started(MINE, "torch") as sides:
        used = {side: process.ask("instructions") for side, process in sides.items()}
    ours, _, kernels = used[MINE].partition(" ")
    if {ours, used["torch"]} != {limit.capability} or (is_compiled and not kernels.endswith(limit.level)):
        raise SystemExit(f"{name}: sides are not limited to {limit}: {used}")
    return f"- {name}: ATen {ours}, oneDNN {_onednn(limit.variables)}, our kernels {kernels}."


def _step_rows(found: Mapping[str, Samples], setting: str) -> Iterator[list[str]]:
    for work, samples in found.items():
        yield [
            work,
            setting,
            time_text(median(samples, MINE)),
            *against(samples, MINE, OTHERS, goals.PROCESSORS.torch),
        ]


def _limits_report(options: Options) -> list[str]:
    rows: list[list[str]] = []
    notes: list[str] = []
    for name, limit in LIMITS.items():
        works = [work for work in AT_LIMITS if options.works([f"{work}_{name}"])]
        if not works:
            continue
        if not _has(limit):
            notes.append(f"- {name}: left out, this processor does not have it.")
            continue
        with _fresh_home(), environment(limit.variables):
            notes.append(_obeyed(name, limit))
            rows += _step_rows(_measured(works, options), name)
    return [*_step_table("limit", rows), "", *notes, ""] if notes else []


def _threads_report(options: Options) -> list[str]:
    rows: list[list[str]] = []
    for count in COUNTS:
        works = [work for work in WITH_THREADS if options.works([f"{work}_threads_{count}"])]
        waiting = {PASSIVE: "passive"} if count > (os.cpu_count() or 1) else {}
        if works:
            with _fresh_home(), environment({**threads(count), **waiting}):
                rows += _step_rows(_measured(works, options), str(count))
    return [*_step_table("threads", rows), ""] if rows else []


def _step_table(setting: str, rows: list[list[str]]) -> list[str]:
    return markdown(["work", setting, MINE, "best of torch", "ours / it", "processor", "sought"], rows)


def _predicted(network: str, sides: Mapping[str, Side], options: Options) -> list[str]:
    requests = {}
    for count in (1, PREDICTING_THREADS):
        asked = {
            f"{name} {count}": (side, f"predicting_threads {network} {count} {MODES[name]}")
            for name, side in sides.items()
        }
        agreed(asked, TOLERANCE)
        requests |= asked
    found = interleaved(requests, options.fewer(2))
    cells, gains = [], {}
    for name in sides:
        one, many = f"{name} 1", f"{name} {PREDICTING_THREADS}"
        gains[name] = [a.clock / b.clock for a, b in zip(found[one], found[many], strict=True)]
        cells += [rate_text(median(found, one)), rate_text(median(found, many)), spread_text(gains[name])]
    shares = sorted(mine / other for mine, other in zip(gains[MINE], gains["torch"], strict=True))
    goal = goal_text(shares[len(shares) // 2], goals.PREDICTING, at_least=True)
    return [f"predicting_{network}", *cells, spread_text(shares), goal]


def _predicting_report(options: Options) -> list[str]:
    networks = [network for network in PREDICTING if options.works([f"predicting_{network}"])]
    if not networks:
        return []
    with _fresh_home(), environment(threads(1)), started(MINE, "torch") as sides:
        rows = [_predicted(network, sides, options) for network in networks]
    heads = [
        text for name in (MINE, "torch") for text in (f"{name}, 1 thread", f"{PREDICTING_THREADS} threads", "times")
    ]
    return [*markdown(["work", *heads, "times of ours / of torch", "sought"], rows), ""]


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    return [*_limits_report(options), *_threads_report(options), *_predicting_report(options), *NOTES]
