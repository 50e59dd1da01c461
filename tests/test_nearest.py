"""Names that may have been meant."""

import pytest

from regluon.arguments import did_you_mean, nearest


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("axsi", ["axis", "mode"], ["axis"]),
        ("LR", ["lr_scheduler", "learning_rate"], ["learning_rate"]),
        ("learning_rate", ["lr", "wd"], ["lr"]),
        ("weight_decay", ["wd", "rescale_grad"], ["wd"]),
        ("ReLU", ["relu", "tanh"], ["relu"]),
        ("out_channels", ["in_channels", "channels"], ["channels"]),
        ("xyz", ["axis", "mode"], []),
        ("x", [], []),
        (3, ["float32"], []),
    ],
)
def test_nearest(name, known, expected):
    assert nearest(name, known) == expected


def test_several_best_first():
    assert nearest("resnet19_v1", ["vgg11", "resnet18_v1", "resnet101_v1"], 2) == ["resnet18_v1", "resnet101_v1"]


def test_words_of_other_libraries_count_only_where_the_name_exists():
    assert nearest("filters", ["units"]) == []


def test_did_you_mean():
    assert did_you_mean("axsi", ["axis"]) == " Did you mean axis?"
    assert did_you_mean("axsi", ["axis", "axes"], 2) == " Did you mean axis or axes?"
    assert did_you_mean("xyz", ["axis"]) == ""
