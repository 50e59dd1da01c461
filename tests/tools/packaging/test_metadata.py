import zipfile
from pathlib import Path

import pytest

from tools.packaging.metadata import LICENCES, NEEDED, URLS, faults

TEXT = "Metadata-Version: 2.4\nName: regluon\nVersion: 0.1.0\nLicense-Expression: Apache-2.0\n" + "".join(
    [*(f"License-File: {name}\n" for name in LICENCES), *(f"Project-URL: {name}, https://x.test\n" for name in URLS)]
)
INFO = "regluon-0.1.0.dist-info"


def write(folder: Path, text: str = TEXT, without: str = "", extra: str = "", tag: str = "py3-none-any") -> Path:
    path = folder / f"regluon-0.1.0-{tag}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{INFO}/METADATA", text)
        for name in (*NEEDED, *(f"{INFO}/licenses/{name}" for name in LICENCES), *filter(None, [extra])):
            if name != without:
                wheel.writestr(name, "")
    return path


def test_a_sound_wheel(tmp_path):
    assert faults(write(tmp_path), "0.1.0") == []
    kernels = "regluon/native/compiled/regluon_kernels.so"
    assert faults(write(tmp_path, extra=kernels, tag="cp311-cp311-linux_x86_64"), "0.1.0") == []


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"text": TEXT.replace("0.1.0", "0.2.0")}, "Version is '0.2.0'; expected '0.1.0'"),
        ({"text": TEXT.replace("Project-URL: Issues", "X-None: Issues")}, "there is no project URL 'Issues'"),
        ({"without": f"{INFO}/licenses/NOTICE"}, "the licence file NOTICE is missing"),
        ({"without": "regluon/array/op.pyi"}, "regluon/array/op.pyi is missing"),
        ({"extra": "tests/conftest.py"}, "tests/conftest.py does not belong there"),
        ({"extra": "regluon/native/compiled/regluon_kernels.so"}, "a pure wheel has compiled kernels"),
        ({"tag": "cp311-cp311-linux_x86_64"}, "compiled kernels are missing"),
    ],
)
def test_faults(tmp_path, settings, expected):
    assert faults(write(tmp_path, **settings), "0.1.0") == [expected]
