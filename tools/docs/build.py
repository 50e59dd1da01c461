"""Builds the site: python -m tools.docs.build.

Pages are copied from docs/ to build/docs, where links that leave docs/ are pointed at the repository, pictures from
outside come along, tutorials get a notebook each, and the reference and the compatibility tables are generated. MkDocs
makes build/site of that, and its links are checked.
"""

import posixpath
import re
import shutil
import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

from tools.docs import REPOSITORY, compatibility, links, notebooks, reference

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "docs"
STAGED = ROOT / "build" / "docs"
SITE = ROOT / "build" / "site"
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>\.\./[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
_NOTEBOOK = {
    "en": "[:material-notebook: Download as a notebook]({name}.ipynb){{ .md-button }}",
    "zh": "[:material-notebook: 下载 Jupyter 笔记本]({name}.ipynb){{ .md-button }}",
}


def _outside(page: Path, target: str) -> str | None:
    """The path in the repository that a relative link of a page leads to, if it is not in docs/."""
    folder = posixpath.join("docs", page.relative_to(STAGED).parent.as_posix())
    path = posixpath.normpath(posixpath.join(folder, target))
    return None if path.startswith("docs/") else path


def with_links(page: Path, text: str) -> str:
    """A page's text whose links lead somewhere from the site too; copies the pictures that it shows."""

    def replaced(match: re.Match[str]) -> str:
        path = _outside(page, match["target"])
        if path is None:
            return match[0]
        source = ROOT / path
        if not source.exists():
            raise FileNotFoundError(f"{page.relative_to(STAGED)} links to {match['target']}, which does not exist")
        if match["image"]:
            shutil.copy(source, STAGED / "assets" / source.name)
            depth = len(page.relative_to(STAGED).parts) - 1
            return f"![{match['text']}]({'../' * depth}assets/{source.name})"
        kind = "tree" if source.is_dir() else "blob"
        return f"[{match['text']}]({REPOSITORY}/{kind}/main/{path}{match['anchor'] or ''})"

    return _LINK.sub(replaced, text)


def with_notebook(page: Path, text: str) -> str:
    """A tutorial's text with a button that downloads it as a notebook, which is written beside it."""
    page.with_suffix(".ipynb").write_text(notebooks.from_markdown(text), encoding="utf-8")
    button = _NOTEBOOK["zh" if page.stem.endswith(".zh") else "en"].format(name=page.stem)
    heading, _, rest = text.partition("\n")
    return f"{heading}\n\n{button}\n{rest}"


def stage() -> None:
    """Puts everything that the site is made of into one folder."""
    shutil.rmtree(STAGED, ignore_errors=True)
    shutil.copytree(SOURCES, STAGED)
    for page in sorted(STAGED.rglob("*.md")):
        text = with_links(page, page.read_text(encoding="utf-8"))
        if page.parent.name == "learn" and "```python" in text:
            text = with_notebook(page, text)
        page.write_text(text, encoding="utf-8")
    reference.write(STAGED / "reference")
    compatibility.write(STAGED / "compatibility")


def main() -> int:
    """Builds the site and checks it."""
    stage()
    build(load_config(str(ROOT / "mkdocs.yml")))
    return links.check(SITE)


if __name__ == "__main__":
    sys.exit(main())
