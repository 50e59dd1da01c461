"""Pictures of networks where Graphviz is not installed."""

import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

import mxnet as mx
from mxnet.visualization._drawing import Drawing

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def no_graphviz(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)


def residual() -> mx.sym.Symbol:
    x = mx.sym.var("data")
    y = mx.sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=8, name="conv<1>")
    y = mx.sym.Activation(mx.sym.BatchNorm(y, name="bn"), act_type="relu", name="act")
    return mx.sym.elemwise_add(x, y, name="sum")


def picture(**options) -> Drawing:
    found = mx.viz.plot_network(residual(), shape={"data": (1, 8, 4, 4)}, **options)
    assert isinstance(found, Drawing)
    return found


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_boxes_arrows_and_labels():
    svg = picture().svg()
    root = ET.fromstring(svg)
    assert {"data", "Convolution", "3x3/1, 8", "bn", "Activation", "relu", "sum", "8x4x4"} <= set(texts(svg))
    assert len([path for path in root.iter(f"{SVG}path") if path.get("marker-end")]) == 5
    fills = [each.get("fill") for kind in ("rect", "ellipse") for each in root.iter(SVG + kind)]
    assert {"#fb8072", "#bebada", "#ffffb3", "#8dd3c7"} <= set(fills)
    assert [each.text for each in root.iter(f"{SVG}title")].count("conv<1>") == 1


def test_weights_that_are_not_hidden_are_ovals():
    assert "bn_gamma" in texts(picture(hide_weights=False).svg())
    assert "bn_gamma" not in texts(picture().svg())


def test_render_writes_source_and_picture(tmp_path):
    found = picture(save_format="svg", title="net").render(directory=tmp_path / "new")
    assert found == str(tmp_path / "new" / "net.gv.svg")
    ET.parse(found)
    assert (tmp_path / "new" / "net.gv").read_text().startswith("digraph net {\n\tdata [label=data shape=oval")
    again = picture(save_format="svg").render("other", tmp_path, cleanup=True)
    assert again == str(tmp_path / "other.svg")
    assert not (tmp_path / "other").exists()
    assert picture(save_format="svg").render(outfile=tmp_path / "own.svg") == str(tmp_path / "own.svg")


def test_other_formats_are_warned_about(tmp_path):
    with pytest.warns(UserWarning, match="format 'pdf' needs Graphviz' program `dot`.*written as SVG"):
        path = picture().render(directory=tmp_path)
    assert path.endswith("plot.gv.svg")
    with pytest.raises(ValueError, match=r"pipe\(format='png'\): expected 'svg'; other kinds"):
        picture(save_format="png").pipe()
    assert picture().pipe("svg").startswith(b"<svg")
    assert picture().pipe("svg", encoding="utf-8").startswith("<svg")


def test_save_and_view(tmp_path, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert picture().save("a.gv", tmp_path) == str(tmp_path / "a.gv")
    found = picture(save_format="svg").view("b.gv", tmp_path)
    assert opened == [f"file://{found}"]


def test_notebooks_show_it():
    drawn = picture()
    assert drawn._repr_svg_() == drawn._repr_image_svg_xml() == drawn.svg()
    assert list(drawn._repr_mimebundle_()) == ["image/svg+xml"]
    assert drawn._repr_mimebundle_(include=["image/png"]) == {}


def test_the_source_is_that_of_the_package():
    graphviz = pytest.importorskip("graphviz")
    mine, theirs = Drawing("plot"), graphviz.Digraph("plot")
    for each in (mine, theirs):
        each.node(name="a b", label="x\ny", shape="box")
        each.node(name="node", label="3")
        each.node(name='say "a"')
        each.edge(tail_name="a b", head_name="node", label="", dir="back")
        each.edge(tail_name="c", head_name="1.5")
    assert mine.source == str(mine) == theirs.source


def test_a_whole_network_is_quick_and_complete():
    net = mx.gluon.model_zoo.vision.resnet18_v1()
    symbol = net(mx.sym.var("data"))
    svg = mx.viz.plot_network(symbol, save_format="svg").svg()
    assert len(list(ET.fromstring(svg).iter(f"{SVG}g"))) == len(symbol.get_internals().list_outputs()) - len(
        [name for name in symbol.list_inputs() if name != "data"]
    )


def test_graphviz_draws_where_it_is_installed(monkeypatch):
    graphviz = pytest.importorskip("graphviz")
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/dot")
    assert type(mx.viz.plot_network(residual())) is graphviz.Digraph
    monkeypatch.setitem(sys.modules, "graphviz", None)
    assert type(mx.viz.plot_network(residual())) is Drawing


def test_repeated_names_do_not_loop():
    symbol = mx.sym.relu(mx.sym.relu(mx.sym.var("data"), name="same"), name="same")
    program = "import mxnet as mx, sys, warnings; warnings.simplefilter('ignore')\n"
    program += (
        "s = mx.sym.load_json(sys.stdin.read())\nprint(len(mx.viz.plot_network(s, save_format='svg').pipe('svg')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=symbol.tojson(), capture_output=True, text=True, timeout=60, check=True
    )
    assert int(done.stdout) > 100
