"""Records how MXNet calls optimizers that programs derive from its own: which methods, with what, and what comes out.

    cd /tmp && <oracle>/bin/python <project>/tools/oracle/record_subclasses.py

`run` makes the same subclasses from any package; tests/optimizer/test_subclasses.py runs it on this one and compares.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

FIXTURE = Path(__file__).parents[2] / "tests" / "fixtures" / "optimizers" / "subclasses.json"
BASES: dict[str, dict[str, Any]] = {
    "Plain": {},
    "SGD": {"momentum": 0.9},
    "ccSGD": {},
    "NAG": {"momentum": 0.9},
    "Signum": {},
    "LARS": {"momentum": 0.9, "eta": 0.1},
    "LBSGD": {"momentum": 0.9, "batch_scale": 2},
    "LAMB": {},
    "DCASGD": {},
    "FTML": {},
    "Adam": {},
    "AdaGrad": {},
    "RMSProp": {"centered": True},
    "AdaDelta": {},
    "Ftrl": {},
    "Adamax": {},
    "Nadam": {},
}
HOOKS = (
    *("update", "update_multi_precision", "_update_impl", "create_state", "create_state_multi_precision"),
    *("_get_lr", "_get_lrs", "_get_wd", "_get_wds", "_update_count", "scheduler", "learning_rate", "uneven"),
)
ROUTES = ("updater", "single", "mixed", "store", "trainer", "two", "two_no_store", "module")
# All ways through which a program reaches an optimizer are recorded for these; one for the others.
THOROUGH = ("Plain", "SGD", "Adam", "LAMB")
SHAPES = [(2, 3), (3,), (2, 2), (4,), (1, 3), (2,)]
DTYPES = ["float32", "float16", "float32", "float16", "float32", "float32"]


def cases() -> Iterator[tuple[str, str, str]]:
    """(base, hook, route)."""
    for base in BASES:
        for hook in HOOKS:
            if hook == "_update_impl" and base not in ("SGD", "ccSGD", "NAG", "Signum", "LARS", "LAMB"):
                continue
            for route in ROUTES if base in THOROUGH else ("updater",):
                yield base, hook, route


def _told(value: Any) -> str:
    """What an index is, in a few characters."""
    if isinstance(value, (list, tuple)):
        inner = ",".join(map(_told, value))
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    return repr(value) if isinstance(value, str) else str(value)


def _plain(mx: Any) -> type:
    class Plain(mx.optimizer.Optimizer):
        """Descent with a state, as a program would write it."""

        def create_state(self, index: Any, weight: Any) -> Any:
            return mx.nd.zeros(weight.shape, weight.context, dtype=weight.dtype)

        def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
            self._update_count(index)
            lr, wd = self._get_lr(index), self._get_wd(index)
            state[:] = 0.5 * state + self.rescale_grad * grad
            weight[:] -= lr * (state + wd * weight)

    return Plain


def make_optimizer(mx: Any, base: str, hook: str, log: list[str], **more: Any) -> Any:
    """An optimizer derived from `base` with one method replaced by one that notes its calls and changes the result."""
    parent = _plain(mx) if base == "Plain" else getattr(mx.optimizer, base)
    body: dict[str, Any] = {}

    def noted(self: Any, index: Any, *arguments: Any, **named: Any) -> Any:
        log.append(f"{hook}{_told(index)}")
        result = getattr(super(made, self), hook)(index, *arguments, **named)
        if hook in ("_get_lr", "_get_wd"):
            return result * 0.5
        if hook in ("_get_lrs", "_get_wds"):
            return [each * 0.5 for each in result]
        return result

    if hook == "learning_rate":
        body["learning_rate"] = property(lambda self: 100.0)
    elif hook not in ("scheduler", "uneven"):
        body[hook] = noted
    made = type("Mine", (parent,), body)
    params = {"learning_rate": 0.1, "wd": 0.01, **BASES[base], **more}
    if hook == "scheduler":
        params["lr_scheduler"] = _scheduler(mx, log)
    elif hook == "uneven":
        params["lr_scheduler"] = mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=0.1)
    return made(**params)


def _scheduler(mx: Any, log: list[str]) -> Any:
    class Noting(mx.lr_scheduler.LRScheduler):
        def __call__(self, num_update: int) -> float:
            log.append(f"lr({num_update})")
            return self.base_lr / (1 + len(log) / 10)

    return Noting(base_lr=0.1)


def _values(seed: int, dtypes: list[str]) -> list[np.ndarray]:
    state = np.random.RandomState(seed)
    return [state.uniform(-1, 1, shape).astype(dtype) for shape, dtype in zip(SHAPES, dtypes)]


def run(mx: Any, base: str, hook: str, route: str) -> dict[str, Any]:
    """The calls that were noted, the counts, and the weights and states at the end."""
    log: list[str] = []
    mixed = {"multi_precision": True} if route == "mixed" else {}
    optimizer = make_optimizer(mx, base, hook, log, **mixed)
    weights = _ROUTES[route](mx, optimizer, hook)
    counts = {str(key): dict(value) for key, value in optimizer._all_index_update_counts.items()}
    return {
        "case": [base, hook, route],
        "log": "; ".join(log),
        "counts": {device: {str(key): value for key, value in each.items()} for device, each in counts.items()},
        "num_update": optimizer.num_update,
        "weights": [[float(f"{value:.7g}") for value in weight.asnumpy().ravel()] for weight in weights],
    }


def _steps(hook: str, count: int) -> list[list[int]]:
    """Which weights each step is about: all of them, or some, so that they do not count alike."""
    return [[*range(count)], [1, count - 1], [*range(count)]] if hook == "uneven" else [[*range(count)]] * 3


def _arrays(mx: Any, seed: int, dtypes: list[str]) -> list[Any]:
    return [mx.nd.array(value, dtype=value.dtype) for value in _values(seed, dtypes)]


def _by_updater(mx: Any, optimizer: Any, hook: str) -> list[Any]:
    updater = mx.optimizer.get_updater(optimizer)
    dtypes = DTYPES if optimizer.multi_precision else ["float32"] * len(SHAPES)
    weights = _arrays(mx, 1, dtypes)
    for step, chosen in enumerate(_steps(hook, len(weights))):
        grads = _arrays(mx, 10 + step, dtypes)
        updater(list(chosen), [grads[i] for i in chosen], [weights[i] for i in chosen])
    return weights


def _by_single_calls(mx: Any, optimizer: Any, hook: str) -> list[Any]:
    updater = mx.optimizer.get_updater(optimizer)
    dtypes = ["float32"] * len(SHAPES)
    weights = _arrays(mx, 1, dtypes)
    for step, chosen in enumerate(_steps(hook, len(weights))):
        grads = _arrays(mx, 10 + step, dtypes)
        for i in chosen:
            updater(f"w{i}", grads[i], weights[i])
    return weights


def _by_store(mx: Any, optimizer: Any, hook: str) -> list[Any]:
    store = mx.kv.create("local")
    dtypes = ["float32"] * len(SHAPES)
    weights = _arrays(mx, 1, dtypes)
    names = [f"w{i}" for i in range(len(weights))]
    store.init(names, weights)
    store.set_optimizer(optimizer)
    for step, chosen in enumerate(_steps(hook, len(weights))):
        grads = _arrays(mx, 10 + step, dtypes)
        pairs = [[grads[i].as_in_context(mx.cpu(k)) for k in range(2)] for i in chosen]
        store.push([names[i] for i in chosen], pairs)
    store.pull(names, out=weights)
    return weights


def _by_trainer(mx: Any, optimizer: Any, hook: str, contexts: int = 1, on_store: Any = None) -> list[Any]:
    places = [mx.cpu(k) for k in range(contexts)]
    params = [
        mx.gluon.Parameter(f"p{i}", shape=shape, init=mx.init.Constant(0.1 * (i + 1)), lr_mult=1 + i % 2, wd_mult=i)
        for i, shape in enumerate(SHAPES)
    ]
    for param in params:
        param.initialize(ctx=places)
    trainer = mx.gluon.Trainer(params, optimizer, update_on_kvstore=on_store)
    for step, chosen in enumerate(_steps(hook, len(params))):
        grads = _values(10 + step, ["float32"] * len(params))
        for place in places:
            with mx.autograd.record():
                loss = sum((params[i].data(place) * mx.nd.array(grads[i], ctx=place)).sum() for i in chosen)
            loss.backward()
        if contexts == 1 or on_store is False or hook != "uneven":
            trainer.step(2, ignore_stale_grad=hook == "uneven")
    return [param.data(places[-1]) for param in params]


def _by_module(mx: Any, optimizer: Any, hook: str) -> list[Any]:
    data = mx.sym.var("data")
    hidden = mx.sym.FullyConnected(data, num_hidden=3, name="one")
    net = mx.sym.LinearRegressionOutput(
        mx.sym.FullyConnected(hidden, num_hidden=2, name="two"), mx.sym.var("label"), name="out"
    )
    module = mx.mod.Module(net, ["data"], ["label"])
    module.bind([("data", (2, 4))], [("label", (2, 2))])
    module.init_params(mx.init.Constant(0.3))
    optimizer.rescale_grad = 0.5
    module.init_optimizer(optimizer=optimizer)
    for step in range(3):
        state = np.random.RandomState(20 + step)
        batch = mx.io.DataBatch(
            [mx.nd.array(state.uniform(-1, 1, (2, 4)))], [mx.nd.array(state.uniform(-1, 1, (2, 2)))]
        )
        module.forward_backward(batch)
        module.update()
    found = module.get_params()[0]
    return [found[name] for name in sorted(found)]


_ROUTES: dict[str, Any] = {
    "updater": _by_updater,
    "mixed": _by_updater,
    "single": _by_single_calls,
    "store": _by_store,
    "trainer": _by_trainer,
    "two": lambda mx, optimizer, hook: _by_trainer(mx, optimizer, hook, 2),
    "two_no_store": lambda mx, optimizer, hook: _by_trainer(mx, optimizer, hook, 2, on_store=False),
    "module": _by_module,
}


def main() -> int:
    """Records everything."""
    import mxnet as mx

    facts = [run(mx, *case) for case in cases()]
    built_in = {name: getattr(mx.optimizer, name)().aggregate_num for name in BASES if name != "Plain"}
    lines = ",\n".join(json.dumps(fact) for fact in [{"aggregate_num": built_in}, *facts])
    FIXTURE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
