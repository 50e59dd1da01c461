"""Networks as text and as pictures, compared with what a real MXNet 1.9.1 printed and drew."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet.visualization import plot_network, print_summary
from tools.oracle.visualization_networks import NETWORKS, PICTURES

FIXTURES = Path(__file__).parent / "fixtures" / "visualization"
SUMMARIES = json.loads((FIXTURES / "summaries.json").read_text())
PICTURED = json.loads((FIXTURES / "pictures.json").read_text())


def printed(capsys, symbol, shape=None, **options) -> str:
    print_summary(symbol, shape, **options)
    return capsys.readouterr().out


def built(name: str):
    with mx.name.NameManager():
        return NETWORKS[name]()


def statements(source: str) -> list[str]:
    """The statements of a DOT text, their attributes in one order: the package changed its order between versions."""
    found = []
    for line in source.strip().replace("\n", "\0").split("\0\t"):
        head, bracket, rest = line.partition(" [")
        found.append(head + bracket + " ".join(sorted(rest.rstrip("]\0}").split(" "))))
    return found


def total(text: str) -> int:
    return int(text.rsplit("Total params: ", 1)[1].split("\n", maxsplit=1)[0])


@pytest.mark.parametrize("name", [name for name in NETWORKS if name != "split"])
def test_summaries_are_mxnets(capsys, name: str):
    assert printed(capsys, *built(name)) == SUMMARIES[name]


def test_summary_in_other_columns(capsys):
    text = printed(capsys, *built("lenet"), line_length=80, positions=[30, 50, 60, 80])
    assert text == SUMMARIES["narrow"]


def test_several_outputs_show_the_shape_of_the_first(capsys):
    """MXNet leaves the place empty."""
    text = printed(capsys, *built("split"))
    old = SUMMARIES["split"].splitlines()
    changed = [(mine, theirs) for mine, theirs in zip(text.splitlines(), old, strict=True) if mine != theirs]
    assert [mine.split() for mine, _ in changed] == [["parts(SliceChannel)", "3x2", "0", "data"]]
    assert [theirs.split() for _, theirs in changed] == [["parts(SliceChannel)", "0", "data"]]


def test_shared_weights_count_once(capsys):
    weight, bias = mx.sym.var("w"), mx.sym.var("b")
    net = mx.sym.FullyConnected(mx.sym.var("data"), weight, bias, num_hidden=4, name="first")
    net = mx.sym.FullyConnected(net, weight, bias, num_hidden=4, name="second")
    text = printed(capsys, net, {"data": (1, 4)})
    assert total(text) == 20
    assert [line.split()[2] for line in text.splitlines() if "FullyConnected" in line] == ["20", "20"]
    assert total(printed(capsys, net)) == 4


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda x: mx.sym.Deconvolution(x, kernel=(2, 2), num_filter=5, no_bias=False), 3 * 5 * 4 + 5),
        (lambda x: mx.sym.FullyConnected(x, num_hidden=2), 3 * 8 * 8 * 2 + 2),
        (lambda x: mx.sym.LeakyReLU(x, act_type="prelu"), 3),
        (mx.sym.LayerNorm, 16),
        (mx.sym.InstanceNorm, 6),
        (lambda x: mx.sym.broadcast_mul(x, mx.sym.var("scale", shape=(1, 3, 1, 1))), 3),
        (lambda x: mx.sym.SoftmaxOutput(mx.sym.Flatten(x)), 0),
        (mx.sym.BatchNorm, 6),
    ],
)
def test_parameters_of_other_layers_count_too(capsys, make, count: int):
    """MXNet prints 0 for most of them, and takes only the channels for a dense layer on images."""
    assert total(printed(capsys, make(mx.sym.var("data")), {"data": (2, 3, 8, 8)})) == count


def test_recurrent_layers_count(capsys):
    net = mx.sym.RNN(mx.sym.var("data"), mode="lstm", state_size=4, num_layers=1, name="lstm")
    assert total(printed(capsys, net, {"data": (5, 2, 3)})) == 16 * 3 + 16 * 4 + 32


def test_a_network_of_the_zoo(capsys):
    net = mx.gluon.model_zoo.vision.mobilenet0_25(classes=10)
    net.initialize()
    net(mx.nd.zeros((1, 3, 64, 64)))
    text = printed(capsys, net(mx.sym.var("data")), {"data": (1, 3, 64, 64)})
    assert total(text) == sum(
        int(np.prod(value.shape)) for name, value in net.collect_params().items() if "running" not in name
    )


@pytest.mark.parametrize("function", [print_summary, plot_network])
def test_refused(function):
    with pytest.raises(TypeError, match=r"symbol must be (a )?Symbol; received int"):
        function(3)
    with pytest.raises(ValueError, match=r"Input shape is incomplete.*shapes of nothing; those of data, fc1_weight"):
        function(built("mlp")[0], shape={})


def test_incomplete_dtypes_are_refused():
    with pytest.raises(ValueError, match="Input type is incomplete"):
        plot_network(built("mlp")[0], dtype={})


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_mxnets(name: str):
    network, options = PICTURES[name]
    symbol, shape = built(network)
    kinds = {key: getattr(np, kind) for key, kind in options.get("dtype", {}).items()}
    mine = plot_network(symbol, shape=shape, **{**options, **({"dtype": kinds} if kinds else {})})
    old = statements(PICTURED[name])
    if name == "mlp with everything":
        assert mine.format == "svg"
    assert statements(mine.source) == old


def test_a_custom_operation_shows_its_type():
    symbol = mx.sym.Pooling(mx.sym.var("data"), kernel=(2, 2))
    assert 'label="Pooling\nmax, 2x2/1"' in plot_network(symbol).source


def test_names_used_twice_are_reported():
    symbol = mx.sym.relu(mx.sym.relu(mx.sym.var("data"), name="same"), name="same")
    with pytest.warns(RuntimeWarning, match="multiple variables with the same name.*same"):
        plot_network(symbol)


def test_short_names():
    assert mx.viz.plot_network is mx.visualization.plot_network is plot_network
    assert mx.viz.print_summary is print_summary
