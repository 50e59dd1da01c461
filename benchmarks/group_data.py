"""Loaders of images in memory and in record files."""

import subprocess
import sys
import tempfile
from pathlib import Path

from inputs import write_photographs
from options import Options
from sides import compared, started
from tables import rate_text, table

TITLE = "Reading data"
PHOTOGRAPHS = 400
GOALS = {  # times for one: ours / torch, ours / MXNet
    "loader_0_workers": (1 / 1.5, 1 / 3),
    "loader_2_workers": (1 / 1.5, 1 / 3),
    "ImageRecordIter_1_thread": (None, 1 / 0.95),
    "ImageRecordIter_2_threads": (None, 1 / 0.95),
    "ImageRecordDataset_2_workers": (None, 1 / 1.2),
    "read_idx": (None, 1.0),
}
NAMES = tuple(GOALS)
PHOTOGRAPH_TOLERANCE = 0.03  # libraries of JPEG and resizing round differently


def _records(folder: Path) -> Path:
    """A record file of photographs, and its index; the path without an ending."""
    pictures, prefix = folder / "pictures", folder / "records"
    pictures.mkdir()
    write_photographs(pictures, PHOTOGRAPHS)
    for options in (["--list"], ["--pass-through"]):
        command = [sys.executable, "-m", "mxnet.tools.im2rec", *options, str(prefix), str(pictures)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return prefix


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder, started("ours", "torch", "MXNet") as sides:
        prefix = _records(Path(folder))
        for workload in options.works(NAMES):
            torch_goal, _ = GOALS[workload]
            requests = {
                name: (side, f"{workload} {prefix}") for name, side in sides.items() if torch_goal or name != "torch"
            }
            rows[workload] = compared(
                requests, options.fewer(3), PHOTOGRAPH_TOLERANCE if workload.startswith("Image") else 1e-3
            )
    ratios = (("ours", "torch"), ("ours", "MXNet"))
    return [
        *table(rows, ("ours", "torch", "MXNet"), ratios, GOALS, rate_text),
        "",
        "- Rates are images, or records, a second; ratios are of the times for one.",
        "- Transforms are applied to whole batches here, where that gives the same; the loaders of torch and MXNet "
        "apply theirs image by image.",
        "- MXNet's ImageRecordIter takes fewer threads than asked for on few cores, and says so on its error output.",
    ]
