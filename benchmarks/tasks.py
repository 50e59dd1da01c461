"""Write the workloads that all libraries share, once, in terms of adapter.py."""

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import constants
import inputs
import numpy as np
from adapter import Adapter, Array, ImageSet, Network, Run
from worker import Job, Task, Timed
from workloads import PREDICTIONS, STEPS, Step

# -- Networks ----------------------------------------------------------------------------------------------------------


def make_run(adapter: Adapter, network: Network, step: Step, mode: str) -> Run:
    """Return the training step or the inference call of a network."""
    if step.optimizer:
        return adapter.training(network, mode, step.optimizer, step.rate)
    return adapter.inference(network, mode)


def network_step(adapter: Adapter, argument: str) -> Job:
    """Measure a step: `lenet_train static`, or with the file of its graph `vgg16 tuned /tmp/vgg16.json`."""
    name, mode, path = f"{argument}  ".split(" ", 2)
    step = STEPS[name]
    return Job(
        make_run(adapter, adapter.network(step, path.strip()), step, mode),
        adapter.wait,
        step.loops,
        adapter.warm_up(step),
        adapter.results(step),
        checked=step.checked,
    )


class Team:
    """Threads that stay alive and make their calls together whenever the team is called.

    Args:
        calls: the call of each thread.
        loops: how often each thread makes it.
    """

    def __init__(self, calls: list[Callable[[], Array]], loops: int) -> None:
        self._calls, self._loops = calls, loops
        self._pool, self._together = ThreadPoolExecutor(len(calls)), threading.Barrier(len(calls))

    def __call__(self) -> list[Array]:
        """Return the last result of each thread."""
        return list(self._pool.map(self._repeat, self._calls))

    def _repeat(self, call: Callable[[], Array]) -> Array:
        self._together.wait()  # otherwise a thread that starts early would also take the call of another
        for _ in range(self._loops - 1):
            call()
        return call()


def predicting_threads(adapter: Adapter, argument: str) -> Job:
    """Measure one call of a network by so many threads at the same time: `lenet 10 hybridized`."""
    name, count, mode = argument.split()
    step_name, calls = PREDICTIONS[name]
    step = STEPS[step_name]
    network = adapter.network(step)
    run = adapter.inference(network, mode)
    for _ in range(adapter.warm_up(step)):
        run()
    adapter.wait()
    predict, data = adapter.predict(network), network.data[0]
    # Each thread has data of its own, so that a result that reaches the wrong thread shows.
    team = Team([partial(predict, data * (1 - number / 20)) for number in range(int(count))], calls)
    return Job(team, warm_up=2, share=int(count) * calls)


# -- Eager calls -------------------------------------------------------------------------------------------------------


CALL_LOOPS = 1000  # eager calls per measurement


def _uniform(*shape: int) -> np.ndarray:
    return np.random.RandomState(0).uniform(-1, 2, shape).astype("float32")


def _add(left: Array, right: Array, loops: int) -> Array:
    for _ in range(loops):
        found = left + right
    return found


def _multiply(left: Array, b: Array, loops: int) -> Array:
    for _ in range(loops):
        found = left * b * b * b * b * b * b * b * b
    return found


def _repeat(call: Callable[[Array], Array], array: Array, loops: int) -> Array:
    for _ in range(loops):
        found = call(array)
    return found


def eager_calls(adapter: Adapter) -> dict[str, Task]:
    """Return the tasks that measure small calls. `repeat(loops)` makes many calls and returns the last result."""

    def timed(repeat: Callable[[int], Array]) -> Task:
        return Timed(lambda argument: Job(lambda: [repeat(CALL_LOOPS)], adapter.wait, warm_up=2, share=CALL_LOOPS))

    def timed_recorded(repeat: Callable[[int], Array]) -> Task:
        def run() -> list[Array]:
            with adapter.record():
                return [repeat(CALL_LOOPS)]

        return Timed(lambda argument: Job(run, adapter.wait, warm_up=2, share=CALL_LOOPS))

    a, b = (adapter.array(np.full((3, 4), value, "float32")) for value in (0.5, 1.5))
    variable = adapter.variable(a)
    tasks = {
        "add": timed(partial(_add, a, b)),
        "recorded_add": timed_recorded(partial(_add, variable, b)),
        "add_scalar": timed(partial(_add, a, 1.5)),
        "mul_chain": timed(partial(_multiply, a, b)),
        "recorded_mul_chain": timed_recorded(partial(_multiply, variable, b)),
        "backward_step": timed(partial(adapter.backward_step, variable, a, b)),
    }
    shapes = {"x": (3, 4), "other": (3, 4), "wide": (4, 16), "weight": (16, 16), "bias": (16,)}
    arrays = {name: adapter.array(_uniform(*shape)) for name, shape in shapes.items()}
    for name, (array, call) in adapter.calls(arrays).items():
        head = adapter.array(_uniform(*call(array).shape))  # not the same everywhere
        tasks[name] = timed(partial(_repeat, call, array))
        tasks[f"{name}_backward"] = timed(partial(adapter.backward_call, call, adapter.variable(array), head))
    return tasks


# -- Files and data ----------------------------------------------------------------------------------------------------


def save_params(adapter: Adapter, path: str) -> float:
    """Write the model of 100 MB that `open_params` opens; not a measurement."""
    adapter.save_params(path)
    return 0.0


def open_params(adapter: Adapter, path: str, is_mapped: bool = False) -> Job:
    """Open a file and read one element of every array."""
    return Job(lambda: [adapter.open_params(path, is_mapped)], adapter.wait)


def memory_loader(adapter: Adapter, argument: str, num_workers: int) -> Job:
    """Measure an image of a pass over images in memory."""
    order, batch = inputs.digits_order(), constants.READ_BATCH
    images = ImageSet(*inputs.digits(), constants.DIGITS_MEAN, constants.DIGITS_DEVIATION, batch, order)
    loader = adapter.loader(images, num_workers)
    return Job(lambda: adapter.read(loader), adapter.wait, share=constants.NUM_READ)


# -- Whole jobs --------------------------------------------------------------------------------------------------------


def _means(adapter: Adapter, losses: list[Array]) -> list[Array]:
    return [adapter.mean(loss) for loss in losses]


class Classifier:
    """Train LeNet on batches of images, and count its correct answers."""

    def __init__(self, adapter: Adapter, mode: str) -> None:
        self._adapter, self._accuracy = adapter, adapter.accuracy()
        self._train = adapter.trainer(STEPS["lenet_train"], mode, constants.CLOTHES_RATE)

    def epoch(self, batches) -> list[Array]:
        """Return the losses of the first batches, and the accuracy."""
        self._accuracy.reset()
        losses: list[Array] = []
        for data, label in batches:
            outputs, loss = self._train(data, label)
            self._accuracy.update(label, outputs)
            if len(losses) < constants.NUM_CHECKED_BATCHES:
                losses.append(loss)
        return [*losses, self._adapter.array(np.array([self._accuracy.get()], "float32"))]


def lenet_epoch(adapter: Adapter, mode: str) -> Job:
    """Measure an epoch over images that transforms convert one by one, without workers."""
    images, labels = inputs.clothes()
    order, batch = inputs.clothes_order(len(labels)), constants.CLOTHES_BATCH
    loader = adapter.loader(
        ImageSet(images, labels, constants.CLOTHES_MEAN, constants.CLOTHES_DEVIATION, batch, order), num_workers=0
    )
    classifier = Classifier(adapter, mode)
    return Job(lambda: classifier.epoch(loader), adapter.wait, warm_up=2, results=partial(_means, adapter), checked=1)


def gluon_fit(adapter: Adapter, mode: str) -> Job:
    """Measure an epoch over arrays that need no transforms."""
    batches, classifier = adapter.clothes_batches(), Classifier(adapter, mode)
    return Job(
        lambda: classifier.epoch(batches()), adapter.wait, warm_up=2, results=lambda found: found[-1:], checked=1
    )


def deepar_epoch(adapter: Adapter, argument: str) -> Job:
    """Measure an epoch of DeepAR over windows that a sampler in Python cuts out of series: `static fused`."""
    mode, _, layers = argument.partition(" ")
    values, seeds = inputs.series(), itertools.count()
    train = adapter.forecaster(mode, layers == "fused", next(inputs.windows(values, 0)))

    def run() -> list[Array]:
        losses: list[Array] = []
        total = adapter.array(np.zeros(1, "float32"))
        for batch in inputs.windows(values, next(seeds)):
            loss = train(batch)
            total += adapter.mean(loss)
            if len(losses) < constants.NUM_CHECKED_BATCHES:
                losses.append(loss)
        return [*losses, total]

    return Job(run, adapter.wait, warm_up=2, results=partial(_means, adapter), checked=1)


def bucketed_lstm(adapter: Adapter, mode: str) -> Job:
    """Measure a training step of a language model on a batch of each of many lengths."""
    train = adapter.trainer(STEPS["lstm_train"], mode, constants.SENTENCE_RATE)
    batches = [(adapter.array(words[:-1]), adapter.array(words[1:])) for words in inputs.sentences()]
    # Twelve passes: this project measures kernels in the first calls with each length.
    warm_up = 12 if adapter.library == "ours" else 2

    def run() -> list[Array]:
        return [train(data, label)[1] for data, label in batches]

    return Job(run, adapter.wait, warm_up=warm_up, results=partial(_means, adapter), checked=1)


def make_tasks(adapter: Adapter) -> dict[str, Task]:
    """Return the shared tasks of a library by the first word of their requests."""
    return {
        **eager_calls(adapter),
        "network": Timed(partial(network_step, adapter)),
        "predicting_threads": Timed(partial(predicting_threads, adapter)),
        "save_params": partial(save_params, adapter),
        "open_params": Timed(partial(open_params, adapter)),
        "loader_0_workers": Timed(partial(memory_loader, adapter, num_workers=0)),
        "loader_2_workers": Timed(partial(memory_loader, adapter, num_workers=2)),
        "lenet_epoch": Timed(partial(lenet_epoch, adapter)),
        "gluon_fit": Timed(partial(gluon_fit, adapter)),
        "deepar_epoch": Timed(partial(deepar_epoch, adapter)),
        "bucketed_lstm": Timed(partial(bucketed_lstm, adapter)),
    }
