"""The larger networks that are measured, and what every side has to do alike with them.

The files networks_*_gluon.py build them for this library and for the real MXNet, networks_*_torch.py for PyTorch;
parameters go by their order.
"""

from networks import Work

# Learning rates: networks whose parameters are random and that normalize turn far with every step, and how libraries
# round is turned with them. With these rates results change by some percent, much more than they differ.
LARGE = {
    "resnet50_infer_1": Work(2),
    "resnet50_infer_8": Work(1),
    "resnet50_train": Work(1, "sgd", 1e-6),
    "bert_infer": Work(1),
    # SGD, though Adam is usual: with Adam's two more arrays the eight sides of a round would not fit into 24 GB.
    "bert_train": Work(1, "sgd", 1e-4),
    "ssd_mobilenet_train": Work(1, "sgd", 5e-4),
    "ssd_mobilenet_detect": Work(3),
}
# Like SETTLED of networks.py, times that this library does a work before time counts: fewer, because a step takes long
# and repeats the same layer many times, so that its kernels are tried out in fewer calls.
LARGE_SETTLED = {
    "resnet50_infer_1": 60,
    "resnet50_infer_8": 40,
    "resnet50_train": 30,
    "bert_infer": 15,
    "bert_train": 10,
    "ssd_mobilenet_train": 60,
    "ssd_mobilenet_detect": 80,
}

BOTTLENECKS = ((256, 3), (512, 4), (1024, 6), (2048, 3))  # of ResNet-50: channels and depth of its stages

BERT_WORDS, BERT_POSITIONS, BERT_LAYERS = 30522, 512, 12
BERT_UNITS, BERT_HEADS, BERT_WIDE, BERT_CLASSES = 768, 12, 3072, 2
BERT_BATCH, BERT_LENGTH = 4, 128

SSD_SIDE, SSD_CLASSES, SSD_OBJECTS = 256, 20, 4  # classes without background; the most objects of an image
# Of MobileNet 1.0: channels and strides of its pairs of convolutions.
MOBILE = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1))
TAPS = (5, 11, 13)  # pairs after which boxes are predicted: maps of 32, 16 and 8 places a side
EXTRA = ((256, 512), (128, 256))  # channels, narrow and wide, of what halves the last map further: 4 and 2 a side
SSD_SIZES = ((0.1, 0.14), (0.2, 0.27), (0.37, 0.45), (0.54, 0.62), (0.71, 0.79))
SSD_RATIOS = (1.0, 2.0, 0.5)
SSD_ANCHORS = len(SSD_SIZES[0]) + len(SSD_RATIOS) - 1  # at each place
VARIANCES = (0.1, 0.1, 0.2, 0.2)  # by which shifts and stretches of boxes are divided
OVERLAP, MINING_RATIO, MINING_OVERLAP = 0.5, 3.0, 0.5  # of anchors and objects
SCORE, SUPPRESSION, NMS_TOP = 0.01, 0.45, 400  # of detections
