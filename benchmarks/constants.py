"""Sizes and hyperparameters of the networks and jobs, as far as both libraries need them.

Shapes of inputs, batches and learning rates of single workloads are in workloads.py.
"""

import numpy as np

# Epsilon of Adam: so small that it does not matter that the libraries add it in different places.
EPSILON = 1e-12
MOMENTUM = 0.9  # of SGD over several ranks

# -- Networks ----------------------------------------------------------------------------------------------------------

LSTM_WORDS, LSTM_UNITS = 1000, 200

# A transformer layer.
UNITS, HEADS, WIDE = 256, 4, 1024

# A detection head: its inputs are given as channels and side.
CLASSES, ANCHORS, MAPS = 21, 4, ((128, 32), (256, 16), (256, 8))

# MobileNetV2: expansion, channels, number of blocks, stride of the first block.
INVERTED = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))

# ResNet-50: channels and depth of its stages.
BOTTLENECKS = ((256, 3), (512, 4), (1024, 6), (2048, 3))

# BERT-base with a classifier.
BERT_WORDS, BERT_POSITIONS, BERT_LAYERS = 30522, 512, 12
BERT_UNITS, BERT_HEADS, BERT_WIDE, BERT_CLASSES = 768, 12, 3072, 2

# A single-shot detector on MobileNet 1.0.
SSD_SIDE, SSD_CLASSES, SSD_OBJECTS = 256, 20, 4  # classes without background; the most objects of an image
MOBILE = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1))  # strides
TAPS = (5, 11, 13)  # pairs of convolutions after which boxes are predicted: maps of 32, 16 and 8 places a side
EXTRA = ((256, 512), (128, 256))  # narrow and wide channels of the blocks that halve the last map to 4 and 2 a side
SSD_SIZES = ((0.1, 0.14), (0.2, 0.27), (0.37, 0.45), (0.54, 0.62), (0.71, 0.79))
SSD_RATIOS = (1.0, 2.0, 0.5)
SSD_ANCHORS = len(SSD_SIZES[0]) + len(SSD_RATIOS) - 1  # per place
VARIANCES = (0.1, 0.1, 0.2, 0.2)  # divisors of the offsets and scales of boxes
OVERLAP, MINING_RATIO, MINING_OVERLAP = 0.5, 3.0, 0.5  # of anchors and objects
SCORE, SUPPRESSION, NMS_TOP = 0.01, 0.45, 400  # of detections

# gluon.model_zoo.vision.
MODELS = (
    *(f"resnet{depth}_v{version}" for version in (1, 2) for depth in (18, 34, 50, 101, 152)),
    *(f"vgg{depth}{norm}" for norm in ("", "_bn") for depth in (11, 13, 16, 19)),
    "alexnet",
    *(f"densenet{depth}" for depth in (121, 161, 169, 201)),
    "squeezenet1.0",
    "squeezenet1.1",
    "inceptionv3",
    *(f"mobilenet{version}{width}" for version in ("", "v2_") for width in ("1.0", "0.75", "0.5", "0.25")),
)

# Chains of dense layers whose depth grows.
GROWTH_UNITS, GROWTH_BATCH = 32, 8

# Networks that nothing was tuned with.
GRU_WORDS, GRU_UNITS = 2000, 90
SEPARABLE = ((27, 3, 2), (51, 5, 1), (93, 3, 2), (93, 7, 1), (135, 3, 1))  # channels, kernel, stride
MASK_CHANNELS = 2  # of the output of the U-Net

# A Python loop whose number of iterations is read from an array, so that it cannot be hybridized.
EAGER_STEPS, EAGER_BATCH, EAGER_UNITS, EAGER_GROUPS = 5, 8, 32, 4

# -- Whole jobs --------------------------------------------------------------------------------------------------------

# Loaders of images in memory: images that a measurement reads, mean and deviation of MNIST.
NUM_READ, READ_BATCH, DIGITS_MEAN, DIGITS_DEVIATION = 10240, 256, 0.1307, 0.3081

# LeNet on Fashion-MNIST, with mean and deviation of its pixels between 0 and 1.
CLOTHES_BATCH, CLOTHES_RATE, CLOTHES_MEAN, CLOTHES_DEVIATION = 64, 0.02, 0.2860, 0.3530
NUM_CHECKED_BATCHES = 8  # later batches differ by rounding

# DeepAR on hourly series.
SERIES, HOURS, DAY = 100, 600, 24
CONTEXT, PREDICTION, LAGS = 48, 24, (1, 2, 3, 4, 5, 6, 7, 23, 24, 25, 47, 48, 49, 167, 168)
CELLS, LAYERS, SERIES_UNITS = 40, 2, 10
SERIES_BATCH, SERIES_BATCHES, SERIES_RATE = 32, 50, 1e-3

# A language model on sentences of many lengths.
SENTENCE_BATCH, SENTENCE_RATE = 20, 0.1
LENGTHS = tuple(int(length) for length in np.linspace(5, 60, 20))

# Ranks of distributed training.
NUM_CHECKED_STEPS = 3  # steps after each of which the weights of both sides are compared
NUM_PARAMETERS, NUM_ELEMENTS = 40, 25_000_000  # of the gradients of 100 MB
