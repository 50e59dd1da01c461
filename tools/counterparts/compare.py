"""Compares networks of the model zoo with what those of torchvision and timm have computed.

    python -m tools.counterparts.compare                    # all of them; VGG needs 2 GB of memory
    python -m tools.counterparts.compare torchvision/vgg16  # some

Prints the largest difference, as a part of the largest number in the result.
"""

import gzip
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet.gluon.model_zoo import vision
from mxnet.gluon.model_zoo._pretrained.weights import load_pretrained
from regluon.formats.tensors import write_tensors
from tools.counterparts.numbers import images, summary, weights

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "pretrained"
OUTPUTS: dict[str, Any] = json.loads((FIXTURES / "outputs.json").read_text(encoding="utf-8"))["networks"]
NAMES: dict[str, Any] = json.loads(gzip.decompress((FIXTURES / "names.json.gz").read_bytes()))

_NARROW = "narrow_"
_NARROW_CHANNELS = [4, 8, 8, 16, 16]


def write_state(case: str, path: Path, replaced: dict[str, np.ndarray] | None = None) -> None:
    """Writes the state dict of a recorded network; entries are replaced, or left out if None."""
    state = {name: weights(name, tuple(shape)) for name, shape in NAMES[case]}
    state.update(replaced or {})
    kept = {name: array for name, array in state.items() if array is not None}
    write_tensors(path, list(kept.values()), list(kept))


def loaded(case: str, path: Path) -> Any:
    """Our network with the weights in a file."""
    network = case.partition("/")[2]
    if not network.startswith(_NARROW):
        return vision.get_model(network, pretrained=str(path))
    network = network.removeprefix(_NARROW)
    layers, _ = vision.vgg.vgg_spec[int(network.removesuffix("_bn").removeprefix("vgg"))]
    net = vision.VGG(layers, _NARROW_CHANNELS, classes=10, batch_norm=network.endswith("_bn"))
    load_pretrained(net, network, str(path), mx.cpu(), "")
    return net


def difference(case: str) -> float:
    """The largest difference between our result and theirs, as a part of the largest number."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        write_state(case, path)
        net = loaded(case, path)
        ours = summary(net(mx.nd.array(images(OUTPUTS[case]["side"]))).asnumpy())
        del net
    numbers, sums = slice(0, 10), slice(10, 12)
    theirs = np.array(OUTPUTS[case]["output"])
    apart = np.abs(np.array(ours) - theirs)
    # The sums over a thousand numbers are compared with the sum of their sizes.
    return max(apart[numbers].max() / np.abs(theirs[numbers]).max(), apart[sums].max() / theirs[10])


if __name__ == "__main__":
    for each in sys.argv[1:] or OUTPUTS:
        print(f"{each:<32} {difference(each):.1e}", flush=True)
