"""What was sought before anything was measured."""

from typing import NamedTuple


class Goal(NamedTuple):
    """The most that our time may be of the best time of PyTorch, and of that of MXNet; the least share of the limit."""

    torch: float | None = None
    mxnet: float | None = None
    limit: float | None = None


DISPATCH = {"add": Goal(1.5, 0.14), "recorded_add": Goal(1.5, 0.14)}
NETWORKS = {
    "mlp_train": Goal(0.80, 0.25),
    "lenet_train": Goal(0.65, 0.35),
    "resnet18_infer_8": Goal(0.98, 0.55, 0.85),
    "resnet18_train": Goal(0.85, 0.50),
    "mobilenet_infer_1": Goal(0.85, 0.18),
    "lstm_train": Goal(0.80, 0.40),
    "transformer_train": Goal(0.90, 0.40),
    "adam_160_train": Goal(0.90, 0.25),
}
DISTRIBUTED = {  # ours / the best of DistributedDataParallel, / one flat all_reduce, / without compression
    "mlp_2": 1.0,
    "mlp_4": 1.0,
    "lenet_2": 1.0,
    "lenet_4": 1.0,
    "resnet18_2": 0.9,
    "gradients_100MB": 1.05,
    "compression": 1 / 15,
}
PEAK_MEMORY = 1.0  # of ours, hybridized, against torch's
FIRST_CALL = {"resnet18_infer_1": 1.0, "resnet18_infer_8": 1.0}  # seconds, hybridized
OPEN_PARAMS = (None, 0.5)  # ours / the best of torch, ours / MXNet
IMPORT_EXTRA = 0.3  # seconds that `import mxnet` adds to `import torch`
