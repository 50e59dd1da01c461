"""Names of MXNet in programs, by whatever names the programs have for them."""

import pytest

from tests.tools.migrate.support import reading_of

NAMES = {
    "import mxnet as mx\nmx.nd.zeros((2,))": ["mxnet", "mxnet.nd.zeros"],
    "import mxnet\nmxnet.nd.zeros": ["mxnet", "mxnet.nd.zeros"],
    "import mxnet.gluon as g\ng.nn.Dense": ["mxnet.gluon", "mxnet.gluon.nn.Dense"],
    "import mxnet.gluon\nmxnet.nd.ones": ["mxnet.gluon", "mxnet.nd.ones"],
    "from mxnet import nd, gluon as g\nnd.dot, g.Trainer": [
        *("mxnet.nd", "mxnet.gluon", "mxnet.nd.dot", "mxnet.gluon.Trainer"),
    ],
    "from mxnet.gluon import nn\nnn.Dense(3)": ["mxnet.gluon.nn", "mxnet.gluon.nn.Dense"],
    "from mxnet.gluon.nn import Dense as D\nD(3)": ["mxnet.gluon.nn.Dense", "mxnet.gluon.nn.Dense"],
    "from mxnet.gluon.nn import *\nDense(3), other": ["mxnet.gluon.nn", "mxnet.gluon.nn.Dense"],
    "import mxnet as mx\nF = mx.sym\nF.relu": ["mxnet", "mxnet.sym", "mxnet.sym.relu"],
    "import mxnet as mx\na, b = mx.nd, mx.sym\nb.relu": ["mxnet", "mxnet.nd", "mxnet.sym", "mxnet.sym.relu"],
    "import mxnet as mx\nlayer: type = mx.gluon.nn.Dense\nlayer(2)": [
        *("mxnet", "mxnet.gluon.nn.Dense", "mxnet.gluon.nn.Dense"),
    ],
    "import pytest\nmx = pytest.importorskip('mxnet')\nmx.nd.dot": ["mxnet.nd.dot"],
    "import mxnet as mx\ngetattr(mx.nd, 'relu')": ["mxnet", "mxnet.nd.relu", "mxnet.nd"],
    "import mxnet as mx\ndef f(): return mx.nd.dot": ["mxnet", "mxnet.nd.dot"],
    "def f(): return mx.nd.dot\nimport mxnet as mx": ["mxnet", "mxnet.nd.dot"],
    "import mxnet as mx\n[mx.nd.ones(n) for n in (1, 2)]": ["mxnet", "mxnet.nd.ones"],
    "import mxnet as mx\nmx.nd.array([1]).asnumpy().shape": ["mxnet", "mxnet.nd.array"],
    "import mxnet as mx\nclass Net(mx.gluon.Block):\n    nd = mx.nd\n    def f(self): return nd": [
        *("mxnet", "mxnet.gluon.Block", "mxnet.nd"),
    ],
}
HIDDEN = {
    "from mxnet import nd\nnd = 3\nnd.zeros": ["mxnet.nd"],
    "from mxnet import nd\ndef f(nd): return nd.zeros": ["mxnet.nd"],
    "from mxnet import nd\ndef f():\n    nd = g()\n    return nd.zeros": ["mxnet.nd"],
    "from mxnet import nd\n[nd.x for nd in y]\nnd.dot": ["mxnet.nd", "mxnet.nd.dot"],
    "from mxnet import nd\nfor nd in y: nd.x": ["mxnet.nd"],
    "from mxnet import nd\nfrom other import nd\nnd.x": ["mxnet.nd"],
    "from .mxnet import nd\nnd.zeros": [],
    "import mxnet_tools as mx\nmx.nd": [],
    "from mxnet import nd\ndef nd(): pass\nnd.x": ["mxnet.nd"],
}


@pytest.mark.parametrize(("code", "names"), {**NAMES, **HIDDEN}.items())
def test_names(tmp_path, code, names):
    assert [use.paths for use in reading_of(tmp_path, code).uses] == [(name,) for name in names]


@pytest.mark.parametrize(
    "code",
    [
        "class Net:\n    def hybrid_forward(self, F, x): return F.relu(x)  # mxnet",
        "import mxnet\ndef helper(F, x): return F.relu(x)",
        "import mxnet\nhelper = lambda F, x: F.relu(x)",
    ],
)
def test_front_end_argument(tmp_path, code):
    assert ("F.relu",) in [use.paths for use in reading_of(tmp_path, code).uses]


def test_an_argument_f_without_mxnet_is_something_else(tmp_path):
    code = "# mxnet\nimport torch.nn.functional as F\ndef helper(F, x): return F.relu(x)"
    assert reading_of(tmp_path, code).uses == []


@pytest.mark.parametrize(
    "code",
    [
        "import mxnet as mx\nif x:\n    F = mx.nd\nelse:\n    F = mx.sym\nF.relu",
        "import mxnet as mx\nF = mx.nd if x else mx.sym\nF.relu",
        "import mxnet as mx\nfor F in (mx.nd, mx.sym):\n    F.relu",
    ],
)
def test_branches(tmp_path, code):
    assert reading_of(tmp_path, code).uses[-1].paths == ("mxnet.nd.relu", "mxnet.sym.relu")


def test_none_prepares_for_a_failing_import(tmp_path):
    code = "mx = None\ntry:\n    import mxnet as mx\nexcept ImportError:\n    mx = None\nmx.nd.dot"
    assert reading_of(tmp_path, code).uses[-1].paths == ("mxnet.nd.dot",)


@pytest.mark.parametrize(
    ("code", "guarded"),
    [
        ("try:\n    from mxnet import np\nexcept ImportError:\n    pass", True),
        ("try:\n    from mxnet import np\nexcept (KeyError, AttributeError):\n    pass", True),
        ("try:\n    from mxnet import np\nexcept:\n    pass", True),
        ("try:\n    from mxnet import np\nexcept KeyError:\n    pass", False),
        ("try:\n    from mxnet import np\nfinally:\n    pass", False),
    ],
)
def test_guards(tmp_path, code, guarded):
    assert [use.is_guarded for use in reading_of(tmp_path, code).uses] == [guarded]


def test_a_test_of_the_version_guards(tmp_path):
    code = "import mxnet as mx\nif mx.__version__ > '2':\n    mx.device.x\nmx.nd.dot"
    assert [use.is_guarded for use in reading_of(tmp_path, code).uses] == [False, False, True, False]


def test_what_is_asked_for_and_defined(tmp_path):
    code = "import mxnet as mx\nhasattr(mx, 'np')\ngetattr(mx.nd, 'x', None)\nmx.nd.mine = 3"
    found = reading_of(tmp_path, code)
    assert found.asked == {"mxnet.np", "mxnet.nd.x"}
    assert found.defined == {"mxnet.nd.mine"}


def test_places(tmp_path):
    uses = reading_of(tmp_path, "import mxnet as mx\n\nx = mx.nd.ones(\n    mx.nd.dot)").uses
    assert [use.place.line for use in uses] == [1, 3, 4]
    assert str(uses[0].place) == f"{tmp_path / 'program.py'}:1"


@pytest.mark.parametrize(
    ("line", "kind", "detail"),
    [
        ("x.handle", "handle", "x.handle"),
        ("zoo.resnet(pretrained=True)", "pretrained", "zoo.resnet"),
        ("ctypes.CDLL('lib/libmxnet.so')", "ctypes", "ctypes.CDLL('lib/libmxnet.so')"),
        ("os.environ['MXNET_X'] = '1'", "environment", "MXNET_X"),
        ("getattr(mx.nd, name)", "computed", "getattr(mxnet.nd, ...)"),
        ("import gluoncv.utils", "library", "gluoncv"),
    ],
)
def test_signs(tmp_path, line, kind, detail):
    assert (kind, detail) in [sign[:2] for sign in reading_of(tmp_path, f"import mxnet as mx\n{line}").signs]


@pytest.mark.parametrize(
    "line", ["zoo.resnet(pretrained=False)", "ctypes.CDLL('libc.so')", "'MXNET is dead'", "x.handles"]
)
def test_no_signs(tmp_path, line):
    assert reading_of(tmp_path, f"import mxnet as mx\n{line}").signs == []
