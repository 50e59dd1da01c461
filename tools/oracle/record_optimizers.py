"""Records optimizers of the real MXNet: `python -m tools.oracle.record_optimizers`.

Writes tests/fixtures/optimizers/: `trajectories` (weights and states of every optimizer over five steps), `operators`
(update operators that take `out=` lists or sparse gradients, which record_ops cannot call), `schedules.json` and the
pickled states that MXNet's Updater makes. The same calls give the same bytes.
"""

import io
import json
import os
import pickle
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "optimizers"
STEPS = 5
SHAPES = ((3, 4), (4,), (2, 3))
NAMES = {0: "fc_weight", 1: "fc_bias", 2: "bn_gamma"}
WIDE = {"rescale_grad": 0.5, "clip_gradient": 0.3, "wd": 0.05}
MIXED = {"multi_precision": True, "wd": 0.01}
FACTOR = {"class": "FactorScheduler", "step": 2, "factor": 0.5, "base_lr": 0.2}
COSINE = {"class": "CosineScheduler", "max_update": 5, "base_lr": 0.1, "warmup_steps": 2}

# (optimizer, its arguments, dtype of the weights). `names` gives it param_idx2name, `scheduler` makes lr_scheduler.
TRAJECTORIES: list[tuple[str, dict[str, Any], str]] = [
    *[("sgd", params, "float32") for params in ({}, WIDE, {"momentum": 0.9, **WIDE}, {"momentum": 0.9, "wd": 0.1})],
    ("sgd", {"momentum": 0.9, "learning_rate": 0.3, "scheduler": FACTOR, "names": True, "wd": 0.1}, "float32"),
    ("sgd", {"momentum": 0.9, "learning_rate": 0.1, "begin_num_update": 3, "scheduler": COSINE}, "float32"),
    ("sgd", {"momentum": 0.9, **MIXED}, "float16"),
    ("sgd", MIXED, "float16"),
    ("sgd", {"momentum": 0.9, "wd": 0.1}, "float64"),
    ("sgd", {"momentum": 0.9, "learning_rate": 0.1, "lr_mult": {"0": 0.5, "1": 0.0}, "wd_mult": {"2": 3.0}}, "float32"),
    *[("nag", params, "float32") for params in ({}, {"momentum": 0.9}, {"momentum": 0.9, **WIDE})],
    ("nag", {"momentum": 0.9, **MIXED}, "float16"),
    *[("signum", params, "float32") for params in ({}, {"momentum": 0.0, "wd": 0.1}, {"wd_lh": 0.1, **WIDE})],
    *[("dcasgd", params, "float32") for params in ({}, {"lamda": 0.5, **WIDE})],
    *[("lars", params, "float32") for params in ({}, {"momentum": 0.9, "eta": 0.1, "names": True, **WIDE})],
    ("lars", {"momentum": 0.9, "eta": 0.1, "eps": 0.01, "scheduler": FACTOR, "learning_rate": 0.2}, "float32"),
    ("lars", {"momentum": 0.9, "eta": 0.1, **MIXED}, "float16"),
    *[("lamb", params, "float32") for params in ({}, WIDE, {"bias_correction": False, "learning_rate": 0.1, **WIDE})],
    ("lamb", {"learning_rate": 0.1, "lower_bound": 0.1, "upper_bound": 0.5}, "float32"),
    ("lamb", {"learning_rate": 0.1, **MIXED}, "float16"),
    *[("lbsgd", params, "float32") for params in ({}, {"momentum": 0.9, "batch_scale": 2, "warmup_epochs": 1, **WIDE})],
    ("lbsgd", {"warmup_strategy": "power2", "batch_scale": 2, "updates_per_epoch": 2}, "float32"),
    ("lbsgd", {"warmup_strategy": "sqrt", "batch_scale": 2, "scheduler": FACTOR}, "float32"),
    ("lbsgd", {"warmup_strategy": "lars", "momentum": 0.5, "wd": 0.1}, "float32"),
    ("lbsgd", {"momentum": 0.9, **MIXED}, "float16"),
    *[("adam", params, "float32") for params in ({}, {"learning_rate": 0.1, **WIDE}, {"beta1": 0.5, "epsilon": 0.1})],
    ("adam", {"learning_rate": 0.1, "scheduler": FACTOR, "names": True, "wd": 0.1}, "float32"),
    ("adam", {"learning_rate": 0.1, **MIXED}, "float16"),
    ("adam", {"learning_rate": 0.1, "wd": 0.1}, "float64"),
    *[("adamax", params, "float32") for params in ({}, {"learning_rate": 0.1, **WIDE})],
    *[("nadam", params, "float32") for params in ({}, {"learning_rate": 0.1, "schedule_decay": 0.1, **WIDE})],
    ("nadam", {"learning_rate": 0.1, **MIXED}, "float16"),
    *[("ftml", params, "float32") for params in ({}, {"learning_rate": 0.1, "beta1": 0.5, **WIDE})],
    *[("ftrl", params, "float32") for params in ({}, {"lamda1": 0.2, "beta": 0.5, **WIDE})],
    *[("rmsprop", params, "float32") for params in ({}, {"learning_rate": 0.1, "clip_weights": 0.5, **WIDE})],
    *[("rmsprop", {"centered": True, **params}, "float32") for params in ({}, {"learning_rate": 0.1, **WIDE})],
    *[("adagrad", params, "float32") for params in ({}, {"eps": 0.1, **WIDE}, {"clip_gradient": 0.0})],
    ("adagrad", {"learning_rate": 0.1, **MIXED}, "float16"),
    *[("adadelta", params, "float32") for params in ({}, {"rho": 0.5, **WIDE})],
    ("groupadagrad", {"eps": 0.1, "learning_rate": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.3}, "float32"),
    ("ccsgd", {"momentum": 0.5}, "float32"),
    ("test", {"rescale_grad": 0.5}, "float32"),
]

SCHEDULES: list[dict[str, Any]] = [
    FACTOR,
    {"class": "FactorScheduler", "step": 1, "factor": 0.1, "base_lr": 1.0, "stop_factor_lr": 0.005},
    {**FACTOR, "warmup_steps": 4, "warmup_begin_lr": 0.05},
    {**FACTOR, "warmup_steps": 4, "warmup_begin_lr": 0.05, "warmup_mode": "constant"},
    {"class": "MultiFactorScheduler", "step": [2, 5, 9], "factor": 0.5, "base_lr": 0.3},
    {"class": "MultiFactorScheduler", "step": [4, 5], "factor": 0.1, "warmup_steps": 3},
    {"class": "PolyScheduler", "max_update": 8},
    {"class": "PolyScheduler", "max_update": 8, "pwr": 1, "final_lr": 0.001, "base_lr": 0.5, "warmup_steps": 3},
    {"class": "CosineScheduler", "max_update": 8},
    {"class": "CosineScheduler", "max_update": 8, "final_lr": 0.01, "base_lr": 0.5, "warmup_steps": 2},
]

ADAMW = {"lrs": [0.1, 0.2], "wds": [0.0, 0.05], "etas": [1.0, 0.5], "num_weights": 2}
LAMB = {"learning_rates": [0.1, 0.2], "wds": [0.0, 0.05], "step_count": [1, 4], "num_tensors": 2}
SGD = {"lrs": [0.1, 0.2], "wds": [0.0, 0.05], "num_weights": 2}
PRELOADED = {"num_weights": 2}
LIMITS = {"rescale_grad": 0.5, "clip_gradient": 0.2}
# (operator, kinds of arrays of one weight, kinds of arrays after all weights, parameters). Kinds are w(eight), g(rad),
# m(om), v(ar: positive), c(opy in float32), l(earning rates), d(ecays), r(escale_grad).
OPERATORS: list[tuple[str, str, str, dict[str, Any]]] = [
    *[("multi_sgd_update", "wg", "", {**SGD, **more}) for more in ({}, LIMITS)],
    *[("multi_sgd_mom_update", "wgm", "", {**SGD, "momentum": 0.9, **more}) for more in ({}, LIMITS)],
    *[("multi_mp_sgd_update", "wgc", "", {**SGD, **more}) for more in ({}, LIMITS)],
    *[("multi_mp_sgd_mom_update", "wgmc", "", {**SGD, "momentum": 0.9, **more}) for more in ({}, LIMITS)],
    *[("preloaded_multi_sgd_update", "wg", "ld", {**PRELOADED, **more}) for more in ({}, LIMITS)],
    *[("preloaded_multi_sgd_mom_update", "wgm", "ld", {**PRELOADED, "momentum": 0.9, **more}) for more in ({}, LIMITS)],
    *[("preloaded_multi_mp_sgd_update", "wgc", "ld", {**PRELOADED, **more}) for more in ({}, LIMITS)],
    *[
        ("preloaded_multi_mp_sgd_mom_update", "wgmc", "ld", {**PRELOADED, "momentum": 0.9, **more})
        for more in ({}, LIMITS)
    ],
    *[("_multi_adamw_update", "wgmv", "r", {**ADAMW, **more}) for more in ({}, {"clip_gradient": 0.2, "beta1": 0.5})],
    *[("_multi_mp_adamw_update", "wgmvc", "r", {**ADAMW, **more}) for more in ({}, {"clip_gradient": 0.2})],
    *[("_multi_lamb_update", "wgmv", "", {**LAMB, **more}) for more in ({}, {"bias_correction": False, **LIMITS})],
    ("_multi_lamb_update", "wgmv", "", {**LAMB, "lower_bound": 0.1, "upper_bound": 0.5}),
    *[("_multi_mp_lamb_update", "wgmvc", "", {**LAMB, **more}) for more in ({}, {"bias_correction": False, **LIMITS})],
    ("_adamw_update", "wgmv", "r", {"lr": 0.1, "eta": 0.5, "wd": 0.05, "clip_gradient": 0.2}),
    ("_sparse_adagrad_update", "wgv", "", {"lr": 0.1}),
    ("_sparse_adagrad_update", "wgv", "", {"lr": 0.1, "epsilon": 0.1, **LIMITS}),
    ("_contrib_group_adagrad_update", "wgh", "", {"lr": 0.1}),
    ("_contrib_group_adagrad_update", "wgh", "", {"lr": 0.1, "epsilon": 0.1, **LIMITS}),
]


def make_scheduler(module: Any, settings: dict[str, Any]) -> Any:
    """A scheduler of the given `lr_scheduler` module."""
    return getattr(module, settings["class"])(**{k: v for k, v in settings.items() if k != "class"})


def make_optimizer(mx: Any, name: str, params: dict[str, Any]) -> Any:
    """An optimizer of the given package, MXNet's or ours."""
    params = dict(params)
    scheduler, names = params.pop("scheduler", None), params.pop("names", False)
    multipliers = {kind: params.pop(kind, {}) for kind in ("lr_mult", "wd_mult")}
    if scheduler:
        params["lr_scheduler"] = make_scheduler(mx.lr_scheduler, scheduler)
    if names:
        params["param_idx2name"] = NAMES
    optimizer = mx.optimizer.create(name, **params)
    for kind, values in multipliers.items():
        if values:
            getattr(optimizer, f"set_{kind}")({int(index): value for index, value in values.items()})
    return optimizer


def shapes_for(name: str) -> list[tuple[int, ...]]:
    """Shapes of the weights; GroupAdaGrad takes matrices only."""
    return [shape for shape in SHAPES if len(shape) == 2 or name != "groupadagrad"]


def arrays_for(name: str, dtype: str) -> tuple[list[np.ndarray], list[list[np.ndarray]]]:
    """The weights at the begin and the gradients of each step, drawn from a frozen stream."""
    state = np.random.RandomState(7)
    shapes = shapes_for(name)
    weights = [state.uniform(-1, 1, shape).astype(dtype) for shape in shapes]
    grads = [[state.uniform(-1, 1, shape).astype(dtype) for shape in shapes] for _ in range(STEPS)]
    return weights, grads


def flat(state: Any) -> list[Any]:
    """The arrays of a state, in order."""
    if state is None:
        return []
    if isinstance(state, (tuple, list)):
        return [array for each in state for array in flat(each)]
    return [state]


def operator_inputs(number: int, each: str, after: str) -> list[np.ndarray]:
    """The arrays an operator of OPERATORS takes."""
    state = np.random.RandomState(100 + number)
    shapes = [(2, 3), (4,)] if each not in ("wgh", "wgv") and not ("r" in after and number == _ADAMW) else [(3, 4)]
    low = "float16" if "c" in each else "float32"
    arrays = []
    for shape in shapes:
        weight = state.uniform(-1, 1, shape).astype(low)
        for kind in each:
            values = state.uniform(0.05 if kind in "vh" else -1, 1, (shape[0], 1) if kind == "h" else shape)
            values = values if kind not in "wc" else weight
            arrays.append(values.astype(low if kind in "wg" else "float32"))
    rates = {"l": [0.1, 0.2], "d": [0.0, 0.05], "r": [0.5]}
    return arrays + [np.array(rates[kind], "float32") for kind in after]


_ADAMW = next(i for i, (name, *_) in enumerate(OPERATORS) if name == "_adamw_update")


def _record_trajectories(mx: Any) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    facts, arrays = [], {}
    for number, (name, params, dtype) in enumerate(TRAJECTORIES):
        updater = mx.optimizer.get_updater(make_optimizer(mx, name, params))
        values, grads = arrays_for(name, dtype)
        weights = [mx.nd.array(value, dtype=dtype) for value in values]
        indices = list(range(len(weights)))
        for step in range(STEPS):
            updater(list(indices), [mx.nd.array(grad, dtype=dtype) for grad in grads[step]], weights)
            for i, weight in enumerate(weights):
                arrays[f"{number}_{step}_weight{i}"] = weight.asnumpy()
        for i in indices:
            for place, state in enumerate(flat(updater.states[i])):
                arrays[f"{number}_state{i}_{place}"] = state.asnumpy()
        call = f"mx.optimizer.create({name!r}, **{params!r}) on {dtype}"
        rate = updater.optimizer.learning_rate
        facts.append({"name": name, "params": params, "dtype": dtype, "call": call, "learning_rate": rate})
    return facts, arrays


def _record_operators(mx: Any) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    facts, arrays = [], {}
    for number, (name, each, after, params) in enumerate(OPERATORS):
        inputs = [mx.nd.array(value, dtype=value.dtype) for value in operator_inputs(number, each, after)]
        given = list(inputs)
        if "adagrad" in name:  # MXNet has it for sparse gradients only; with all rows given it is the dense formula
            given[1] = inputs[1].tostype("row_sparse")
            given[0], given[2] = inputs[0].tostype("row_sparse"), inputs[2].tostype("row_sparse")
            inputs = given
        count = (len(inputs) - len(after)) // len(each)
        outputs = [given[i * len(each)] for i in range(count)]
        module = mx.nd.contrib if name.startswith("_contrib_") else mx.nd._internal if name[0] == "_" else mx.nd
        short = name[len("_contrib_") :] if name.startswith("_contrib_") else name
        function = mx.nd.sparse.adagrad_update if name == "_sparse_adagrad_update" else getattr(module, short)
        function(*given, out=outputs if count > 1 else outputs[0], **params)
        for i, array in enumerate(inputs):
            if each[i % len(each)] != "g" or i >= count * len(each):
                arrays[f"{number}_{i}"] = array.asnumpy()
        facts.append(
            {"op": name, "each": each, "after": after, "params": params, "call": f"mx.nd.{name}(..., **{params})"}
        )
    return facts, arrays


def _record_schedules(mx: Any) -> list[dict[str, Any]]:
    facts = []
    for settings in SCHEDULES:
        scheduler = make_scheduler(mx.lr_scheduler, settings)
        facts.append({**settings, "rates": [scheduler(update) for update in range(12)]})
    return facts


def _record_states(mx: Any) -> dict[str, bytes]:
    """MXNet's own files of states: with and without the optimizer, and in an older protocol of pickle."""
    updater = mx.optimizer.get_updater(
        make_optimizer(mx, "adam", {"scheduler": FACTOR, "learning_rate": 0.2, "names": True})
    )
    values, grads = arrays_for("adam", "float32")
    weights = [mx.nd.array(value) for value in values]
    for grad in grads[:2]:
        updater([0, 1, 2], [mx.nd.array(each) for each in grad], weights)
    momentum = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9, rescale_grad=np.float64(0.5)))
    momentum(0, mx.nd.array(grads[0][0]), mx.nd.array(values[0]))
    mixed = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9, multi_precision=True))
    mixed("w", mx.nd.array(grads[0][0], dtype="float16"), mx.nd.array(values[0], dtype="float16"))
    return {
        "adam.states": updater.get_states(dump_optimizer=True),
        "adam_states_only.states": updater.get_states(),
        "protocol2.states": pickle.dumps(momentum.states, 2),
        "sgd.states": momentum.get_states(dump_optimizer=True),
        "mixed.states": mixed.get_states(),
    }


def _write(name: str, facts: list[dict[str, Any]], arrays: dict[str, np.ndarray] | None = None) -> None:
    lines = ",\n".join(json.dumps(fact) for fact in facts)
    (FIXTURES / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    if arrays is None:
        return
    with zipfile.ZipFile(FIXTURES / f"{name}.npz", "w") as archive:
        for key, value in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, value, allow_pickle=False)
            # ZipInfo's default date is a constant, unlike the present time that np.savez stores.
            archive.writestr(zipfile.ZipInfo(f"{key}.npy"), buffer.getvalue(), zipfile.ZIP_DEFLATED, 9)


def main() -> int:
    """Records everything."""
    os.environ.update({"OMP_NUM_THREADS": "1", "MXNET_CPU_WORKER_NTHREADS": "1"})
    import mxnet as mx

    FIXTURES.mkdir(parents=True, exist_ok=True)
    _write("trajectories", *_record_trajectories(mx))
    _write("operators", *_record_operators(mx))
    _write("schedules", _record_schedules(mx))
    for name, content in _record_states(mx).items():
        (FIXTURES / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
