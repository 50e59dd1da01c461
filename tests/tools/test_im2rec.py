"""Packing images: the files that MXNet's own program makes, and what it does with bad input."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from mxnet.recordio import MXIndexedRecordIO, unpack, unpack_img
from regluon.cli import im2rec, rec2idx
from tools.oracle.record_recordio import FIXTURES, IM2REC

IMAGES = FIXTURES / "images"


def run(*arguments) -> int:
    return im2rec.main([str(argument) for argument in arguments])


def records(prefix: Path) -> list[bytes]:
    with MXIndexedRecordIO(f"{prefix}.idx", f"{prefix}.rec", "r") as file:
        return [file.read_idx(key) for key in file.keys]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", IM2REC)
def test_files_are_those_of_mxnet(tmp_path: Path, name: str, threads: int):
    listing, packing = IM2REC[name]
    assert run(*listing, tmp_path / name, IMAGES) == 0
    assert run(*packing, "--num-thread", threads, tmp_path / name, IMAGES) == 0
    expected = {path.name: path for path in (FIXTURES / "im2rec").glob(f"{name}*")}
    assert set(os.listdir(tmp_path)) == set(expected)
    for file, path in expected.items():
        if file.endswith(".lst") or "--pass-through" in packing:
            assert (tmp_path / file).read_bytes() == path.read_bytes()
        elif file.endswith(".rec"):
            found, noted = records((tmp_path / file).with_suffix("")), records(path.with_suffix(""))
            for one, other in zip(found, noted, strict=True):
                assert unpack(one)[0] == unpack(other)[0]
                np.testing.assert_array_equal(unpack_img(one)[1], unpack_img(other)[1])


def test_several_labels(tmp_path: Path):
    (tmp_path / "a.lst").write_text("5\t1\t2.5\tcat/0.png\n")
    assert run("--pack-label", "--pass-through", tmp_path / "a", IMAGES) == 0
    assert unpack(records(tmp_path / "a")[0])[0].label.tolist() == [1, 2.5]
    assert run("--pass-through", "--force", tmp_path / "a", IMAGES) == 0
    assert unpack(records(tmp_path / "a")[0])[0].label == 1


def test_bad_images_and_lines_are_named_and_left_out(tmp_path: Path, capsys):
    shutil.copytree(IMAGES, tmp_path / "images")
    (tmp_path / "images" / "bad.png").write_bytes(b"no image")
    (tmp_path / "a.lst").write_text("0\t1\tcat/0.png\n1\t1\tbad.png\n2\t1\tnone.png\n3\tcat/1.png\nx\t1\tcat/1.png\n")
    assert run(tmp_path / "a", tmp_path / "images") == 0
    out, err = capsys.readouterr()
    assert "1 images packed, 2 left out" in out
    for text in ("bad.png: [im2rec] received 8 bytes", "none.png", "line 4: received 2 columns", "line 5: invalid"):
        assert text in err
    assert len(records(tmp_path / "a")) == 1


def test_nothing_to_do_is_said(tmp_path: Path, capsys):
    (tmp_path / "empty").mkdir()
    cases = [
        (("--list", tmp_path / "a", tmp_path / "empty"), "has no file that ends in .jpeg, .jpg, .png; expected images"),
        (("--list", tmp_path / "a", tmp_path / "none"), "expected an existing one"),
        ((tmp_path / "a", IMAGES), "there is no list"),
    ]
    for arguments, text in cases:
        assert run(*arguments) == 1
        assert text in capsys.readouterr().err
    (tmp_path / "b.lst").write_text("0\t1\tnone.png\n")
    assert run(tmp_path / "b", IMAGES) == 1
    assert "no image of" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options", [["--chunks", "0"], ["--train-ratio", "2"], ["--train-ratio", ".9", "--test-ratio", ".2"]]
)
def test_bad_options(options, capsys):
    with pytest.raises(SystemExit):
        run(*options, "prefix", "root")
    assert "expected" in capsys.readouterr().err


def test_an_index_is_made_again(tmp_path: Path, capsys):
    path = FIXTURES / "labels.rec"
    assert rec2idx.main([str(path), str(tmp_path / "a.idx")]) == 0
    assert "6 records" in capsys.readouterr().out
    made, kept = (
        [line.split("\t")[1] for line in file.read_text().splitlines()]
        for file in (tmp_path / "a.idx", path.with_suffix(".idx"))
    )
    assert made == kept
    assert rec2idx.main(["/none.rec", str(tmp_path / "b.idx")]) == 1
    assert "expected a file that can be read" in capsys.readouterr().err
