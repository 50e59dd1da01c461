import pytest

from tools.packaging import changelog

UNCUT = """# Changelog

Words.

## [Unreleased]

### Added

- New.

## [0.1.0] - 2026-01-31

- Old.
"""


def test_cut():
    text = changelog.cut(UNCUT, "0.2.0", "2026-11-17")
    assert "## [Unreleased]\n\n## [0.2.0] - 2026-11-17\n\n### Added\n\n- New.\n\n## [0.1.0] - 2026-01-31\n" in text
    assert changelog.sections(text) == {
        "Unreleased": (None, ""),
        "0.2.0": ("2026-11-17", "### Added\n\n- New."),
        "0.1.0": ("2026-01-31", "- Old."),
    }
    assert changelog.fault(text, "0.2.0") == ""


def test_what_cannot_be_cut():
    with pytest.raises(ValueError, match=r"already has a section \[0.1.0\]; raise regluon_version"):
        changelog.cut(UNCUT, "0.1.0", "2026-11-17")
    with pytest.raises(ValueError, match=r"nothing under \[Unreleased\]"):
        changelog.cut(UNCUT.replace("### Added\n\n- New.\n", ""), "0.2.0", "2026-11-17")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("## [0.1.0]", "## [0.0.9]", "CHANGELOG.md has no section [0.1.0]; `--cut` makes it of [Unreleased]"),
        (" - 2026-01-31", "", "has no date; expected '## [0.1.0] - YYYY-MM-DD'"),
        ("- Old.", "", "the section [0.1.0] of CHANGELOG.md is empty"),
        ("", "", "has lines under [Unreleased] that would be in 0.1.0"),
    ],
)
def test_what_cannot_be_released(old, new, expected):
    assert expected in changelog.fault(UNCUT.replace(old, new), "0.1.0")
