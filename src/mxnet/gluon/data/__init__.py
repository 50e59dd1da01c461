"""Data for training: datasets, the order of their samples, batches."""

from . import dataloader, dataset, sampler, split_sampler, vision
from .dataloader import DataLoader
from .dataset import ArrayDataset, Dataset, RecordFileDataset, SimpleDataset
from .sampler import BatchSampler, FilterSampler, RandomSampler, Sampler, SequentialSampler
from .split_sampler import DistributedSampler, SplitSampler
