"""Networks pass both ways: files that a real MXNet exported run here, and the same code exports the same files.

`make oracle-check` has a real MXNet load what this library exports; see tools/oracle/README.md.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon
from tools.oracle.export_networks import (
    EPOCH,
    NETWORKS,
    Arrays,
    Built,
    array,
    compare,
    gradients,
    graph_file,
    imported,
    inputs,
    parameter_file,
    run_bound,
    run_imported,
    values,
)

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "exports"

# Where the text of a graph is not MXNet's: what to leave out of both before they are compared, and why.
OTHER_TEXTS = {
    "positions": (
        r'"__init__": "(Constant_positions0_table_0|\[\\"_values\\", \{\}\])", ',
        "MXNet names the initializer of a constant by an address in memory",
    ),
}

each_network = pytest.mark.parametrize("name", NETWORKS)


def recorded(name: str, kind: str) -> Arrays:
    with np.load(FIXTURES / f"{name}.npz") as file:
        return {key.partition(":")[2]: file[key] for key in file if key.startswith(f"{kind}:")}


def outputs(name: str) -> list[np.ndarray]:
    return list(recorded(name, "output").values())


def text(directory: Path, name: str) -> str:
    return graph_file(directory, name).read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=NETWORKS)
def built(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Path]:
    """A network made here, and where it was saved."""
    folder = tmp_path_factory.mktemp("exports")
    network = Built(request.param)
    network.save(folder)
    return network, folder


# -- files of MXNet ---------------------------------------------------------------------------------------------------


@each_network
def test_symbol_block_runs_files_of_mxnet(name: str) -> None:
    compare(run_imported(name, FIXTURES), outputs(name), NETWORKS[name].dtype)


@each_network
@pytest.mark.sample(one_in=4)
def test_executor_runs_files_of_mxnet(name: str) -> None:
    compare(run_bound(name, FIXTURES), outputs(name), NETWORKS[name].dtype)


@pytest.mark.parametrize("name", [name for name, network in NETWORKS.items() if network.gradients])
def test_gradients_of_files_of_mxnet(name: str) -> None:
    expected, found = recorded(name, "gradient"), gradients(name, FIXTURES)
    assert sorted(found) == sorted(f"gradient:{key}" for key in expected)
    for key, gradient in expected.items():
        compare([found[f"gradient:{key}"]], [gradient], NETWORKS[name].dtype)


@each_network
def test_the_data_are_those_that_were_recorded(name: str) -> None:
    for key, data in recorded(name, "input").items():
        assert np.array_equal(inputs(name)[key], data)


@each_network
def test_a_loaded_graph_is_written_as_it_was(name: str) -> None:
    assert mx.sym.load(str(graph_file(FIXTURES, name))).tojson() == text(FIXTURES, name)


def test_every_file_belongs_to_a_network() -> None:
    expected = {path for name in NETWORKS for path in (graph_file(FIXTURES, name), FIXTURES / f"{name}.npz")}
    expected |= {parameter_file(FIXTURES, name) for name, network in NETWORKS.items() if network.keeps_parameters}
    assert set(FIXTURES.iterdir()) == expected


# -- files of this library --------------------------------------------------------------------------------------------


@pytest.mark.sample(one_in=4)
def test_same_results_from_the_same_code(built: tuple[Built, Path]) -> None:
    network = built[0]
    compare(network.outputs, outputs(network.name), network.network.dtype)


def test_same_text(built: tuple[Built, Path]) -> None:
    network, folder = built
    left_out = OTHER_TEXTS.get(network.name, ("(?!)", ""))[0]
    ours, real = (re.sub(left_out, "", text(place, network.name)) for place in (folder, FIXTURES))
    assert ours == real


@pytest.mark.parametrize("name", OTHER_TEXTS)
def test_other_texts_are_other_texts(name: str, tmp_path: Path) -> None:
    Built(name).save(tmp_path)
    assert text(tmp_path, name) != text(FIXTURES, name)


def test_same_parameters(built: tuple[Built, Path]) -> None:
    network, folder = built
    if network.network.keeps_parameters:
        ours, real = (parameter_file(place, network.name).read_bytes() for place in (folder, FIXTURES))
        assert ours == real
    else:
        graph = mx.sym.load(str(graph_file(FIXTURES, network.name)))
        names = [f"arg:{key}" for key in graph.list_arguments() if key not in network.inputs]
        names += [f"aux:{key}" for key in graph.list_auxiliary_states()]
        assert sorted(mx.nd.load(str(parameter_file(folder, network.name)))) == sorted(names)


def test_own_files_run_here(built: tuple[Built, Path]) -> None:
    network, folder = built
    for run in (run_imported, run_bound):
        compare(run(network.name, folder), network.outputs, network.network.dtype)


# -- other ways to the same files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mlp", "lenet", "fire", "activations", "gru", "cells_lstm"])
def test_same_text_after_a_call_as_written(name: str, tmp_path: Path) -> None:
    """Variables keep the shapes that they had when shapes were first asked for."""
    data = array(inputs(name)["data"])
    with mx.name.NameManager():
        net = NETWORKS[name].build()
        net.initialize()
        net(data)
        net.hybridize()
        net(data)
        net.export(str(tmp_path / name))
    assert text(tmp_path, name) == text(FIXTURES, name)


@pytest.mark.parametrize("name", ["lenet", "lstm", "cells_lstm", "detector", "separable"])
def test_an_imported_network_is_exported_again(name: str, tmp_path: Path) -> None:
    paths = str(graph_file(FIXTURES, name)), str(parameter_file(FIXTURES, name))
    block = gluon.SymbolBlock.imports(paths[0], list(NETWORKS[name].inputs), paths[1])
    block.hybridize()
    block(*map(array, inputs(name).values()))
    block.export(str(tmp_path / name))
    assert text(tmp_path, name) == text(FIXTURES, name)
    ours, real = mx.nd.load(str(parameter_file(tmp_path, name))), mx.nd.load(paths[1])
    assert sorted(ours) == sorted(real)
    assert all(np.array_equal(ours[key].asnumpy(), real[key].asnumpy()) for key in real)


@pytest.mark.parametrize("name", ["lstm", "cells_lstm", "cells_gru", "encoder", "detector", "foreach_lstm"])
def test_files_of_mxnet_take_another_batch(name: str) -> None:
    """Each sample of a larger batch gives what it gives alone; no size of a batch is part of a graph."""
    axis = 1 if name in ("lstm", "foreach_lstm") else 0
    block = gluon.SymbolBlock.imports(
        str(graph_file(FIXTURES, name)), list(NETWORKS[name].inputs), str(parameter_file(FIXTURES, name))
    )
    once, data = outputs(name)[0], inputs(name)
    if name == "foreach_lstm":  # its states have no axis of time
        twice = [np.concatenate([each, each], each.ndim - 2) for each in data.values()]
    else:
        twice = [np.concatenate([each, each], axis) for each in data.values()]
    result = block(*map(array, twice))
    first = result[0] if isinstance(result, (list, tuple)) else result
    compare([first.asnumpy()], [np.concatenate([once, once], axis)])


@pytest.mark.parametrize("name", [name for name in NETWORKS if name.startswith("sym_")])
def test_checkpoints_of_mxnet(name: str) -> None:
    graph, arguments, states = mx.model.load_checkpoint(str(FIXTURES / name), EPOCH)
    data = {key: array(each) for key, each in inputs(name).items()}
    bound = graph.bind(mx.cpu(), {**arguments, **data}, aux_states=states)
    compare([each.asnumpy() for each in bound.forward(is_train=False)], outputs(name))


def test_types_of_the_parameters_of_a_symbol_block() -> None:
    """As in MXNet: those of another network as they are there, others as NumPy's types."""
    shared = Built("inner_results").net
    assert {parameter.dtype for parameter in shared.collect_params().values()} == {"float32"}
    loaded = imported("mlp_float64", FIXTURES)
    assert {parameter.dtype for parameter in loaded.collect_params().values()} == {np.float64}


def test_values_follow_from_names() -> None:
    """The fixtures of large networks contain no parameters."""
    found = mx.nd.load(str(parameter_file(FIXTURES, "lenet")))
    for key, each in found.items():
        assert np.array_equal(each.asnumpy(), values(key[4:], each.shape, "float32"))


@pytest.mark.parametrize("names", [["data"], ["data", "rows"]], ids=["parameter", "input"])
def test_a_graph_with_row_sparse_variables_is_no_block(names: list[str]) -> None:
    product = mx.sym.dot(mx.sym.var("data"), mx.sym.var("rows", stype="row_sparse"))
    with pytest.raises(AssertionError, match=r"\[SymbolBlock\] variable rows has the storage type 'row_sparse'"):
        gluon.SymbolBlock(product, [mx.sym.var(name) for name in names])


def test_inputs_of_a_graph_are_variables() -> None:
    data = mx.sym.var("data")
    shifted = mx.sym.broadcast_add(data, data, name="shifted")
    elsewhere = mx.sym.relu(data, name="elsewhere")
    for given, text in [
        (shifted, "input 'shifted' is a broadcast_add; expected a variable"),
        ([elsewhere], "input 'elsewhere' is a relu; expected a variable"),
        ([mx.sym.var("shifted")], "input 'shifted' is a broadcast_add; expected a variable"),
        ([mx.sym.Group([data, shifted])], "inputs: received <Symbol group .*>; expected variables"),
        (["data"], "inputs: received 'data'; expected variables"),
    ]:
        with pytest.raises(AssertionError, match=text) as caught:
            gluon.SymbolBlock(shifted * 2, given)
        assert isinstance(caught.value, ValueError)


class Nested(gluon.HybridBlock):
    """Takes and gives nested arrays."""

    def hybrid_forward(self, F: Any, x: Any, pair: Any) -> Any:
        first, second = pair
        return [x + first, [x * second, F.split(x, num_outputs=2, axis=1)], [first - second]]


def test_nesting_of_inputs_and_results_travels_beside_the_files(tmp_path: Path) -> None:
    """GluonTS saves both notes as JSON and gives them to the block it loads: results are nested as they were."""
    x, first, second = (mx.nd.array(np.arange(4.0).reshape(2, 2) + shift) for shift in range(3))
    net = Nested()
    net.hybridize()
    out = net(x, [first, second])
    assert net._in_format == [0, [0, 0]]
    assert net._out_format == [0, [0, 2], [0]]
    net.export(str(tmp_path / "net"))
    loaded = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data0", "data1", "data2"])
    assert (loaded._in_format, loaded._out_format) == ([0, 0, 0], 5)
    assert [each.shape for each in loaded(x, first, second)] == [(2, 2), (2, 2), (2, 1), (2, 1), (2, 2)]
    loaded._in_format, loaded._out_format = net._in_format, net._out_format
    again = loaded(x, [first, second])
    assert np.array_equal(again[0].asnumpy(), out[0].asnumpy())
    assert np.array_equal(again[1][1][1].asnumpy(), out[1][1][1].asnumpy())
    assert np.array_equal(again[2][0].asnumpy(), out[2][0].asnumpy())


def test_nesting_is_unknown_before_the_first_call() -> None:
    net = gluon.nn.Dense(2)
    assert (net._in_format, net._out_format) == (None, None)
    net.initialize()
    net.hybridize()
    net(mx.nd.ones((3, 2)))
    assert (net._in_format, net._out_format) == ([0], 0)


def test_a_list_of_one_result_stays_one_after_loading(tmp_path: Path) -> None:
    net = gluon.nn.HybridLambda(lambda F, x: [x + 1])
    net.hybridize()
    net(mx.nd.ones((3, 2)))
    assert net._out_format == [0]
    net.export(str(tmp_path / "net"))
    loaded = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), "data")
    assert loaded(mx.nd.ones((3, 2))).shape == (3, 2)
    loaded._out_format = net._out_format
    (only,) = loaded(mx.nd.ones((3, 2)))
    assert only.shape == (3, 2)


def test_results_of_a_graph_are_nested_as_its_outputs() -> None:
    data = mx.sym.var("data")
    halves = mx.sym.split(data, num_outputs=2, axis=1)
    x = mx.nd.ones((3, 4))
    for outputs, form in [(data + 1, 0), ([data + 1], 0), (halves, 2), ([halves], 2), ([data + 1, halves], [0, 2])]:
        assert gluon.SymbolBlock(outputs, data)._out_format == form
    whole, (left, right) = gluon.SymbolBlock([data + 1, [halves[0], halves[1]]], data)(x)
    assert (whole.shape, left.shape, right.shape) == ((3, 4), (3, 2), (3, 2))
    whole, pair = gluon.SymbolBlock([data + 1, halves], data)(mx.sym.var("other"))
    assert whole.list_arguments() == ["other"]
    assert [each.list_arguments() for each in pair] == [["other"], ["other"]]


def test_what_is_no_array_among_the_inputs_has_no_note() -> None:
    net = gluon.nn.HybridLambda(lambda F, x, factor: x * factor)
    net.hybridize()
    net(mx.nd.ones((2,)), 3)
    assert (net._in_format, net._out_format) == (None, 0)
