"""What MkDocs calls while it builds the site: puts the generated pages into the navigation."""

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.pages import Page


def _below(nav: Any, section: str) -> Any:
    """A navigation whose paths begin with the section's folder."""
    if isinstance(nav, str):
        return f"{section}/{nav}"
    if isinstance(nav, dict):
        return {title: _below(entry, section) for title, entry in nav.items()}
    return [_below(entry, section) for entry in nav]


@event_priority(100)  # before the languages are set up
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replaces `reference/` by the navigation that stands in the folder's nav.json."""
    for entry in config.nav or ():
        for title, target in entry.items():
            if isinstance(target, str) and target.endswith("/"):
                nav = json.loads((Path(config.docs_dir) / target / "nav.json").read_text(encoding="utf-8"))
                entry[title] = _below(nav, target.rstrip("/"))
    return config


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Leaves out links to the other language in the head: for each the theme's script asks for a sitemap."""
    return re.sub(r'<link rel="alternate"[^>]*hreflang[^>]*>', "", output)
