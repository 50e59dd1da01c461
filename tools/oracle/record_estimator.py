"""Records what Estimators of the real MXNet write: `python -m tools.oracle.record_estimator`.

Writes tests/fixtures/estimator/logs.json: the lines of the log, with times replaced, and the names of the files.
"""

import io
import json
import logging
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "estimator"


def make_net(mx: Any) -> Any:
    """A small network with given parameters."""
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Dense(4, activation="relu", in_units=3), mx.gluon.nn.Dense(2, in_units=4))
    net.initialize()
    net.hybridize()
    for number, parameter in enumerate(net.collect_params().values()):
        values = np.arange(int(np.prod(parameter.shape))).reshape(parameter.shape)
        parameter.set_data(mx.nd.array(np.sin(values + number)))
    return net


def make_data(mx: Any) -> Any:
    """Ten samples, in batches of four."""
    samples = np.cos(np.arange(30)).reshape(10, 3).astype("float32")
    labels = (np.arange(10) % 2).astype("float32")
    return mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(samples, labels), batch_size=4)


def programs(mx: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Handlers and arguments of `fit`, by name."""
    made = mx.gluon.contrib.estimator
    return {
        "validation": (lambda est, folder: [], {"epochs": 2, "val_data": make_data(mx)}),
        "interval": (lambda est, folder: [made.LoggingHandler(2, est.train_metrics)], {"epochs": 2}),
        "batches": (
            lambda est, folder: [
                made.CheckpointHandler(folder, "m", epoch_period=None, batch_period=2, max_checkpoints=2, verbose=1)
            ],
            {"batches": 7},
        ),
        "best": (
            lambda est, folder: [
                made.CheckpointHandler(folder, "m", est.train_metrics[1], 1, save_best=True, mode="min")
            ],
            {"epochs": 3},
        ),
        "early": (
            lambda est, folder: [made.EarlyStoppingHandler(est.train_metrics[1], mode="max", patience=1)],
            {"epochs": 5},
        ),
        "nothing to resume": (
            lambda est, folder: [made.CheckpointHandler(folder, resume_from_checkpoint=True)],
            {"epochs": 2},
        ),
    }


def run(mx: Any, handlers: Any, arguments: dict[str, Any]) -> dict[str, list[str]]:
    """The log and the files of a training."""
    net = make_net(mx)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.9})
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    estimator = mx.gluon.contrib.estimator.Estimator(net, loss, trainer=trainer)
    written = io.StringIO()
    estimator.logger.handlers[:] = [logging.StreamHandler(written)]
    with tempfile.TemporaryDirectory() as folder:
        estimator.fit(make_data(mx), event_handlers=handlers(estimator, folder), **arguments)
        text = re.sub(r"\d+\.\d{3}s|(?<=total )\d+s", "TIME", written.getvalue().replace(folder, "FOLDER"))
        return {"log": text.splitlines(), "files": sorted(os.listdir(folder))}


def main() -> None:
    """Writes the fixture."""
    import mxnet as mx

    FIXTURES.mkdir(parents=True, exist_ok=True)
    found = {name: run(mx, *program) for name, program in programs(mx).items()}
    (FIXTURES / "logs.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
