"""Register every workload: its name, group, sides, inputs, sizes, number of calls, and what is timed.

`WORKLOADS` has one entry per row of RESULTS.md. An entry says which request each side of the comparison gets; the
adapters (adapter_mxnet.py, adapter_torch.py) answer these requests. `STEPS` is the table of networks: a step of it is
used by several groups. This file imports neither library, so that runner, workers and tests read the same tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import constants

# -- Networks: a step is one training step, or one call for inference --------------------------------------------------


class WarmUp(NamedTuple):
    """Number of untimed calls by library. This project measures kernels in its first calls, so it needs more."""

    ours: int = 80
    torch: int = 3
    mxnet: int = 3


USUAL_WARM_UP = WarmUp()


@dataclass(frozen=True)
class Step:
    """A training step or an inference call of a network.

    Args:
        network: key of NETWORKS in networks_mxnet.py and networks_torch.py, or a model of Gluon's model zoo.
        shape: shape of the input, batch first; of `next_words` (words, batch).
        loops: calls per measurement.
        optimizer: "sgd" or "adam" for forward, backward and update; "" for inference.
        rate: learning rate.
        inputs: key of INPUTS in inputs.py.
        loss: key of LOSSES in the networks files.
        fill: key of FILLS in inputs.py, the initial parameters.
        warm_up: calls before the first measurement.
        checked: number of warm-up calls whose results the sides must agree on. Two: before and after an update. Later
            ones differ by rounding, which normalization amplifies.
        is_deterministic: whether dropout is removed, so that all sides compute the same.
    """

    network: str
    shape: tuple[int, ...]
    loops: int = 1
    optimizer: str = ""
    rate: float = 0.0
    inputs: str = "images"
    loss: str = "classes"
    fill: str = "uniform"
    warm_up: WarmUp = USUAL_WARM_UP
    checked: int = 2
    is_deterministic: bool = False


NETWORKS = {
    "mlp_train": Step("mlp", (64, 784), 20, "sgd", 0.1),
    "lenet_train": Step("lenet", (64, 1, 28, 28), 4, "sgd", 0.05),
    "resnet18_infer_1": Step("resnet18_v1", (1, 3, 224, 224), 4),
    "resnet18_infer_8": Step("resnet18_v1", (8, 3, 224, 224), 1),
    "resnet18_train": Step("resnet18_v1", (16, 3, 64, 64), 1, "sgd", 0.001),
    "mobilenet_infer_1": Step("mobilenetv2_1.0", (1, 3, 224, 224), 6),
    "mobilenet_infer_8": Step("mobilenetv2_1.0", (8, 3, 224, 224), 1),
    "lstm_train": Step("lstm", (35, 20), 3, "sgd", 0.1, "next_words"),
    "transformer_train": Step("transformer", (8, 128, constants.UNITS), 3, "adam", 1e-4, "vectors", "squares"),
    "ssd_head_train": Step("ssd_head", (8,), 2, "sgd", 0.01, "feature_maps", "detection_head"),
    "adam_160_train": Step("dense_80", (16, 64), 10, "adam", 1e-4),  # 80 layers with a weight and a bias
}

# The rates are small: with random parameters and normalization every step changes the outputs much, and amplifies
# rounding. With these rates results change by some percent, more than the libraries differ. Large networks repeat the
# same layer, so that this project has measured its kernels after fewer calls.
LARGE = {
    "resnet50_infer_1": Step("resnet50_v1", (1, 3, 224, 224), 2, warm_up=WarmUp(60)),
    "resnet50_infer_8": Step("resnet50_v1", (8, 3, 224, 224), 1, warm_up=WarmUp(40)),
    "resnet50_train": Step("resnet50_v1", (8, 3, 128, 128), 1, "sgd", 1e-6, warm_up=WarmUp(30)),
    "bert_infer": Step("bert", (4, 128), 1, inputs="bert_tokens", warm_up=WarmUp(15)),
    # SGD, though Adam is usual: with Adam's two states per parameter the eight sides of a round exceed 24 GB.
    "bert_train": Step("bert", (4, 128), 1, "sgd", 1e-4, "bert_tokens", warm_up=WarmUp(10)),
    "ssd_mobilenet_train": Step(
        "ssd", (4, 3, constants.SSD_SIDE, constants.SSD_SIDE), 1, "sgd", 5e-4, "objects", "multibox", warm_up=WarmUp(60)
    ),
    "ssd_mobilenet_detect": Step(
        "ssd_detections", (1, 3, constants.SSD_SIDE, constants.SSD_SIDE), 3, inputs="objects", loss="multibox"
    ),
}

DEPTHS, BATCHES, DEEPEST = (10, 100, 1000), (1, 8, 64, 512), 5000
GROWTH = {
    **{
        f"depth_{depth}": Step(
            f"dense_{depth}",
            (constants.GROWTH_BATCH, constants.GROWTH_UNITS),
            max(1, 500 // depth),
            "sgd",
            1e-5,
            fill="near_identity",
            warm_up=WarmUp(12, 4, 12) if depth == DEEPEST else USUAL_WARM_UP,
        )
        for depth in (*DEPTHS, DEEPEST)
    },
    **{f"batch_{batch}": Step("lenet", (batch, 1, 28, 28), max(1, 64 // batch), "sgd", 0.01) for batch in BATCHES},
}

ZOO = {model: Step(model, (1, 3, *(299 if model == "inceptionv3" else 224,) * 2), 2) for model in constants.MODELS}

# No kernel was written or tuned for these networks and shapes. The sides of images leave the last pooling layer some
# input: 7 places for DenseNet, 13 for SqueezeNet.
UNTUNED = {
    "resnet34_v2_infer": Step("resnet34_v2", (2, 3, 160, 160), 2),
    "vgg11_infer": Step("vgg11", (1, 3, 224, 224), 2),
    "densenet121_infer": Step("densenet121", (3, 3, 240, 240)),
    "separable_infer": Step("separable", (5, 3, 75, 75), 8),
    "mobilenet0.5_train": Step("mobilenet0.5", (12, 3, 96, 96), 1, "sgd", 1e-4),
    "squeezenet1.1_train": Step("squeezenet1.1", (6, 3, 230, 230), 1, "sgd", 2e-4),
    "unet_train": Step("unet", (2, 3, 96, 96), 1, "sgd", 5e-3, "masks", "squares"),
    "signals_train": Step("signals", (16, 8, 400), 4, "sgd", 1e-3),
    "gru_train": Step("gru", (24, 60), 2, "sgd", 1e-2, "gru_words"),
    "elu_mlp_train": Step("elu_mlp", (48, 200), 10, "adam", 1e-4),
}
UNTUNED = {name: replace(step, is_deterministic=True) for name, step in UNTUNED.items()}

# A Python loop whose number of iterations is read from an array, so that it cannot be hybridized: 60 small operators.
EAGER = {
    "eager_network": Step(
        "eager_loop",
        (constants.EAGER_BATCH, constants.EAGER_STEPS, constants.EAGER_UNITS),
        20,
        "sgd",
        0.05,
        "sequence",
        fill="half",
        warm_up=WarmUp(5, 5, 5),
        checked=3,
    )
}
STEPS = {**NETWORKS, **LARGE, **GROWTH, **ZOO, **UNTUNED, **EAGER}


class RankStep(NamedTuple):
    """Training steps over several ranks.

    Args:
        loops: steps per measurement.
        warm_up: steps before the first measurement on this project's side.
        rate: learning rate.
        shape: shape of one rank's input, batch first.
    """

    loops: int
    warm_up: int
    rate: float
    shape: tuple[int, ...]


RANK_STEPS = {
    "mlp": RankStep(20, 80, 0.05, (64, 784)),
    "lenet": RankStep(10, 80, 0.02, (32, 1, 28, 28)),
    "resnet18": RankStep(2, 24, 0.001, (16, 3, 64, 64)),
}
RANKS = (1, 2, 4, 8)
SUM_SIZES = tuple(1024 * 4**power for power in range(9))  # bytes: 1 kB to 64 MB

# -- Rows of the report ------------------------------------------------------------------------------------------------

GROUPS = {  # titles of the sections of RESULTS.md, in the order of the runs; startup is first, as it measures imports
    "startup": "Import, files, memory over time",
    "dispatch": "Eager calls",
    "networks": "Networks",
    "zoo": "Model zoo",
    "untuned": "Untuned networks",
    "processors": "Processors",
    "jobs": "Whole jobs",
    "growth": "Growth of cost",
    "data": "Reading data",
    "operators": "Operators",
    "distributed": "Distributed training",
}
MINE, ALTERNATIVE = "ours", "ours otherwise"  # the second is another way to the same result in this project
COMPILED = "torch compiled"
MODES = {  # by side: the mode in which it runs a step
    "ours": "eager",
    "ours hybridized": "hybridized",
    "torch": "eager",
    "torch tuned": "tuned",  # channels last, fused optimizer
    COMPILED: "compiled",  # torch.compile; frozen for inference
    "MXNet": "eager",
    "MXNet hybridized": "hybridized",
    "MXNet static": "static",  # static_alloc and static_shape
}
GRAPH_MODES = {side: mode for side, mode in MODES.items() if side not in ("ours", "MXNet")}  # of zoo and untuned
GROWTH_MODES = {side: MODES[side] for side in ("ours", "ours hybridized", "torch", "MXNet static")}
PROCESSOR_MODES = {side: MODES[side] for side in ("ours hybridized", "torch", "torch tuned")}
ALL, BOTH = ("ours", "torch", "MXNet"), ("ours", "MXNet")


@dataclass(frozen=True)
class Workload:
    """One workload of the report.

    Args:
        name: name on the command line, unique over all groups.
        group: key of GROUPS.
        timed: what one sample covers.
        requests: by side, the request that its worker answers; `{path}` stands for a file that the group writes.
        rows: keys in results.json if they differ from the name; empty if the report states the result in a sentence.
    """

    name: str
    group: str
    timed: str
    requests: Mapping[str, str]
    rows: tuple[str, ...] | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of its rows in results.json."""
        return (self.name,) if self.rows is None else self.rows


def _same(request: str, sides: tuple[str, ...]) -> dict[str, str]:
    return dict.fromkeys(sides, request)


def _in_modes(request: str, modes: Mapping[str, str]) -> dict[str, str]:
    return {side: request.replace("{mode}", mode) for side, mode in modes.items()}


def _describe(step: Step) -> str:
    what = f"a training step with {step.optimizer.upper()}" if step.optimizer else "inference"
    return f"{what}, input {' x '.join(map(str, step.shape))}"


# Import, files, memory over time
MEMORY_STEPS = 20000
STARTUP = [
    Workload("import", "startup", "`import mxnet` or `import torch` in a fresh process", {}, ("seconds",)),
    Workload(
        "open_params",
        "startup",
        "open a file of 100 MB, read an element of each of its 100 arrays",
        {
            "ours": "open_params {path}",
            "torch": "open_params {path}",
            "torch mapped": "open_params_mapped {path}",
            "MXNet": "open_params {path}",
        },
    ),
    Workload(
        "memory_growth",
        "startup",
        "growth over 20,000 recorded steps",
        _same(f"memory_growth {MEMORY_STEPS}", BOTH),
        (),
    ),
]

# Eager calls: arrays of 3 x 4
CALLS = {  # operators with attributes; each is measured alone, and together with its backward
    "sum_axis": "sum over axis 1",
    "mean_axis": "mean over axis 0",
    "fully_connected": "4 x 16 times 16 x 16, and a bias",
    "reshape": "3 x 4 to 4 x 3",
    "transpose": "3 x 4 to 4 x 3",
    "slice": "two of three rows",
    "concat": "two arrays along axis 1",
    "softmax": "over the last axis",
    "clip": "to 0..1",
    "relu": "relu",
    "activation": "tanh",
}
ALL_CALLS = {
    "add": "a + b",
    "recorded_add": "a + b while recording",
    "add_scalar": "a + 1.5",
    "mul_chain": "eight products",
    "recorded_mul_chain": "eight products while recording",
    "backward_step": "a * b + c while recording, and its backward",
    **CALLS,
    **{f"{name}_backward": f"{timed}; while recording, and its backward" for name, timed in CALLS.items()},
}
EAGER_REQUESTS = _in_modes("network eager_network {mode}", {"ours": "eager", "torch": "tuned", "MXNet": "eager"})
DISPATCH = [
    *(Workload(name, "dispatch", timed, _same(name, ALL)) for name, timed in ALL_CALLS.items()),
    Workload("eager_network", "dispatch", "a training step of a Python loop over 60 operators", EAGER_REQUESTS),
]

# Networks; model zoo and untuned networks, which torch builds from Gluon's graphs
# torch.compile takes up to minutes for a model: unless --sides asks for it, only one model of each family has it.
COMPILED_MODELS = ("resnet50_v1", "vgg16", "densenet121", "squeezenet1.1", "inceptionv3", "mobilenetv2_1.0")
UNTUNED_MODES = {side: mode for side, mode in GRAPH_MODES.items() if side != COMPILED}
NETWORK_ROWS = [
    Workload(name, group, _describe(step), _in_modes(f"network {name} {{mode}}{path}", modes))
    for group, steps, modes, path in (
        ("networks", {**NETWORKS, **LARGE}, MODES, ""),
        ("zoo", ZOO, GRAPH_MODES, " {path}"),
        ("untuned", UNTUNED, UNTUNED_MODES, " {path}"),
    )
    for name, step in steps.items()
]

# Processors: limits of instruction sets and threads; threads that call one network
LIMITS, THREADS, PREDICTION_THREADS = ("sse4", "avx2", "avx512"), (1, 2, 4, 8), 10
WITH_THREADS = ("mlp_train", "lenet_train", "resnet18_infer_8", "lstm_train")
AT_LIMITS = (*WITH_THREADS[:3], "resnet18_train", "mobilenet_infer_1", "lstm_train", "transformer_train")
PREDICTIONS = {"lenet": ("batch_1", 100), "resnet18": ("resnet18_infer_1", 4)}  # step, calls of each thread
PROCESSORS = [
    *(
        Workload(
            f"{name}_{suffix}{setting}",
            "processors",
            f"{_describe(STEPS[name])}; limited to {setting} {suffix.strip('_')}".rstrip(),
            _in_modes(f"network {name} {{mode}}", PROCESSOR_MODES),
            (f"{name}, {setting}",),
        )
        for names, settings, suffix in ((AT_LIMITS, LIMITS, ""), (WITH_THREADS, THREADS, "threads_"))
        for setting in settings
        for name in names
    ),
    *(
        Workload(
            f"predicting_{network}",
            "processors",
            f"one call of 1 and of {PREDICTION_THREADS} Python threads that share a network",
            {
                f"{side} {count}": f"predicting_threads {network} {count} {MODES[side]}"
                for count in (1, PREDICTION_THREADS)
                for side in ("ours hybridized", "torch")
            },
        )
        for network in PREDICTIONS
    ),
]

# Whole jobs
INT8 = "int8_resnet18"
JOBS = [
    Workload(
        "lenet_epoch",
        "jobs",
        "6,000 images through a loader with transforms, accuracy, SGD",
        {MINE: "lenet_epoch hybridized", "torch": "lenet_epoch", "MXNet": "lenet_epoch static"},
    ),
    Workload(
        "module_fit",
        "jobs",
        "`Module.fit` over the same images in an array; elsewhere a loop as Gluon's",
        {MINE: "module_fit", ALTERNATIVE: "gluon_fit hybridized", "torch": "gluon_fit", "MXNet": "module_fit"},
    ),
    Workload(
        "deepar_epoch",
        "jobs",
        "50 batches of windows cut out of series in Python, two LSTM layers as one operator, Adam",
        {MINE: "deepar_epoch hybridized fused", "torch": "deepar_epoch", "MXNet": "deepar_epoch static fused"},
    ),
    Workload(
        "deepar_unrolled",
        "jobs",
        "the same with unrolled LSTM cells, as GluonTS writes it",
        {
            MINE: "deepar_epoch hybridized",
            ALTERNATIVE: "deepar_epoch hybridized fused",
            "torch": "deepar_epoch",
            "MXNet": "deepar_epoch static",
        },
    ),
    Workload(
        "bucketed_lstm",
        "jobs",
        "a training step of a language model on a batch of each of 20 sentence lengths",
        {MINE: "bucketed_lstm hybridized", "torch": "bucketed_lstm", "MXNet": "bucketed_lstm static"},
    ),
    Workload(
        INT8,
        "jobs",
        "8 images of 224 x 224 in int8; elsewhere in float32",
        {
            MINE: INT8,
            ALTERNATIVE: "network resnet18_infer_8 hybridized",
            "torch": "network resnet18_infer_8 tuned",
            "MXNet": "network resnet18_infer_8 static",
        },
    ),
]

# Growth of cost; the deepest network is last, as it takes the most memory
NUM_SHAPES = 1000
SIZES = {  # requests whose time is compared between two sizes
    **{f"{kind}_{size}": f"{kind} {size}" for kind in ("first_step", "tojson") for size in (1000, 10000)},
    **{f"unused_{size}": f"unused_parameters {size} hybridized" for size in (10, 10000)},
    **{f"unused_eager_{size}": f"unused_parameters {size} eager" for size in (10, 10000)},
}
GROWTH_ROWS = [
    *(
        Workload(name, "growth", _describe(step), _in_modes(f"network {name} {{mode}}", GROWTH_MODES))
        for name, step in sorted(GROWTH.items(), key=lambda item: item[0] == f"depth_{DEEPEST}")
    ),
    *(Workload(name, "growth", request, _same(request, BOTH)) for name, request in SIZES.items()),
    Workload("load_large", "growth", "memory and seconds to load a large file", _same("load_large {path}", BOTH), ()),
    Workload(
        "many_shapes", "growth", "memory growth over 1,000 image shapes", _same(f"many_shapes {NUM_SHAPES}", BOTH), ()
    ),
]

# Reading data
DATA = [
    Workload(name, "data", timed, _same(f"{name} {{path}}", ALL if "loader" in name else BOTH))
    for name, timed in {
        "loader_0_workers": "`DataLoader` over 10,240 images in memory, normalized one by one",
        "loader_2_workers": "the same with two workers",
        "ImageRecordIter_1_thread": "`ImageRecordIter` over 400 photographs: resize 256, crop 224",
        "ImageRecordIter_2_threads": "the same with two threads",
        "ImageRecordDataset_2_workers": "the same file as a dataset of Gluon with two workers",
        "read_idx": "10,000 records of an indexed file by their keys, in random order",
    }.items()
]

# Operators
OPERATORS = [
    Workload(name, "operators", timed, _same(name, BOTH))
    for name, timed in {
        "box_nms": "10,000 boxes of 20 classes",
        "ROIAlign": "256 boxes on two maps of 256 channels, 38 x 50",
        "MultiBoxTarget": "the 8,732 anchors of SSD-300, a batch of 8 images with 10 objects each",
        "CTCLoss": "50 steps, batch 32, 60 classes, labels of 15; forward and backward",
        "topk": "values and indices of the 100 largest of a million numbers",
        "sort": "a million numbers",
        "sparse_dot": "a CSR matrix of 10,000 x 10,000, 1% stored, times a dense one of 10,000 x 64",
        "sparse_dot_transposed": "the same with the CSR matrix transposed",
        "sparse_embedding_step": "a training step that touches 2,000 of the 100,000 rows of an Embedding, SGD",
        "multi_sgd": "SGD with momentum over 160 arrays of 64 x 64 in one call of the optimizer",
    }.items()
]

# Distributed training
RANK_ROWS = {
    f"{step}_{ranks}": (step, ranks) for step in RANK_STEPS for ranks in (2, 4) if step != "resnet18" or ranks == 2
}
RANK_MODES = {"ours": "", "torch": "", "torch static": " static", "torch tuned": " tuned"}
CURVES = (
    *(f"all_reduce_{size}" for size in SUM_SIZES),
    *(f"{kind}_{step}" for kind in ("step", "parts") for step in RANK_STEPS),
)


def format_size(size: int) -> str:
    """Return a number of bytes in kB or MB."""
    return f"{size // 1024} kB" if size < 2**20 else f"{size // 2**20} MB"


DISTRIBUTED = [
    *(
        Workload(
            name,
            "distributed",
            f"a training step with SGD on {ranks} ranks, input {' x '.join(map(str, RANK_STEPS[step].shape))} each",
            {side: f"step {step}{mode}" for side, mode in RANK_MODES.items()},
        )
        for name, (step, ranks) in RANK_ROWS.items()
    ),
    Workload("gradients_100MB", "distributed", "a sum of 100 MB over 2 ranks", _same("gradients", ("ours", "torch"))),
    Workload(
        "compression",
        "distributed",
        "bytes that a rank sends in a step of LeNet",
        {"ours": "bytes none", "ours compressed": "bytes 2bit"},
    ),
    Workload(
        "ranks_and_sizes",
        "distributed",
        "sums of 1 kB to 64 MB and training steps on 1 to 8 ranks",
        {f"ours {curve}": curve[::-1].replace("_", " ", 1)[::-1] for curve in CURVES},
        (*(f"sum of {format_size(size)}" for size in SUM_SIZES), *(f"step of {step}" for step in RANK_STEPS)),
    ),
]

WORKLOADS: tuple[Workload, ...] = (
    *STARTUP,
    *DISPATCH,
    *NETWORK_ROWS,
    *PROCESSORS,
    *JOBS,
    *GROWTH_ROWS,
    *DATA,
    *OPERATORS,
    *DISTRIBUTED,
)


def select(group: str) -> dict[str, Workload]:
    """Return the workloads of a group by name, in the order of the report."""
    return {workload.name: workload for workload in WORKLOADS if workload.group == group}
