"""The model zoo: inference with every model of gluon.model_zoo.vision, one image at a time."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import goals
from options import COMPILED, Options
from sides import Samples, Side, compared, started
from tables import against, markdown, median, summary, time_text
from zoo import MODELS

TITLE = "Model zoo"
NAMES = MODELS
MODES = {
    "ours hybridized": "hybridized",
    "torch": "eager",
    "torch tuned": "tuned",
    COMPILED: "compiled",
    "MXNet hybridized": "hybridized",
    "MXNet static": "static",
}
MINE = "ours hybridized"
LIBRARIES = {library: [name for name in MODES if name.startswith(library)] for library in ("torch", "MXNet")}
# torch.compile takes up to minutes for a model: unless it is asked for by --sides, only one of each family has it.
COMPILED_MODELS = ("resnet50_v1", "vgg16", "densenet121", "squeezenet1.1", "inceptionv3", "mobilenetv2_1.0")
TOLERANCE = 2e-3
NOTES = (
    "- Inference, one image of 224 x 224, of 299 x 299 for Inception. Best of torch: the quicker of eager and channels "
    f"last; for {', '.join(COMPILED_MODELS)} also `torch.compile`, frozen. Best of MXNet: the quicker of `hybridize()` "
    "and `hybridize(static_alloc=True, static_shape=True)`.",
    "- torch's models are written from the graph of Gluon's: each operator as the layer of torch.nn that one would "
    f"write for it. All sides begin with the same parameters; their results agree within {TOLERANCE}.",
)


def _modes(model: str, options: Options) -> list[str]:
    names = [name for name in MODES if name != COMPILED or COMPILED in options.sides or model in COMPILED_MODELS]
    return options.modes(names, [MINE])


def _measured(model: str, options: Options, source: Side, folder: Path) -> Samples:
    """In fresh processes: parameters of all models together would not fit into memory."""
    path = folder / f"{model}.json"
    path.write_text(json.dumps(source.ask(f"zoo_graph {model}")), encoding="utf-8")
    with started(*_modes(model, options)) as sides:
        requests = {name: (side, f"zoo {model} {MODES[name]} {path}") for name, side in sides.items()}
        return compared(requests, options.fewer(2), TOLERANCE)


def _rows(found: dict[str, Samples]) -> Iterator[list[str]]:
    for model, samples in found.items():
        cells = [cell for names in LIBRARIES.values() for cell in against(samples, MINE, names, None)[:-1]]
        yield [model, time_text(median(samples, MINE)), *cells]


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    with started("ours") as sides, tempfile.TemporaryDirectory() as folder:
        found = {model: _measured(model, options, sides["ours"], Path(folder)) for model in options.works(NAMES)}
    head = ["model", MINE]
    for library in LIBRARIES:
        head += [f"best of {library}", "ours / it", "processor"]
    return [
        *markdown(head, _rows(found)),
        "",
        *summary(found, MINE, LIBRARIES, goals.ZOO_MEAN, goals.ZOO_WORST),
        *NOTES,
    ]
