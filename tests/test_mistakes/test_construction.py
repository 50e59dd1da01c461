"""Errors for wrong arguments of layers, optimizers, trainers, initializers and metrics, with the nearest name."""

import copy
import functools
import pickle
import re

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd
from mxnet.error import OpTypeError
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn, rnn
from mxnet.gluon.contrib.cnn import DeformableConvolution
from mxnet.gluon.contrib.nn import Concurrent
from mxnet.gluon.parameter import ParameterError


def parameters():
    layer = nn.Dense(2, in_units=3)
    layer.initialize()
    return layer.collect_params()


def trainer(optimizer="sgd", *args, **kwargs):
    return gluon.Trainer(parameters(), optimizer, *args, **kwargs)


UNKNOWN_ARGUMENTS = [
    (lambda: trainer("sgd", {"lr": 0.1}), "[SGD] lr: unknown argument; did you mean learning_rate? It takes momentum"),
    (lambda: trainer("adam", {"beta_1": 0.9}), "[Adam] beta_1: unknown argument; did you mean beta1?"),
    (lambda: trainer("adam", {"betas": (0.9, 0.99)}), "[Adam] betas: unknown argument; did you mean beta"),
    (lambda: trainer("adam", {"eps": 1e-8}), "[Adam] eps: unknown argument; did you mean epsilon?"),
    (lambda: trainer("adam", {"weight_decay": 0.1}), "[Adam] weight_decay: unknown argument; did you mean wd?"),
    (lambda: trainer("sgd", {"momentun": 0.9}), "[SGD] momentun: unknown argument; did you mean momentum?"),
    (lambda: trainer("rmsprop", {"gama1": 0.9}), "[RMSProp] gama1: unknown argument; did you mean gamma1?"),
    (lambda: trainer("sgd", {"xyz": 1}), "[SGD] xyz: unknown argument. It takes momentum"),
    (lambda: trainer("sgd", {"lr": 1, "momentun": 1}), "lr: unknown argument; did you mean learning_rate? momentun:"),
    (lambda: mx.optimizer.create("nag", lr=0.1), "[NAG] lr: unknown argument; did you mean learning_rate?"),
    (lambda: mx.optimizer.SGD(lr=0.1), "[SGD] lr: unknown argument; did you mean learning_rate?"),
    (lambda: mx.optimizer.LAMB(learnin_rate=0.1), "[LAMB] learnin_rate: unknown argument; did you mean learning_rate?"),
    (lambda: trainer("sgd", learning_rate=0.1), "Trainer(params, 'sgd', {'learning_rate': 0.1})"),
    (lambda: nn.Dense(3, in_unit=4), "[Dense] in_unit: unknown argument; did you mean in_units? It takes units"),
    (lambda: nn.Dense(out_units=3), "[Dense] out_units: unknown argument; did you mean units?"),
    (
        lambda: nn.Dense(out_features=3, in_features=4),
        "out_features: unknown argument; did you mean units? in_features",
    ),
    (
        lambda: nn.Dense(3, kernel_initializer="zeros"),
        "[Dense] kernel_initializer: unknown argument; did you mean weight_",
    ),
    (lambda: nn.Conv2D(3, kernel=3), "[Conv2D] kernel: unknown argument; did you mean kernel_size?"),
    (lambda: nn.Conv2D(3, 3, stride=2), "[Conv2D] stride: unknown argument; did you mean strides?"),
    (lambda: nn.Conv2D(3, 3, pad=1), "[Conv2D] pad: unknown argument; did you mean padding?"),
    (lambda: nn.Conv2D(3, 3, bias=False), "[Conv2D] bias: unknown argument; did you mean use_bias?"),
    (lambda: nn.Conv2D(filters=3, kernel_size=3), "[Conv2D] filters: unknown argument; did you mean channels?"),
    (
        lambda: nn.Conv1DTranspose(3, 3, in_channel=2),
        "[Conv1DTranspose] in_channel: unknown argument; did you mean in_",
    ),
    (lambda: nn.Dropout(p=0.5), "[Dropout] p: unknown argument; did you mean rate?"),
    (lambda: nn.BatchNorm(eps=1e-5), "[BatchNorm] eps: unknown argument; did you mean epsilon?"),
    (lambda: nn.BatchNorm(num_features=3), "[BatchNorm] num_features: unknown argument; did you mean in_channels?"),
    (
        lambda: nn.Embedding(num_embeddings=3, embedding_dim=2),
        "num_embeddings: unknown argument; did you mean input_dim",
    ),
    (lambda: nn.MaxPool2D(2, stride=2), "[MaxPool2D] stride: unknown argument; did you mean strides?"),
    (lambda: rnn.LSTM(3, n_layers=2), "[LSTM] n_layers: unknown argument; did you mean num_layers?"),
    (lambda: rnn.GRUCell(3, input_dim=2), "[GRUCell] input_dim: unknown argument"),
    (lambda: gloss.SoftmaxCELoss(sparse_labels=True), "sparse_labels: unknown argument; did you mean sparse_label?"),
    (lambda: gloss.HuberLoss(delta=2), "[HuberLoss] delta: unknown argument. It takes rho"),
    (lambda: mx.gluon.model_zoo.vision.resnet18_v1(clases=10), "clases: unknown argument; did you mean classes?"),
    (lambda: mx.init.create("xavier", magnitud=2), "[Xavier] magnitud: unknown argument; did you mean magnitude?"),
    (lambda: mx.metric.create("acc", axsi=1), "[Accuracy] axsi: unknown argument; did you mean axis?"),
]


@pytest.mark.parametrize(("make", "text"), UNKNOWN_ARGUMENTS, ids=[text for _, text in UNKNOWN_ARGUMENTS])
def test_unknown_arguments(make, text):
    with pytest.raises(TypeError, match=re.escape(text)) as caught:
        make()
    assert isinstance(caught.value, mx.MXNetError)


BAD_VALUES = [
    (lambda: trainer("sgdd"), ValueError, "[optimizer.create] received 'sgdd'; expected one of adadelta, "),
    (lambda: trainer("adamm"), ValueError, "Did you mean adam?"),
    (lambda: trainer(mx.optimizer.SGD), ValueError, "expected a name. Make one: SGD()."),
    (lambda: trainer("sgd", 0.1), TypeError, "optimizer_params: received float; expected a dict, such as {'learning"),
    (lambda: trainer(mx.optimizer.SGD(), {"wd": 1}), ValueError, "goes with the name of an optimizer"),
    (lambda: trainer(kvstore="devise"), mx.MXNetError, "[Trainer] received 'devise'; expected one of device, "),
    (lambda: gluon.Trainer(nn.Dense(3), "sgd"), ValueError, "received Dense; expected net.collect_params()"),
    (lambda: gluon.Trainer([nd.ones(2)], "sgd"), ValueError, "received NDArray among them; expected Parameters"),
    (lambda: gluon.Trainer("net", "sgd"), ValueError, "received str; expected net.collect_params()"),
    (
        lambda: mx.optimizer.SGD(learning_rate="0.1"),
        TypeError,
        "learning_rate: received the text '0.1'; expected a num",
    ),
    (lambda: mx.optimizer.SGD(lr_scheduler=0.1), TypeError, "lr_scheduler: received 0.1; expected an object of mx.lr_"),
    (lambda: nn.Dense(3, activation=nd.relu), ValueError, "Put a function or a block behind the layer"),
    (lambda: rnn.RNN(3, activation="gelu"), ValueError, "[RNN] activation: received 'gelu'; expected 'relu' or 'tanh'"),
    (lambda: nn.Dense(3).initialize("xaver"), ValueError, "received 'xaver', which is not registered; did you mean"),
    (lambda: nn.Dense(3).initialize(mx.init.Xavier), TypeError, "Make one: Xavier(...)."),
    (
        lambda: mx.init.Xavier(rnd_type="uniformm"),
        ValueError,
        "expected 'uniform' or 'gaussian'. Did you mean uniform?",
    ),
    (lambda: mx.init.Xavier(factor_type="inn"), ValueError, "received factor_type='inn'; expected 'avg' or 'in' or"),
    (lambda: mx.metric.create("acuracy"), ValueError, "received 'acuracy', which is not registered; did you mean"),
    (lambda: nn.Conv2D(3, 3, layout="NHCW"), ValueError, "expected 'NCHW' or 'NHWC'. Did you mean NHWC?"),
    (lambda: nn.MaxPool2D(layout="NWHC"), ValueError, "[MaxPool2D] layout: received 'NWHC'"),
    (lambda: rnn.LSTM(3, layout="NCT"), ValueError, "layout: received 'NCT'; expected 'TNC' or 'NTC'"),
    (lambda: gloss.CTCLoss(layout="NCT"), ValueError, "[CTCLoss] layout: received 'NCT'; expected 'NTC' or 'TNC'"),
    (lambda: nd.ones(3).astype("flot16"), TypeError, "Did you mean float16?"),
    (lambda: nn.Conv2D(-3, 3), ValueError, "[Conv2D] channels: received -3; expected an integer, at least 1."),
    (lambda: nn.Conv2D(3, (3, 3, 3)), ValueError, "kernel_size: received (3, 3, 3); expected a number or a tuple of 2"),
    (lambda: nn.Conv2D(3, "33"), ValueError, "kernel_size: received '33'; expected a number or a tuple of 2 numbers"),
    (
        lambda: nn.Conv2D(3, 0),
        ValueError,
        "kernel_size: received 0; expected a number or a tuple of 2 numbers, none be",
    ),
    (lambda: nn.Conv2D(3, 3, strides=0), ValueError, "strides: received 0"),
    (lambda: nn.Conv2D(3, 3, groups=2), ValueError, "received channels=3, in_channels=0, groups=2"),
    (
        lambda: nn.MaxPool2D(pool_size=(2, 2, 2)),
        ValueError,
        "pool_size: received (2, 2, 2); expected a number or a tuple",
    ),
    (lambda: nn.LeakyReLU(-1), ValueError, "[LeakyReLU] alpha: received -1; expected a slope not below 0."),
    (lambda: nn.Lambda("relyu"), ValueError, "there is no nd.relyu; expected a name in mxnet.nd. Did you mean relu?"),
    (lambda: nn.Sequential(nn.Dense(3), nn.Dense(2), nn.Dense(1)), TypeError, "received 3 block(s); expected none."),
    (lambda: nn.HybridSequential(nn.Dense(3)), TypeError, "net = nn.HybridSequential(); net.add(Dense(...), ...)."),
    (lambda: nn.Dense(3, prefix=5), TypeError, "[Dense] prefix: received int; expected a text."),
    (lambda: nn.HybridSequential().add(3), TypeError, "[HybridSequential] add: received int; expected blocks."),
    (lambda: nn.HybridSequential().add(nn.Sequential()), ValueError, "children of a HybridBlock must be HybridBlocks"),
    (lambda: nn.Sequential()[5], IndexError, "[Sequential] there is no block 5 among 0."),
    (lambda: mx.gluon.model_zoo.vision.get_model("resnet19_v1"), ValueError, "Near it: resnet18_v1"),
    (lambda: mx.lr_scheduler.FactorScheduler(step=0), ValueError, "step: received 0; expected at least 1."),
    (lambda: mx.metric.TopKAccuracy(top_k=1), ValueError, "top_k: received 1; expected more than 1."),
    (lambda: mx.Context("cpuu"), mx.MXNetError, "received device type 'cpuu'; expected one of cpu, gpu, cpu_pinned"),
    (lambda: gluon.Parameter("w", grad_req="wirte"), ValueError, "grad_req: received 'wirte'; expected 'write', 'add'"),
]


@pytest.mark.parametrize(("make", "kind", "text"), BAD_VALUES, ids=[text for *_, text in BAD_VALUES])
def test_bad_values(make, kind, text):
    with pytest.raises(kind, match=re.escape(text)):
        make()


# MXNet 1.9.1 constructs these and raises in initialize().
AT_INITIALIZE = [
    (
        lambda: nn.Dense(-3),
        ParameterError,
        "[Parameter dense0_weight] shape: received (-3, 0); expected integers not below 0.",
    ),
    (lambda: nn.Dense(3, in_units=-2), ParameterError, "[Parameter dense0_weight] shape: received (3, -2)"),
    (lambda: nn.Dense(3.5), ParameterError, "[Parameter dense0_weight] shape: received (3.5, 0); expected integers"),
    (lambda: nn.Dense("3"), ParameterError, "[Parameter dense0_weight] shape: received ('3', 0); expected integers"),
    (lambda: nn.Embedding(-3, 2), ParameterError, "[Parameter embedding0_weight] shape: received (-3, 2)"),
    (lambda: nn.Embedding(3, None), ParameterError, "[Parameter embedding0_weight] shape: received (3, None)"),
    (lambda: rnn.GRU(-3), ParameterError, "[Parameter gru0_l0_i2h_weight] shape: received (-9, 0)"),
    (lambda: rnn.LSTM("3"), ParameterError, "[Parameter lstm0_l0_i2h_weight] shape: received ('3333', 0)"),
    (lambda: rnn.LSTMCell(-3), ParameterError, "[Parameter lstm0_i2h_weight] shape: received (-12, 0)"),
    (
        lambda: gluon.Parameter("w", shape=(-3,)),
        ParameterError,
        "[Parameter w] shape: received (-3,); expected integers not below 0.",
    ),
    (
        lambda: gluon.Parameter("w", shape="3"),
        ParameterError,
        "[Parameter w] shape: received ('3',); expected integers not below 0.",
    ),
    (
        lambda: nn.Dense(3, bias_initializer="zeroes"),
        ParameterError,
        "[Parameter dense0_bias] initializer: received 'zeroes', which is not registered; did you mean 'zeros'",
    ),
    (
        lambda: nn.Dense(3, in_units=2, weight_initializer="xaver"),
        ParameterError,
        "[Parameter dense0_weight] initializer: received 'xaver', which is not registered; did you mean 'xavier'",
    ),
    (lambda: nn.Embedding(3, 2, weight_initializer="uniformm"), ParameterError, "did you mean 'uniform'"),
    (lambda: nn.BatchNorm(in_channels=3, gamma_initializer="oness"), ParameterError, "did you mean 'ones'"),
    (lambda: gluon.Parameter("w", shape=(2,), init="normall"), ParameterError, "did you mean 'normal'"),
    (
        lambda: gluon.Parameter("w", shape=(2,), init='["xavier"'),
        ParameterError,
        "[Parameter w] initializer: received '[\"xavier\"', w",
    ),
    (
        lambda: nn.Dense(3, in_units=2, dtype="flaot32"),
        OpTypeError,
        "[Parameter dense0_weight] dtype: received 'flaot32'; expected one of float32, float64",
    ),
    (
        lambda: cast(nn.Dense(3, in_units=2), "float33"),
        OpTypeError,
        "[Parameter dense0_weight] dtype: received 'float33'; expected",
    ),
    (
        lambda: gluon.Parameter("w", shape=(2,), dtype=np.int16),
        OpTypeError,
        "[Parameter w] dtype: received <class 'numpy.int16'>",
    ),
]


def cast(layer, dtype):
    layer.cast(dtype)
    return layer


@pytest.mark.parametrize(("make", "kind", "text"), AT_INITIALIZE, ids=[text for *_, text in AT_INITIALIZE])
def test_values_that_initialize_refuses(make, kind, text):
    with mx.name.NameManager():
        made = make()
    for _ in range(2):
        with pytest.raises(kind, match=re.escape(text)):
            made.initialize()


ROW, IMAGE, SEQUENCE = (2, 3), (1, 2, 8, 8), (4, 2, 3)

# MXNet 1.9.1 constructs and initializes these and raises when they are called.
AT_CALL = [
    (lambda: nn.Dense(0), ROW, "[Dense dense0] units: received 0; expected an integer, at least 1."),
    (lambda: nn.Dense(0, in_units=3), ROW, "[Dense dense0] units: received 0"),
    (lambda: nn.Dense(0, use_bias=False), ROW, "[Dense dense0] units: received 0"),
    (
        lambda: nn.Dense(3, activation="rellu"),
        ROW,
        "[Dense dense0] activation: received 'rellu'; expected one of 'relu'",
    ),
    (lambda: nn.Dense(3, activation="ReLU"), ROW, "Did you mean relu?"),
    (lambda: nn.Dense(3, activation="gelu"), ROW, "gelu is written nn.GELU()."),
    (lambda: nn.Dense(3, activation="softmax"), ROW, "softmax is written nn.HybridLambda('softmax')."),
    (lambda: nn.Conv2D(3, 3, activation="sigmoidd"), IMAGE, "[Conv2D conv0] activation: received 'sigmoidd'"),
    (lambda: nn.Activation("tahn"), ROW, "[Activation tahn0] activation: received 'tahn'; expected one of 'relu'"),
    (lambda: nn.Activation("unknown"), ROW, "[Activation unknown0] activation: received 'unknown'; expected one of"),
    (lambda: nn.Activation(5), ROW, "[Activation activation0] activation: received 5; expected one of"),
    (lambda: nn.Activation(nd.relu), ROW, "Put a function or a block behind the layer"),
    (
        lambda: nn.Conv2D(3, 3, padding=-1),
        IMAGE,
        "[Conv2D conv0] padding: received -1; expected a number or a tuple of 2 numbers, none below 0.",
    ),
    (lambda: nn.Conv2DTranspose(3, 3, output_padding=-1), IMAGE, "[Conv2DTranspose conv0] output_padding: received -1"),
    (
        lambda: DeformableConvolution(2, 3, padding=-1),
        IMAGE,
        "[DeformableConvolution deformable_conv0] padding: received -1",
    ),
    (lambda: DeformableConvolution(2, 3, activation="rellu"), IMAGE, "Did you mean relu?"),
    (lambda: nn.MaxPool2D(0), IMAGE, "[MaxPool2D pool0] pool_size: received (0, 0); expected a number or a tuple of 2"),
    (lambda: nn.MaxPool2D("33"), IMAGE, "[MaxPool2D pool0] pool_size: received '33'; expected a number or a tuple"),
    (lambda: nn.AvgPool2D(2, strides=0), IMAGE, "[AvgPool2D pool0] strides: received 0"),
    (lambda: nn.AvgPool2D(2, padding=(1, 1, 1)), IMAGE, "[AvgPool2D pool0] padding: received (1, 1, 1)"),
    (lambda: nn.Dropout(1.5), ROW, "[Dropout dropout0] rate: received 1.5; expected a probability, from 0 to 1."),
    (lambda: nn.Dropout(None), ROW, "[Dropout dropout0] rate: received None"),
    (lambda: nn.Embedding(0, 2), ROW, "[Embedding embedding0] input_dim: received 0; expected an integer, at least 1."),
    (lambda: nn.Embedding(3, 0), ROW, "[Embedding embedding0] output_dim: received 0"),
    (lambda: rnn.LSTM(0), SEQUENCE, "[LSTM lstm0] hidden_size: received 0; expected an integer, at least 1."),
    (lambda: rnn.LSTM(3, num_layers=0), SEQUENCE, "[LSTM lstm0] num_layers: received 0; expected an integer"),
    (
        lambda: rnn.LSTM(3, dropout=50),
        SEQUENCE,
        "[LSTM lstm0] dropout: received 50; expected a probability, from 0 to 1.",
    ),
]


@pytest.mark.parametrize(("make", "shape", "text"), AT_CALL, ids=[text for *_, text in AT_CALL])
@pytest.mark.parametrize("mode", ["eager", "hybridized", "symbolic", "recorded", "inside of a network"])
def test_values_that_calls_refuse(make, shape, text, mode):
    with mx.name.NameManager():
        layer = make()
    layer.initialize()
    assert isinstance(repr(layer), str)
    net = layer
    if mode == "inside of a network":
        net = nn.HybridSequential()
        net.add(layer)
    if mode in ("hybridized", "inside of a network"):
        net.hybridize()
    for _ in range(2):
        with pytest.raises(ValueError, match=re.escape(text)) as caught, Recorded(mode == "recorded"):
            net(mx.sym.var("data") if mode == "symbolic" else nd.ones(shape))
        assert isinstance(caught.value, mx.MXNetError)


def Recorded(active):
    return mx.autograd.record() if active else mx.autograd.pause()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: rnn.RNNCell(3, activation="tahn"), "[RNNCell rnn0] activation: received 'tahn'"),
        (lambda: rnn.LSTMCell(0), "[LSTMCell lstm0] hidden_size: received 0; expected an integer, at least 1."),
    ],
)
def test_values_that_steps_of_cells_refuse(make, text):
    with mx.name.NameManager():
        cell = make()
    cell.initialize()
    for call in (
        lambda: cell(nd.ones(ROW), cell.begin_state(2)),
        lambda: cell.unroll(4, nd.ones(SEQUENCE), layout="TNC"),
    ):
        with pytest.raises(ValueError, match=re.escape(text)):
            call()


def test_an_initializer_of_a_deferred_parameter_is_refused_by_the_first_call():
    layer = nn.Dense(3, weight_initializer="xaver", prefix="d_")
    layer.initialize()
    with pytest.raises(
        ValueError, match=r"\[Parameter d_weight\] initializer: received 'xaver'.*did you mean 'xavier'"
    ):
        layer(nd.ones(ROW))


def test_layers_that_no_program_calls_are_made_copied_and_saved(tmp_path):
    net = nn.Sequential()
    net.add(*(nn.Dense(10 * count, in_units=2) for count in range(3)), nn.Activation("unknown"), nn.Dropout(2))
    net.initialize()
    assert [layer.weight.shape for layer in net[:3]] == [(0, 2), (10, 2), (20, 2)]
    copied = copy.deepcopy(net)
    for each in (net, copied, pickle.loads(pickle.dumps(net[3]))):  # noqa: S301
        assert "unknown" in repr(each)
    with pytest.raises(ValueError, match=r"activation: received 'unknown'"):
        copied[3](nd.ones(ROW))
    net[1].save_parameters(tmp_path / "one.params")
    net[1].load_parameters(tmp_path / "one.params")


def test_a_cast_to_an_unknown_dtype_leaves_an_initialized_parameter_as_it_was():
    layer = nn.Dense(3, in_units=2)
    layer.initialize()
    with pytest.raises(TypeError, match=r"\[Parameter dense\d+_weight\] dtype: received 'float33'; expected one of"):
        layer.cast("float33")
    assert layer.weight.dtype == "float32"
    assert layer(nd.ones((1, 2))).shape == (1, 3)


# MXNet 1.9.1 adds anything to a Sequential and calls it.


def test_functions_in_rows():
    net = nn.Sequential()
    net.add(nd.relu, lambda x: x + 1, functools.partial(nd.clip, a_min=0, a_max=2), nn.Dense(1, in_units=2))
    net.initialize(mx.init.One())
    assert net(nd.array([[-1, 5]])).asnumpy().tolist() == [[3]]
    assert repr(net).splitlines()[1] == "  (0): Lambda(relu)"
    compose = gluon.data.vision.transforms.Compose
    cast_to = gluon.data.vision.transforms.Cast
    chain = compose([cast_to("float64"), lambda x: x * 2, cast_to("float32")])
    assert chain(nd.array([-1, 2])).asnumpy().tolist() == [-2, 4]
    assert compose([lambda x: x * 2])(nd.array([-1, 2])).asnumpy().tolist() == [-2, 4]
    both = Concurrent(axis=0)
    both.add(nd.relu, nd.negative)
    assert both(nd.array([-1, 2])).asnumpy().tolist() == [0, 2, 1, -2]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (nn.Dense, "[Sequential] add: received the class Dense; expected blocks. Write net.add(nn.Dense(...))."),
        (3, "[Sequential] add: received int; expected blocks."),
        (None, "[Sequential] add: received NoneType; expected blocks."),
    ],
)
def test_rows_refuse_to_run_other_things(given, text):
    net = nn.Sequential()
    net.add(given)
    net.initialize()
    assert getattr(given, "__name__", repr(given)) in repr(net)
    with pytest.raises(TypeError, match=re.escape(text)):
        net(nd.ones(ROW))


# What worked in MXNet goes on working.


def test_an_initializer_registered_after_the_layer_is_made():
    layer = nn.Dense(2, in_units=3, weight_initializer="quitemyown")

    @mx.init.register
    class QuiteMyOwn(mx.init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = 7

    layer.initialize()
    assert (layer.weight.data().asnumpy() == 7).all()


@pytest.mark.parametrize("name", ["Xavier", '["xavier", {"magnitude": 2}]', "zeros", "MSRAPrelu", mx.init.One()])
def test_initializers_in_every_form(name):
    layer = nn.Dense(2, in_units=3, weight_initializer=name)
    layer.initialize()
    assert layer.weight.data().shape == (2, 3)


def test_constructors_of_ones_own_may_take_arguments_out_of_kwargs():
    class Net(nn.HybridBlock):
        def __init__(self, **kwargs):
            self.width = kwargs.pop("width", 3)
            super().__init__(**kwargs)

    assert Net(width=5, prefix="own_").width == 5
    with pytest.raises(TypeError, match=r"\[Net\] widht: unknown argument\. It takes prefix, params\."):
        Net(widht=5)


def test_optimizers_of_ones_own():
    class Mine(mx.optimizer.Optimizer):
        def __init__(self, strength=1.0, **kwargs):
            self.rate = kwargs.pop("secret", 2)
            super().__init__(**kwargs)

    class Plain(mx.optimizer.Optimizer):
        def __init__(self, strength=1.0):
            super().__init__()

    for kind in (Mine, Plain):
        mx.optimizer.Optimizer.opt_registry[kind.__name__.lower()] = kind
    try:
        assert mx.optimizer.create("mine", secret=5).rate == 5
        with pytest.raises(TypeError, match=r"\[Mine\] strenght: unknown argument; did you mean strength\?"):
            mx.optimizer.create("mine", strenght=3)
        with pytest.raises(TypeError, match=r"\[Plain\] lr: unknown argument\. It takes strength\."):
            mx.optimizer.create("plain", lr=3)
    finally:
        for kind in (Mine, Plain):
            del mx.optimizer.Optimizer.opt_registry[kind.__name__.lower()]


def test_subclasses_with_an_activation_of_their_own():
    class Cube(nn.Activation):
        def hybrid_forward(self, F, x):
            return x * x * x

    assert Cube("cube")(nd.array([2])).asscalar() == 8


def test_rows_with_a_constructor_of_their_own_take_blocks():
    class Row(nn.HybridSequential):
        def __init__(self, *blocks):
            super().__init__()
            self.add(*blocks)

    assert len(Row(nn.Dense(2), nn.Dense(3))) == 2


def test_sizes_may_be_numbers_of_numpy():
    layer = nn.Conv2D(np.int64(2), np.array([3, 3]), in_channels=np.int32(1))
    layer.initialize()
    assert layer(nd.ones((1, 1, 4, 4))).shape == (1, 2, 2, 2)


def test_dropout_below_zero_drops_nothing():
    assert nn.Dropout(-1)(nd.ones(3)).asnumpy().tolist() == [1, 1, 1]
