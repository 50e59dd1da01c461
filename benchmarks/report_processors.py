"""Report other processors, as far as one machine can stand for them: fewer instructions, other numbers of threads."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import goals
from sides import (
    OUR_ENVIRONMENT,
    PASSIVE,
    Options,
    Requests,
    Samples,
    Side,
    check_agreement,
    compared,
    environment,
    interleaved,
    requests_of,
    started,
    thread_variables,
)
from tables import against, goal_text, markdown, median, rate_text, spread_text, time_text
from workloads import AT_LIMITS, PREDICTION_THREADS, PREDICTIONS, PROCESSOR_MODES, THREADS, WITH_THREADS, select

WORKLOADS = select("processors")
MINE, OTHERS = "ours hybridized", ("torch", "torch tuned")
TOLERANCE = 2e-3


class Limit(NamedTuple):
    """An instruction set that all sides are limited to.

    Args:
        flag: its name in /proc/cpuinfo.
        capability: its name in torch.
        level: the microarchitecture level that our kernels are compiled for.
        onednn: its name in oneDNN.
        mkl: its name in MKL.
    """

    flag: str
    capability: str
    level: str
    onednn: str
    mkl: str

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that set the limit."""
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
NOTES = (
    "- Best of torch: the quicker of eager and tuned (channels last, fused optimizer). `torch.compile` is left out: it "
    "compiles for the machine at hand whatever the limit is.",
    f"- All sides begin with the same parameters; outputs and losses of the first steps agree within {TOLERANCE}.",
    "- Choices between kernels are made afresh for every limit, by a process before those that are measured.",
    "- MKL, which has the products of both sides, follows its limit on processors of Intel only.",
    f"- Above {os.cpu_count()} threads, the number of cores here, threads of all sides wait without spinning.",
    f"- predicting: {PREDICTION_THREADS} Python threads call one network, each with an image of its own, one thread "
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
    """Give sides our compiled kernels, but no stored choices between kernels, as every setting makes its own."""
    native = _python("-c", "from mxnet.base import kept_folder; print(kept_folder('native') or '')").stdout.strip()
    with tempfile.TemporaryDirectory() as home:
        if native:
            Path(home, "native").symlink_to(native)
        with environment({"MXNET_HOME": home}):
            yield


def _measure(names: Mapping[str, str], options: Options) -> dict[str, Samples]:
    """Measure steps, by name of the workload, under the variables that are set.

    A process before those that are measured chooses between kernels, as these choices are stored.
    """
    with started(MINE) as first:
        for name in names:
            first[MINE].ask(f"outcome {WORKLOADS[name].requests[MINE]}")
    found = {}
    with started(*options.select_sides(tuple(PROCESSOR_MODES), MINE)) as sides:
        for name, step in names.items():
            found[step] = compared(requests_of(WORKLOADS[name], sides), options.fewer(2), TOLERANCE)
    return found


def _onednn(variables: Mapping[str, str]) -> str:
    """Return the instruction set that oneDNN reports."""
    code = "import torch; x = torch.rand(8, 64, 32, 32); torch.conv2d(x, torch.rand(64, 64, 3, 3))"
    lines = _python("-c", code, **variables, ONEDNN_VERBOSE="1").stdout.splitlines()
    return next((line.partition("isa:")[2] for line in lines if "isa:" in line), "nothing")


def _obeyed(name: str, limit: Limit) -> str:
    """Return a note on what the sides use under a limit; end the run if it is not the limit."""
    is_compiled = not _python("-m", "regluon.native", "--level", limit.level).returncode
    with started(MINE, "torch") as sides:
        used = {side: process.ask("instructions") for side, process in sides.items()}
    ours, _, kernels = used[MINE].partition(" ")
    if {ours, used["torch"]} != {limit.capability} or (is_compiled and not kernels.endswith(limit.level)):
        raise SystemExit(f"{name}: sides are not limited to {limit}: {used}")
    return f"- {name}: ATen {ours}, oneDNN {_onednn(limit.variables)}, our kernels {kernels}."


def _step_rows(found: Mapping[str, Samples], setting: str) -> Iterator[list[str]]:
    for step, samples in found.items():
        yield [
            step,
            setting,
            time_text(median(samples, MINE)),
            *against(samples, MINE, OTHERS, goals.PROCESSORS.torch),
        ]


def _step_table(setting: str, rows: list[list[str]]) -> list[str]:
    return markdown(["work", setting, MINE, "best of torch", "ours / it", "processor", "sought"], rows)


def _chosen(options: Options, steps: Sequence[str], setting: str) -> dict[str, str]:
    """Return the steps that are measured in a setting, by name of the workload."""
    names = {f"{step}_{setting}": step for step in steps}
    return {name: names[name] for name in names if name in options.select(WORKLOADS)}


def _report_limits(options: Options) -> list[str]:
    rows: list[list[str]] = []
    notes: list[str] = []
    for name, limit in LIMITS.items():
        names = _chosen(options, AT_LIMITS, name)
        if not names:
            continue
        if not _has(limit):
            notes.append(f"- {name}: left out, this processor does not have it.")
            continue
        with _fresh_home(), environment(limit.variables):
            notes.append(_obeyed(name, limit))
            rows += _step_rows(_measure(names, options), name)
    return [*_step_table("limit", rows), "", *notes, ""] if notes else []


def _report_threads(options: Options) -> list[str]:
    rows: list[list[str]] = []
    for count in THREADS:
        names = _chosen(options, WITH_THREADS, f"threads_{count}")
        waiting = {PASSIVE: "passive"} if count > (os.cpu_count() or 1) else {}
        if names:
            with _fresh_home(), environment({**thread_variables(count), **waiting}):
                rows += _step_rows(_measure(names, options), str(count))
    return [*_step_table("threads", rows), ""] if rows else []


def _predict(name: str, sides: Mapping[str, Side], options: Options) -> list[str]:
    """Return the row of a network that one and many threads call."""
    requests: Requests = {}
    for count in (1, PREDICTION_THREADS):
        asked = {
            f"{side} {count}": (process, WORKLOADS[name].requests[f"{side} {count}"]) for side, process in sides.items()
        }
        check_agreement(asked, TOLERANCE)
        requests |= asked
    found = interleaved(requests, options.fewer(2))
    cells, gains = [], {}
    for side in sides:
        one, many = f"{side} 1", f"{side} {PREDICTION_THREADS}"
        gains[side] = [a.clock / b.clock for a, b in zip(found[one], found[many], strict=True)]
        cells += [rate_text(median(found, one)), rate_text(median(found, many)), spread_text(gains[side])]
    shares = sorted(mine / other for mine, other in zip(gains[MINE], gains["torch"], strict=True))
    goal = goal_text(shares[len(shares) // 2], goals.PREDICTING, at_least=True)
    return [name, *cells, spread_text(shares), goal]


def _report_predictions(options: Options) -> list[str]:
    names = [f"predicting_{network}" for network in PREDICTIONS]
    names = [name for name in names if name in options.select(WORKLOADS)]
    if not names:
        return []
    with _fresh_home(), environment(thread_variables(1)), started(MINE, "torch") as sides:
        rows = [_predict(name, sides, options) for name in names]
    heads = [
        text for name in (MINE, "torch") for text in (f"{name}, 1 thread", f"{PREDICTION_THREADS} threads", "times")
    ]
    return [*markdown(["work", *heads, "times of ours / of torch", "sought"], rows), ""]


def report(options: Options) -> list[str]:
    """Measure the group and return its section as lines of Markdown."""
    return [*_report_limits(options), *_report_threads(options), *_report_predictions(options), *NOTES]
