"""Errors inside of networks: the layer, the path to it, and a traceback that ends at the user's line."""

import re
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn

PACKAGE = str(Path(mx.__file__).parent)


class Pair(nn.HybridBlock):
    """Two layers that do not fit each other, one of them inside a row."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential(prefix="body_")
            self.body.add(nn.Dense(3, in_units=4), nn.Dense(2, in_units=5))

    def hybrid_forward(self, F, x):
        return self.body(x)


def made(block, hybridize=False):
    block.initialize()
    if hybridize:
        block.hybridize()
    return block


def refusal(function, kind=ValueError):
    with pytest.raises(kind) as caught:  # the callers check the text
        function()
    return caught.value


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("recorded", [False, True])
def test_a_wrong_shape_names_the_layer_and_the_path(hybridize, recorded):
    model = made(Pair(prefix="pair_"), hybridize)
    with autograd.record(recorded):
        error = refusal(lambda: model(nd.ones((2, 4))))
    assert str(error) == (
        "[Dense pair_dense1] FullyConnected received data float32(2, 3), weight float32(2, 5), bias float32(2,): "
        "expects 5 features per sample, received 3\n  in model.body.1 (pair_dense1: Dense(5 -> 2, linear))"
    )
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(
    ("shape", "flatten", "received"), [((2, 5), True, 5), ((2, 3, 5), True, 15), ((2, 3, 5), False, 5)]
)
def test_a_wrong_width_names_the_dense_layer(hybridize, recorded, shape, flatten, received):
    net = made(nn.Dense(4, in_units=3, flatten=flatten, prefix="dense0_"), hybridize)
    net(nd.ones((2, 3)))
    with autograd.record(recorded):
        error = refusal(lambda: net(nd.ones(shape)))
    assert str(error).startswith(f"[Dense dense0] FullyConnected received data float32{shape}, ")
    assert f"expects 3 features per sample, received {received}" in str(error)
    assert str(error).endswith("\n  in net (dense0: Dense(3 -> 4, linear))")


def test_sizes_in_the_order_of_pytorch_are_refused():
    with pytest.raises(
        ValueError, match=r"received 5; .*Linear\(inputs, outputs\) is nn.Dense\(outputs, in_units=inputs"
    ):
        nn.Dense(3, 5)


@pytest.mark.parametrize("recorded", [False, True])
def test_a_compiled_network_says_the_same_of_later_data(recorded):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=4, flatten=False), nn.Dense(2, in_units=6))
    made(net, True)
    with autograd.record(recorded):
        net(nd.ones((5, 2, 4)))
        compiled = refusal(lambda: net(nd.ones((5, 3, 4))))
        net.hybridize(False)
        eager = refusal(lambda: net(nd.ones((5, 3, 4))))
    assert str(compiled) == str(eager)
    assert str(eager).endswith(f"\n  in net.1 ({net[1].name}: Dense(6 -> 2, linear))")


def test_deferred_layers_too():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, 3), nn.Conv2D(3, 9))
    made(net)
    assert re.search(
        r"the window of size \(9, 9\) exceeds .*\n  in net\.1 \(conv\d+: Conv2D",
        str(refusal(lambda: net(nd.ones((1, 3, 5, 5))))),
        re.S,
    )


def test_a_block_that_was_called_by_itself():
    layer = made(nn.Dense(2, in_units=3))
    assert str(refusal(lambda: layer(nd.ones((2, 4))))).endswith(f"\n  in layer ({layer.name}: Dense(3 -> 2, linear))")


def test_blocks_in_no_variable_are_called_net():
    assert "\n  in net (" in str(refusal(lambda: made(nn.Dense(2, in_units=3))(nd.ones((2, 4)))))


def test_a_block_in_a_plain_list_has_its_name():
    class Hidden(nn.Block):
        def __init__(self):
            super().__init__()
            self._secret = (made(nn.Dense(2, in_units=3, prefix="secret_")),)

        def forward(self, x):
            return self._secret[0](x)

    net = Hidden()
    assert "\n  in net.<secret> (secret: Dense(3 -> 2, linear))" in str(refusal(lambda: net(nd.ones((2, 4)))))


def test_errors_of_the_user_stay_as_they_are():
    class Own(nn.Block):
        def forward(self, x):
            raise ValueError("mine")

    error = refusal(lambda: Own()(nd.ones(3)))
    assert str(error) == "mine"
    assert any("block_base.py" in frame.filename for frame in traceback.extract_tb(error.__traceback__))


def library_frames(error):
    return [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(PACKAGE)]


def test_the_frames_of_the_library_are_folded_away(monkeypatch):
    net = made(Pair())
    error = refusal(lambda: net(nd.ones((2, 4))))
    assert len(library_frames(error)) == 2  # of the outermost call: HybridBlock.__call__ and the line that raises
    assert error.__cause__ is None
    assert error.__suppress_context__
    own = [frame.name for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
    assert own == ["refusal", "<lambda>", "hybrid_forward"]
    monkeypatch.setenv("MXNET_FULL_TRACEBACK", "1")
    error = refusal(lambda: net(nd.ones((2, 4))))
    assert len(library_frames(error)) > 8
    assert error.__cause__ is not None


PROGRAM = """\
import mxnet as mx
from mxnet.gluon import nn
net = nn.HybridSequential()
net.add(nn.Dense(3, in_units=4), nn.Dense(2, in_units=5))
net.initialize()
{line}
"""
LINES = {
    "net(mx.nd.ones((2, 4)))": "in net.1 (",
    "net.hybridize(); net(mx.nd.ones((2, 4)))": "in net.1 (",
    "mx.nd.dot(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))": "[dot] received",
    "mx.gluon.Trainer(net.collect_params(), 'sgd', {'lr': 0.1})": "did you mean learning_rate?",
    "net.load_parameters('nowhere.params')": "expected an existing file",
}


@pytest.mark.parametrize("line", LINES)
def test_programs_end_with_one_traceback_at_their_own_line(line, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(line=line))
    run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, cwd=tmp_path)
    shown = re.findall(r'File "(.*?)", line (\d+)', run.stderr)
    assert shown == [(str(path), "6")], run.stderr
    assert run.stderr.count("Traceback") == 1
    assert LINES[line] in run.stderr


def test_the_full_traceback_of_a_program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(line="net(mx.nd.ones((2, 4)))"))
    command = [
        sys.executable,
        "-c",
        f"import os; os.environ['MXNET_FULL_TRACEBACK'] = '1'; import runpy; runpy.run_path({str(path)!r})",
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stderr.count("Traceback") == 2
    assert "dense.py" in run.stderr


# Data that are no arrays.

FOREIGN = [
    (np.ones((2, 3), "float32"), "numpy.ndarray", "nd.array(x)"),
    (torch.ones((2, 3)), "torch.Tensor", "nd.from_torch(x)"),
    ([[1.0, 2.0, 3.0]], "list", "nd.array(x)"),
    (3.0, "float", "nd.array(x)"),
]


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize(("data", "kind", "way"), FOREIGN, ids=[kind for _, kind, _ in FOREIGN])
def test_layers_say_how_to_convert_data(data, kind, way, hybridize):
    layer = made(nn.Dense(2, in_units=3), hybridize)
    text = rf"received {re.escape(kind)}; expected at least one NDArray or Symbol .* Convert it: {re.escape(way)}\."
    with pytest.raises(ValueError, match=text) as caught:
        layer(data)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("data", [np.ones((2, 3, 4), "float32"), torch.ones(2, 3, 4)], ids=["numpy", "torch"])
def test_recurrent_layers_too(data):
    with pytest.raises(ValueError, match=r"Convert it: nd\.(array|from_torch)\(x\)\."):
        made(rnn.LSTM(3))(data)


def test_nothing_at_all_given():
    with pytest.raises(ValueError, match=r"received NoneType; expected at least one NDArray or Symbol .* inputs\.\n"):
        made(nn.Dense(2, in_units=3))(None)


OPERANDS = [
    (
        lambda: nd.relu(np.ones(3)),
        r"\[relu\] input data: received numpy.ndarray; expected an NDArray. Wrap it: nd.array\(x\)",
    ),
    (lambda: nd.relu([1, 2]), r"\[relu\] input data: received builtins.list; .* Wrap it: nd.array\(x\)"),
    (lambda: nd.relu(torch.ones(3)), r"\[relu\] input data: received torch.Tensor; .* Wrap it: nd.from_torch\(x\)"),
    (lambda: nd.concat(np.ones(3), nd.ones(3)), r"\[Concat\] input data\[0\]: received numpy.ndarray"),
    (lambda: nd.ones(3) + np.ones(3), r"received an operand of type numpy.ndarray; .* Wrap it: nd.array\(x\)"),
    (lambda: nd.ones(3) + torch.ones(3), r"received an operand of type torch.Tensor; .* Wrap it: nd.from_torch\(x\)"),
    (lambda: nd.ones(3) * [1, 2, 3], r"received an operand of type builtins.list"),
    (
        lambda: gluon.loss.L2Loss()(nd.ones(3), np.ones(3)),
        r"numpy.ndarray; .* Wrap it: nd.array\(x\)\.\n  in net \(l2loss",
    ),
    (
        lambda: gluon.loss.SoftmaxCELoss()(nd.ones((2, 3)), [0, 1]),
        r"received builtins.list; .*\n  in net \(softmaxcross",
    ),
]


@pytest.mark.parametrize(("call", "text"), OPERANDS)
def test_operators_say_how_to_convert_operands(call, text):
    with pytest.raises(TypeError, match=text):
        call()


# Channels on another axis.

CHANNELS = [
    (
        lambda: nn.Conv1D(4, 3, in_channels=3),
        (2, 8, 3),
        r"look like NWC, with 3 channels on axis 2; .* NCW. Transpose them: nd.transpose\(x, \(0, 2, 1\)\), as",
    ),
    (
        lambda: nn.Conv2D(4, 3, in_channels=3),
        (2, 8, 7, 3),
        r"look like NHWC, .* nd.transpose\(x, \(0, 3, 1, 2\)\), or make the layer with layout='NHWC'",
    ),
    (
        lambda: nn.Conv3D(4, 3, in_channels=3),
        (2, 8, 7, 6, 3),
        r"look like NDHWC, .* nd.transpose\(x, \(0, 4, 1, 2, 3\)\), or make the layer with layout='NDHWC'",
    ),
    (
        lambda: nn.Conv2D(4, 3, in_channels=3, layout="NHWC"),
        (2, 3, 8, 7),
        r"look like NCHW, with 3 channels on axis 1; .* NHWC. Transpose them: nd.transpose\(x, \(0, 2, 3, 1\)\), or",
    ),
    (lambda: nn.Conv2D(4, 3, in_channels=6, groups=2), (2, 8, 8, 6), r"look like NHWC, with 6 channels on axis 3"),
    (lambda: nn.Conv2DTranspose(4, 3, in_channels=3), (2, 8, 8, 3), r"look like NHWC, with 3 channels on axis 3"),
    (
        lambda: nn.BatchNorm(in_channels=3),
        (2, 8, 8, 3),
        r"Axis 3 of the data has this length, the layer normalizes axis 1: make it with axis=3, or",
    ),
    (
        lambda: nn.BatchNorm(axis=3, in_channels=3),
        (2, 3, 8, 8),
        r"Axis 1 of the data has this length, the layer normalizes axis 3",
    ),
    (
        lambda: nn.LayerNorm(in_channels=3),
        (2, 3, 8),
        r"Axis 1 of the data has this length, the layer normalizes axis 2",
    ),
]


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize(("layer", "shape", "text"), CHANNELS, ids=[text for *_, text in CHANNELS])
def test_channels_on_another_axis_are_recognised(layer, shape, text, hybridize):
    with pytest.raises(ValueError, match=text):
        made(layer(), hybridize)(nd.ones(shape))


def test_other_wrong_numbers_of_channels_are_not_explained_away():
    with pytest.raises(ValueError, match=r"expected weight of shape \(4, 8, 3, 3\), got \(4, 3, 3, 3\)\n  in net"):
        made(nn.Conv2D(4, 3, in_channels=3))(nd.ones((2, 8, 8, 5)))
