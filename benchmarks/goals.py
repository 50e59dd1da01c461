"""State the goals that were set before measuring: the most that each ratio or cost may be."""

from typing import NamedTuple

from workloads import CALLS


class Goal(NamedTuple):
    """Upper bounds of our time / PyTorch's best and / MXNet's best; a lower bound of the share of the peak."""

    torch: float | None = None
    mxnet: float | None = None
    limit: float | None = None


DISPATCH = {
    "add": Goal(1.5, 0.14),
    "recorded_add": Goal(1.5, 0.14),
    "eager_network": Goal(1.3, 0.25),
    **dict.fromkeys(CALLS, Goal(1.5, 0.12)),
    **dict.fromkeys((f"{name}_backward" for name in CALLS), Goal(1.5, 0.15)),
}
NETWORKS = {
    "mlp_train": Goal(0.80, 0.25),
    "lenet_train": Goal(0.65, 0.35),
    "resnet18_infer_8": Goal(0.98, 0.55, 0.85),
    "resnet18_train": Goal(0.85, 0.50),
    "mobilenet_infer_1": Goal(0.85, 0.18),
    "lstm_train": Goal(0.80, 0.40),
    "transformer_train": Goal(0.90, 0.40),
    "adam_160_train": Goal(0.90, 0.25),
    "resnet50_infer_1": Goal(0.80, 0.50),
    "resnet50_infer_8": Goal(0.80, 0.50),
    "resnet50_train": Goal(0.70, 0.45),
    "bert_infer": Goal(0.95, 0.45),
    "bert_train": Goal(0.95, 0.45),
    "ssd_mobilenet_train": Goal(0.80, 0.35),
    "ssd_mobilenet_detect": Goal(0.80, 0.35),
}
PROCESSORS = Goal(1.05)  # at every limit of instructions and of threads
PREDICTING = 0.95  # lower bound of our speedup by threads / torch's
ZOO_MEAN, ZOO_WORST = Goal(0.75, 0.40), Goal(1.0, 0.70)  # geometric mean and largest of the ratios of all models
UNTUNED_MEAN, UNTUNED_WORST = ZOO_MEAN, Goal(1.05, 1.0)  # of the ratios of all networks
DATA = {  # times for one image or record: ours / torch, ours / MXNet
    "loader_0_workers": (1 / 1.5, 1 / 3),
    "loader_2_workers": (1 / 1.5, 1 / 3),
    "ImageRecordIter_1_thread": (None, 1 / 0.95),
    "ImageRecordIter_2_threads": (None, 1 / 0.95),
    "ImageRecordDataset_2_workers": (None, 1 / 1.2),
    "read_idx": (None, 1.0),
}
JOBS = {  # ours / torch, ours / MXNet, ours / the alternative in this project
    "lenet_epoch": (0.50, 0.20, None),
    "module_fit": (None, 0.25, 1.05),
    "deepar_epoch": (0.80, 0.35, None),
    "deepar_unrolled": (None, 0.35, None),
    "bucketed_lstm": (0.75, 0.40, None),
    "int8_resnet18": (None, None, 0.50),
}
JOB_MEMORY = Goal(1.0, 1.0)
GROWTH = {  # seconds at most
    "first_step_10000": 3.0,
    "tojson_10000": 1.0,
}
LINEAR = 1.2  # upper bound of the growth of time / growth of size
FLAT = 1.1  # upper bound of the growth of time by sizes that should not matter
LOAD_MEMORY = 50.0  # megabytes by which a process grows for a file of any size
SHAPES_MEMORY = 100.0  # megabytes by which a process grows for any number of shapes
DISTRIBUTED = {  # ours / the best of DistributedDataParallel, / one flat all_reduce, / without compression
    "mlp_2": 1.0,
    "mlp_4": 1.0,
    "lenet_2": 1.0,
    "lenet_4": 1.0,
    "resnet18_2": 0.9,
    "gradients_100MB": 1.05,
    "compression": 1 / 15,
}
PEAK_MEMORY = Goal(1.0)  # of ours, hybridized
PEAK_MEMORY_LARGE = Goal(1.0, 1.0)  # of the larger networks
FIRST_CALL = {  # seconds, hybridized
    "resnet18_infer_1": 1.0,
    "resnet18_infer_8": 1.0,
    "resnet50_infer_1": 1.0,
    "resnet50_infer_8": 1.0,
}
OPEN_PARAMS = (None, 0.5)  # ours / the best of torch, ours / MXNet
IMPORT_EXTRA = 0.25  # seconds that `import mxnet` adds to `import torch`
