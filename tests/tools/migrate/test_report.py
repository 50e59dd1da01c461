"""The command: its exit status, its texts, its JSON and its page."""

import json
from html.parser import HTMLParser

import pytest

from mxnet._commands.command import main
from regluon.cli.migrate import html_report
from tests.tools.migrate.support import report_of, write

WORKS = "import mxnet as mx\nx = mx.nd.zeros((2, 3))\nmx.nd.concat(x, x)\n"
DIFFERS = f"{WORKS}mx.nd.BatchNorm\n"
MISSING = f"{DIFFERS}mx.rtc.CudaModule('')\n"
UNKNOWN = f"{WORKS}mx.nd.zeross\n"


def run(*arguments: str) -> int:
    return main(["migrate", *arguments])


@pytest.mark.parametrize(
    ("code", "status", "strict"),
    [
        ("x = 1", 0, 0),
        (WORKS, 0, 0),
        (DIFFERS, 0, 1),
        (MISSING, 1, 1),
        (UNKNOWN, 1, 1),
        ("import mxnet\nx = (", 1, 1),
        ("import mxnet, ctypes\nctypes.CDLL('libmxnet.so')", 1, 1),
        ("try:\n    from mxnet.gluon import metric\nexcept ImportError:\n    from mxnet import metric", 0, 0),
        ("import mxnet as mx\nif hasattr(mx, 'device'):\n    mx.device.cpu()", 0, 0),
        ("import mxnet as mx\nif mx.__version__ > '2':\n    mx.device.cpu()", 0, 0),
        ("import mxnet as mx\nmx.nd.mine = 1\nmx.nd.mine", 0, 0),
    ],
)
def test_exit_status(tmp_path, capsys, code, status, strict):
    path = write(tmp_path, code)
    assert run(path) == status
    assert run(path, "--strict") == strict


def test_a_path_that_does_not_exist(tmp_path, capsys):
    assert run(str(tmp_path / "none")) == 2
    assert capsys.readouterr().err == f"python -m mxnet migrate: there is no file or folder {tmp_path / 'none'}.\n"


def test_a_folder_without_programs(tmp_path, capsys):
    assert run(str(tmp_path)) == 2
    assert f"there are no files that end in .py or .ipynb in {tmp_path}." in capsys.readouterr().err


def test_a_wrong_command_line(capsys):
    with pytest.raises(SystemExit) as stopped:
        run()
    assert stopped.value.code == 2


def test_text(tmp_path, capsys):
    path = write(tmp_path, MISSING + "mx.nd.zeross\nmx.gpu(0)\nx.handle\n")
    write(tmp_path, "import mxnet\nprint 'x'", "old.py")
    run(str(tmp_path))
    out = capsys.readouterr().out
    assert out.startswith("2 files read, 1 with MXNet: 6 names, used at 6 places\n  works    3  50%  ####")
    for text in (
        f"  mx.rtc.CudaModule  1 use: {path}:5",
        "CUDA source cannot be compiled here",
        f"  mx.nd.zeross  1 use: {path}:6",
        "    - Did you mean mx.nd.zeros",
        "  MXNet: BatchNorm moves its averages",
        "  gpu: mx.gpu(i) is the CUDA device i of PyTorch",
        "  handle: If this is an array's",
        "Could not be read",
        "is not Python 3: Missing parentheses",
        "  mx.nd.concat  1  torch.cat(arrays, dim=1)",
    ):
        assert text in out
    assert all(len(line) <= 100 or str(tmp_path) in line for line in out.splitlines())


def test_most_used_names_first_and_the_rest_on_request(tmp_path, capsys):
    names = ["exp", "log", "sin", "cos", "tan", "abs", "sign", "floor", "ceil", "sqrt", "square", "sum", "mean", "max"]
    names += ["min", "dot", "stack", "tile", "repeat", "ones", "diag"]
    path = write(tmp_path, "import mxnet as mx\n" + "\n".join(f"mx.nd.{name}" for name in names) + "\nmx.nd.diag")
    run(path)
    out = capsys.readouterr().out
    assert "  ... 1 more; --all shows them" in out
    assert out.index("mx.nd.diag") < out.index("mx.nd.abs")
    run(path, "--all")
    assert "more" not in capsys.readouterr().out


def test_by_file(tmp_path, capsys):
    write(tmp_path, WORKS, "a.py")
    write(tmp_path, UNKNOWN, "b.py")
    run(str(tmp_path), "--by-file", "--exclude", "a.*")
    out = capsys.readouterr().out
    assert f"{tmp_path / 'b.py'}\n  mx.nd.zeross  unknown  1  4\n" in out
    assert "a.py" not in out


def test_json(tmp_path, capsys):
    path = write(tmp_path, MISSING)
    assert run(path, "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert list(report) == ["schema", "regluon", "mxnet", "status", "summary", "names", "habits", "unread"]
    assert (report["schema"], report["mxnet"], report["status"]) == (1, "1.9.1", 1)
    assert report["summary"] == {
        "files": 1,
        "files_using_mxnet": 1,
        "names": {"works": 2, "differs": 1, "missing": 1, "unknown": 0},
        "uses": {"works": 2, "differs": 1, "missing": 1, "unknown": 0},
    }
    by_name = {name["name"]: name for name in report["names"]}
    assert list(by_name) == ["mxnet.rtc.CudaModule", "mxnet.nd.BatchNorm", "mxnet", "mxnet.nd.concat", "mxnet.nd.zeros"]
    concat = by_name["mxnet.nd.concat"]
    assert concat == {
        "name": "mxnet.nd.concat",
        "kind": "function",
        "state": "works",
        "uses": 1,
        "guarded": 0,
        "instead": "",
        "nearest": [],
        "differences": [],
        "torch": {
            "write": "torch.cat(arrays, dim=1)",
            "remark": "the default axis is 1 in MXNet, 0 in torch",
        },
        "places": [{"file": path, "line": 3, "cell": 0}],
    }
    (first, *_) = by_name["mxnet.nd.BatchNorm"]["differences"]
    assert list(first) == ["section", "mxnet", "here", "why"]
    (habit,) = report["habits"]
    assert (habit["kind"], habit["missing"]) == ("rtc", False)
    assert habit["places"] == [{"file": path, "line": 5, "cell": 0, "detail": "mx.rtc.CudaModule"}]


def test_json_tells_what_could_not_be_read(tmp_path, capsys):
    path = write(tmp_path, "import mxnet\nx = (")
    run(path, "--json")
    (problem,) = json.loads(capsys.readouterr().out)["unread"]
    assert problem == {"file": path, "line": 2, "cell": 0, "text": "is not Python 3: '(' was never closed"}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("mx.__version__ >= '1.5'", "version"),
        ("mx.context.gpu(1)", "gpu"),
        ("mx.base._LIB.MXNDArrayCreate()", "c-library"),
        ("mx.library.load('my.so')", "c-library"),
        ("mx.rtc.CudaModule('')", "rtc"),
        ("vision.resnet18_v1(pretrained=True)", "pretrained"),
        ("os.environ['MXNET_ENGINE_TYPE'] = 'NaiveEngine'", "environment"),
        ("getattr(mx.nd, name)", "computed"),
        ("from gluoncv import data", "gluoncv"),
    ],
)
def test_habits(tmp_path, line, kind):
    assert [habit.kind for habit in report_of(tmp_path, f"import mxnet as mx\n{line}").habits] == [kind]


def test_variables_that_are_listened_to_are_no_news(tmp_path):
    assert report_of(tmp_path, "import mxnet\nos.environ['MXNET_HOME']").habits == []


class Page(HTMLParser):
    """Checks that tags close, and gathers what would be fetched."""

    VOID = {"meta", "input", "br"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag, attrs):
        self.rows += tag == "tr"
        self.fetched += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page(tmp_path, capsys):
    path = write(tmp_path, MISSING + "mx.nd.zeross\nx.handle\n")
    target = tmp_path / "report.html"
    assert run(path, "--html", str(target)) == 1
    text = target.read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert page.fetched == []
    assert "url(" not in text
    assert "@import" not in text
    assert page.rows == 1 + 5
    assert text.count('data-state="works"') == 2
    assert "<code>torch.cat(arrays, dim=1)</code>" in text
    assert f"<code>{path}:5</code>" in text
    assert "1 file read, 1 with MXNet: 5 names, used at 5 places. Nothing of the programs was run." in text


def test_page_escapes(tmp_path):
    report = report_of(tmp_path, "import mxnet as mx\nmx.nd.zeros\ngetattr(mx.nd, f('<b>'))\n(x <y).handle")
    text = html_report.as_html(report, "<script>")
    assert "<title>MXNet in &lt;script&gt;</title>" in text
    assert "(x &lt; y).handle" in text


def test_nothing_of_a_program_is_run(tmp_path, capsys):
    write(tmp_path, f"import mxnet\nopen({str(tmp_path / 'ran')!r}, 'w')", "__init__.py")
    assert run(str(tmp_path)) == 0
    assert not (tmp_path / "ran").exists()
