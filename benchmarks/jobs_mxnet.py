"""Whole jobs with their data, for this library and the real MXNet 1.9.1 alike; jobs.py has what all sides share."""

import itertools
import logging
import math

import inputs
import jobs
from networks import EPSILON, LSTM_UNITS, LSTM_WORDS
from networks_gluon import NETWORKS
from steps_mxnet import HYBRIDIZE, IS_OURS
from workload import Job, Timed

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn
from mxnet.gluon.data.vision import transforms

assert (LSTM_WORDS, LSTM_UNITS) == (jobs.WORDS, jobs.WORD_UNITS)
SETTLED = 12  # passes over sentences: this library tries kernels out on the first calls with each length


def _filled(net: gluon.HybridBlock, mode: str, *data: nd.NDArray) -> gluon.HybridBlock:
    """A network with the parameters that all sides begin with; hybridized, if that is its mode."""
    net.infer_shape(*data)
    net.initialize()
    for number, parameter in enumerate(net.collect_params().values()):
        kind = parameter.name.rpartition("_")[2]
        parameter.set_data(nd.array(inputs.parameter(number, parameter.shape, kind)))
    if mode != "eager":
        net.hybridize(**HYBRIDIZE[mode])
    nd.waitall()
    return net


def _means(losses: list) -> list:
    return [loss.mean() for loss in losses]


class _Classifier:
    """Trains LeNet on batches of images, and counts how many it knew."""

    def __init__(self, mode: str) -> None:
        network = NETWORKS["lenet_train"]()
        self.net = _filled(network.net, mode, *network.data)
        self.loss_of, self.metric = network.loss, mx.metric.Accuracy()
        self.loss_of.hybridize()
        self.trainer = gluon.Trainer(self.net.collect_params(), "sgd", {"learning_rate": jobs.IMAGE_RATE})

    def epoch(self, batches) -> list:
        """Losses of the first batches, and the share that was right."""
        self.metric.reset()
        losses = []
        for data, label in batches:
            with autograd.record():
                found = self.net(data)
                loss = self.loss_of(found, label)
            loss.backward()
            self.trainer.step(len(data))
            self.metric.update([label], [found])
            if len(losses) < jobs.CHECKED:
                losses.append(loss)
        return [*losses, nd.array([self.metric.get()[1]])]


def _lenet_epoch(argument: str) -> Job:
    """An epoch with images that transforms make of those in memory, one by one."""
    images, labels = jobs.clothes()
    normal = transforms.Compose([transforms.ToTensor(), transforms.Normalize(jobs.MEAN, jobs.DEVIATION)])
    dataset = gluon.data.ArrayDataset(nd.array(images, dtype="uint8"), labels).transform_first(normal)
    loader = gluon.data.DataLoader(dataset, jobs.IMAGE_BATCH, sampler=jobs.order(len(labels)))
    classifier = _Classifier(argument)
    return Job(lambda: classifier.epoch(loader), nd.waitall, warm_up=2, results=_means, checked=1)


def _iterator() -> mx.io.NDArrayIter:
    images, labels = jobs.normal_clothes()
    return mx.io.NDArrayIter(images, labels, jobs.IMAGE_BATCH, last_batch_handle="discard", label_name="softmax_label")


def _gluon_fit(argument: str) -> Job:
    """An epoch over arrays that need no transforms, with the iterator that `Module.fit` takes."""
    iterator, classifier = _iterator(), _Classifier(argument)

    def run():
        iterator.reset()
        return classifier.epoch((batch.data[0], batch.label[0]) for batch in iterator)

    return Job(run, nd.waitall, warm_up=2, results=lambda found: found[-1:], checked=1)


def _module_fit(argument: str) -> Job:
    """The same with `Module.fit`."""
    network, iterator, metric = NETWORKS["lenet_train"](), _iterator(), mx.metric.Accuracy()
    net = _filled(network.net, "eager", *network.data)
    heads = mx.sym.SoftmaxOutput(net(mx.sym.Variable("data")), name="softmax")
    quiet = logging.getLogger("module_fit")
    quiet.setLevel(logging.ERROR)  # `fit` warns that it has been called before
    module = mx.mod.Module(heads, logger=quiet)
    parameters = {name: parameter.data() for name, parameter in net.collect_params().items()}

    def run():
        iterator.reset()
        settings = {"learning_rate": jobs.IMAGE_RATE}
        module.fit(iterator, None, metric, optimizer_params=settings, arg_params=parameters, num_epoch=1)
        return [nd.array([metric.get()[1]])]

    return Job(run, nd.waitall, warm_up=2, checked=1)


class _Forecast(gluon.HybridBlock):
    """DeepAR: a recurrent network that gives a Student-t distribution of each hour; its loss is what it did not expect.

    Args:
        is_fused: whether its layers are one operator; GluonTS unrolls cells.
    """

    def __init__(self, is_fused: bool) -> None:
        super().__init__()
        size = len(jobs.LAGS) + 2 + jobs.SERIES_UNITS + 1
        with self.name_scope():
            self.embedding = nn.Embedding(jobs.SERIES, jobs.SERIES_UNITS)
            if is_fused:
                self.layers = rnn.LSTM(jobs.CELLS, jobs.LAYERS, layout="NTC", input_size=size)
            else:
                self.layers = rnn.HybridSequentialRNNCell()
                for number in range(jobs.LAYERS):
                    self.layers.add(rnn.LSTMCell(jobs.CELLS, input_size=jobs.CELLS if number else size))
            self.middle, self.spread, self.freedom = (nn.Dense(1, flatten=False, in_units=jobs.CELLS) for _ in range(3))
        self._is_fused = is_fused

    def hybrid_forward(self, F, number, scale, features, target):
        length = jobs.CONTEXT + jobs.PREDICTION
        known = F.concat(self.embedding(number), F.log(scale), dim=1)
        data = F.concat(features, F.broadcast_axis(F.expand_dims(known, axis=1), axis=1, size=length), dim=2)
        if self._is_fused:
            found = self.layers(data)
        else:
            found, _ = self.layers.unroll(length, data, layout="NTC", merge_outputs=True)
        middle, spread, freedom = (
            F.squeeze(layer(found), axis=2) for layer in (self.middle, self.spread, self.freedom)
        )
        spread, freedom = F.Activation(spread, act_type="softrelu"), F.Activation(freedom, act_type="softrelu") + 2
        away = (F.broadcast_div(target, scale) - middle) / spread
        unexpected = (
            (freedom + 1) / 2 * F.log1p(F.square(away) / freedom)
            + F.log(freedom * math.pi) / 2
            + F.gammaln(freedom / 2)
            - F.gammaln((freedom + 1) / 2)
            + F.log(spread)
        )
        return F.mean(F.broadcast_add(unexpected, F.log(scale)), axis=1)


def _deepar_epoch(argument: str) -> Job:
    """An epoch of DeepAR over windows that a sampler in Python cuts out of series; `argument`: its mode and layers."""
    mode, _, layers = argument.partition(" ")
    values, seeds = jobs.series(), itertools.count()
    example = [nd.array(array) for array in next(jobs.windows(values, 0))]
    net = _filled(_Forecast(layers == "fused"), mode, *example)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": jobs.SERIES_RATE, "epsilon": EPSILON})

    def run():
        losses, total = [], nd.zeros(1)
        for batch in jobs.windows(values, next(seeds)):
            with autograd.record():
                loss = net(*(nd.array(array) for array in batch))
            loss.backward()
            trainer.step(jobs.SERIES_BATCH)
            total += loss.mean()
            if len(losses) < jobs.CHECKED:
                losses.append(loss)
        return [*losses, total]

    return Job(run, nd.waitall, warm_up=2, results=_means, checked=1)


def _bucketed_lstm(argument: str) -> Job:
    """A training step of a language model on a batch of each of many lengths."""
    network = NETWORKS["lstm_train"]()
    net, loss_of = _filled(network.net, argument, *network.data), network.loss
    loss_of.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": jobs.WORD_RATE})
    batches = [(nd.array(words[:-1]), nd.array(words[1:])) for words in jobs.sentences()]

    def run():
        losses = []
        for data, label in batches:
            with autograd.record():
                loss = loss_of(net(data), label)
            loss.backward()
            trainer.step(len(data))  # the loss of a batch is a number for each of its words' places
            losses.append(loss)
        return losses

    return Job(run, nd.waitall, warm_up=SETTLED if IS_OURS else 2, results=_means, checked=1)


def _int8_resnet18(argument: str) -> Job:
    """ResNet-18 in 8 bits, with ranges seen in random images; for this library only."""
    from mxnet.contrib.quantization import quantize_net_v2

    network = NETWORKS["resnet18_infer_8"]()
    net = _filled(network.net, "hybridized", *network.data)
    small = quantize_net_v2(net, calib_data=network.data, calib_mode="naive")
    small.hybridize()
    return Job(lambda: [small(*network.data)], nd.waitall, warm_up=40, checked=1)


WORKLOADS = {
    "lenet_epoch": Timed(_lenet_epoch),
    "module_fit": Timed(_module_fit),
    "gluon_fit": Timed(_gluon_fit),
    "deepar_epoch": Timed(_deepar_epoch),
    "bucketed_lstm": Timed(_bucketed_lstm),
    "int8_resnet18": Timed(_int8_resnet18),
}
