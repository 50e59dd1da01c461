"""Records what Gluon programs give, and files of parameters, with a real MXNet 1.9.1.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_gluon                     # writes tests/fixtures/gluon/

Files must pass the other way too. The first command writes the same networks with whichever library is installed, the
second reads such a directory with whichever is installed, and compares:

    python -m tools.oracle.record_gluon write DIRECTORY     # here
    python -m tools.oracle.record_gluon check DIRECTORY     # in the environment of the real MXNet
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from tools.oracle.gluon_programs import GROUPS, NETWORKS, REFUSED, WAYS

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "gluon"


def run(program: str, **given: Any) -> dict[str, Any]:
    """The variables a program leaves."""
    space: dict[str, Any] = {"mx": mx, "nd": nd, "nn": nn, "gluon": gluon, "autograd": autograd, "np": np, **given}
    with mx.name.NameManager(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(program, space)
    return space


def caught_as(error: BaseException) -> str:
    """The most special of Python's own classes that catches an error."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def refusals() -> dict[str, Any]:
    recorded = {}
    for name, program in REFUSED.items():
        try:
            run(program)
        except Exception as error:
            recorded[name] = {"program": program, "error": caught_as(error)}
        else:
            raise SystemExit(f"{name}: MXNet does not refuse it")
    return recorded


def write_files(directory: Path) -> dict[str, Any]:
    """Saves every network in every way; returns what is in the files, and the values by attribute."""
    index = {}
    directory.mkdir(parents=True, exist_ok=True)
    for network, program in NETWORKS.items():
        for way, call in WAYS.items():
            if network == "shared" and way == "stripped":
                continue  # its names do not all begin with the network's prefix
            path = directory / f"{network}_{way}.params"
            net = run(program)["net"]
            run(call, net=net, path=str(path))
            index[path.name] = {"network": program, "save": call, "values": values(net)}
    return index


def values(net: Any) -> dict[str, Any]:
    found = net._collect_params_with_prefix()
    return {name: parameter.data().asnumpy().tolist() for name, parameter in found.items()}


def exported(directory: Path) -> dict[str, Any]:
    """What `export` writes: names with arg: and aux: before them."""
    net = run(NETWORKS["model"])["net"]
    net.hybridize()
    net(nd.ones((2, 5)))
    net.export(str(directory / "exported"))
    (directory / "exported-symbol.json").unlink()
    path = directory / "exported-0000.params"
    return {path.name: {"network": NETWORKS["model"], "save": "", "values": values(net)}}


def saved_structure(directory: Path) -> str:
    net = run(NETWORKS["model"])["net"]
    net.save(str(directory / "model"))
    (directory / "model-model.params").unlink()
    return (directory / "model-model.json").read_text()


def check(directory: Path) -> int:
    """Loads every file into a network of zeros and compares."""
    index = json.loads((directory / "files.json").read_text())
    for name, entry in index.items():
        net = run(entry["network"])["net"]
        for parameter in net.collect_params().values():
            parameter.set_data(nd.zeros(parameter.shape))
        load = "net.collect_params().load(path)" if name.endswith("_names.params") else "net.load_parameters(path)"
        run(load, net=net, path=str(directory / name))
        if values(net) != entry["values"]:
            print(f"{name}: other values")
            return 1
        print(f"{name}: {len(entry['values'])} parameters agree")
    net = run(NETWORKS["model"].replace("model_", "other_").replace("; fill(net)", ""))["net"]
    net.load(str(directory / "model"))
    print(f"model-model.json: named {net.name}, {sorted(net.collect_params().keys())[0]}")
    return int(values(net) != index["model_attributes.params"]["values"])


def record() -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    programs = {
        group: {name: {"program": text, "result": run(text)["result"]} for name, text in members.items()}
        for group, members in GROUPS.items()
    }
    dump("programs.json", programs)
    dump("refused.json", refusals())
    dump("files.json", {**write_files(FIXTURES), **exported(FIXTURES)})
    saved_structure(FIXTURES)


def dump(name: str, content: Any) -> None:
    (FIXTURES / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    if not arguments:
        record()
        return 0
    command, directory = arguments[0], Path(arguments[1])
    if command == "write":
        index = write_files(directory)
        run(NETWORKS["model"])["net"].save(str(directory / "model"))
        (directory / "files.json").write_text(json.dumps(index))
        return 0
    return check(directory)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
