"""Records the networks of the model zoo with a real MXNet 1.9.1: names, shapes, printed forms, results.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_zoo                 # writes tests/fixtures/zoo/
    python -m tools.oracle.record_zoo show EXPRESSION # prints the parameters of one network, with either library

Parameters follow from a formula of their names, so that none are stored. The lists of parameters are long and alike:
they are compressed.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

from tools.oracle.zoo_networks import (
    CLASSES,
    MODELS,
    PROGRAMS,
    TRAINED,
    described,
    make,
    model,
    output,
    parameters,
    surface,
    trained,
)

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "zoo"
PUBLISHED_SIDE = 224


def record_network(program: str, side: int) -> dict[str, Any]:
    return {"program": program, "side": side, **described(make(program)), "output": output(make(program), side)}


def record() -> None:
    networks, lists = {}, {}
    for name, side in MODELS.items():
        for classes in CLASSES:
            program = model(name, classes)
            networks[f"{name}/{classes}"] = record_network(program, side)
        # With the other number of classes only the last layer differs, which the results show.
        lists[name] = parameters(make(model(name, CLASSES[-1])), max(side, PUBLISHED_SIDE))
        print(name, networks[f"{name}/{CLASSES[0]}"]["output"][:3])
    for name, (program, side) in PROGRAMS.items():
        networks[name] = record_network(program, side)
        lists[name] = parameters(make(program), side)
        if name in TRAINED:
            networks[name]["trained"] = trained(make(program), side)
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / "networks.json").write_text(json.dumps(networks, indent=1) + "\n", encoding="utf-8")
    (FIXTURES / "surface.json").write_text(json.dumps(surface(), indent=1) + "\n", encoding="utf-8")
    text = json.dumps(lists, separators=(",", ":")).encode()
    (FIXTURES / "parameters.json.gz").write_bytes(gzip.compress(text, 9, mtime=0))


def main(arguments: list[str]) -> int:
    if not arguments:
        record()
        return 0
    net = make(arguments[1])
    print(net)
    for path, name, shape in parameters(net, PUBLISHED_SIDE):
        print(path, name, shape)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
