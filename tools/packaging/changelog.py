"""The sections of CHANGELOG.md, and turning "Unreleased" into that of a version."""

import re

_HEADING = re.compile(r"^## \[(?P<name>[^\]]+)\](?: - (?P<date>\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)
UNRELEASED = "Unreleased"


def sections(text: str) -> dict[str, tuple[str | None, str]]:
    """Date and content of each section, by version."""
    found = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in found[1:]] + [len(text)]
    return {heading["name"]: (heading["date"], text[heading.end() : end].strip()) for heading, end in zip(found, ends)}


def fault(text: str, version: str) -> str:
    """Why a version cannot be released with this changelog; empty if it can."""
    found = sections(text)
    if version not in found:
        return f"CHANGELOG.md has no section [{version}]; `--cut` makes it of [{UNRELEASED}]"
    date, content = found[version]
    if date is None:
        return f"the section [{version}] of CHANGELOG.md has no date; expected '## [{version}] - YYYY-MM-DD'"
    if not content:
        return f"the section [{version}] of CHANGELOG.md is empty"
    if found.get(UNRELEASED, (None, ""))[1]:
        return f"CHANGELOG.md has lines under [{UNRELEASED}] that would be in {version}; move them there"
    return ""


def cut(text: str, version: str, date: str) -> str:
    """The changelog with what is unreleased as the section of a version, and an empty "Unreleased" above it.

    Raises:
        ValueError: there is nothing unreleased, or the version has a section.
    """
    found = sections(text)
    if version in found:
        raise ValueError(f"CHANGELOG.md already has a section [{version}]; raise regluon_version in libinfo.py")
    if not found.get(UNRELEASED, (None, ""))[1]:
        raise ValueError(f"CHANGELOG.md has nothing under [{UNRELEASED}]")
    heading = f"## [{UNRELEASED}]"
    return text.replace(f"{heading}\n", f"{heading}\n\n## [{version}] - {date}\n", 1)
