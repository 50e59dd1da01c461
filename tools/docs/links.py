"""Checks a built site: python -m tools.docs.links build/site.

Every link to a page, a part of a page, a picture or a file of the site leads somewhere, and no page is too long.
Links to other sites are counted, not followed.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

LARGEST = 30_000
_LINKS = {"a": "href", "img": "src", "link": "href", "script": "src"}
_UNREAD = ("script", "style", "nav", "header", "footer", "svg")


class Document(HTMLParser):
    """What a page links to, the parts it can be linked to by, and how much text there is to read."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.names: set[str] = {""}
        self.size = 0
        self._unread = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.names.update(filter(None, (found.get("id"), found.get("name"))))
        if target := found.get(_LINKS.get(tag, "")):
            self.targets.add(target)
        self._unread += tag in _UNREAD

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in _UNREAD

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.size += len(" ".join(data.split()).encode())


def faults(site: Path) -> Iterator[str]:
    """What is wrong with a site, a line each."""
    pages = {path: Document(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        if page.size > LARGEST:
            yield f"{name}: {page.size} bytes of text, at most {LARGEST} are wanted"
        for target in sorted(page.targets):
            address, part = urldefrag(target)
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            place = (path.parent / unquote(urlsplit(address).path)).resolve() if address else path
            if place.is_dir():
                place /= "index.html"
            if not place.exists():
                yield f"{name}: {target} leads nowhere"
            elif place in pages and unquote(part) not in pages[place].names and not part.startswith("__"):
                yield f"{name}: {target} names no part of the page"


def check(site: Path) -> int:
    """Prints what is wrong with a site; the number is a process's exit status."""
    site = site.resolve()
    found = list(faults(site))
    print("\n".join(found) or f"links of {sum(1 for _ in site.rglob('*.html'))} pages lead somewhere")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[1])))
