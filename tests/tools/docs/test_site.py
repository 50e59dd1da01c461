"""The built site in a real browser: it opens, searches, switches language and navigates, without an error.

`make docs-test` builds the site and runs this; it needs Chromium. SITE_PICTURES names a folder for pictures.
"""

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

SITE = Path(__file__).parents[3] / "build" / "site"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="the site is not built: make docs"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(params=WIDTHS)
def page(request, browser):
    width, height = WIDTHS[request.param]
    page = browser.new_page(viewport={"width": width, "height": height})
    page.errors = []
    page.kind = request.param
    page.on("console", lambda message: message.type == "error" and page.errors.append(message.text))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("requestfailed", lambda asked: page.errors.extend(failed(asked)))
    page.on("response", lambda answer: answer.status >= 400 and page.errors.append(f"{answer.status}: {answer.url}"))
    yield page
    assert page.errors == []
    page.close()


def failed(asked) -> list[str]:
    """What a request that got no answer is worth; one that ended because the reader went on, nothing."""
    return [] if asked.failure == "net::ERR_ABORTED" else [f"{asked.failure}: {asked.url}"]


def picture(page, name: str) -> None:
    if folder := os.environ.get("SITE_PICTURES"):
        page.screenshot(path=str(Path(folder) / f"{name}-{page.kind}.png"))


def search(page, words: str) -> None:
    if page.kind == "phone":
        page.locator("label[for=__search]").first.click()
    page.locator("input.md-search__input").click()
    page.locator("input.md-search__input").fill(words)
    page.locator("input.md-search__input").press("End")  # the theme waits for a key, which Chinese words do not press
    page.locator(".md-search-result__item").first.wait_for()


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("index.html", "import mxnet works again"),
        ("zh/index.html", "import mxnet 又能用了"),
        ("learn/training.html", None),
        ("zh/learn/training.html", None),
        ("cookbook/files.html", None),
        ("compatibility/index.html", None),
        ("reference/index.html", None),
    ],
)
def test_pages_open(page, address, path, heading):
    page.goto(f"{address}/{path}", wait_until="networkidle")
    shown = page.locator("h1").first.inner_text()
    assert heading is None or heading in shown
    picture(page, path.removesuffix(".html").replace("/", "-"))
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.viewport_size["width"], "the page is wider than the window"


def test_search_finds_an_operator(page, address):
    page.goto(f"{address}/index.html", wait_until="networkidle")
    search(page, "FullyConnected")
    picture(page, "search")
    page.locator(".md-search-result__link").first.click()
    page.wait_for_load_state("networkidle")
    assert "FullyConnected" in page.locator("article").inner_text()


def test_search_finds_chinese_words(page, address):
    page.goto(f"{address}/zh/index.html", wait_until="networkidle")
    search(page, "自动求导")
    picture(page, "search-zh")
    assert "求导" in page.locator(".md-search-result__list").inner_text()


def test_language_is_switched_on_the_same_page(page, address):
    page.goto(f"{address}/learn/arrays.html", wait_until="networkidle")
    page.locator(".md-header .md-select button").click()
    page.locator('.md-select__link[hreflang="zh"]').click()
    page.wait_for_url("**/zh/learn/arrays.html")
    assert page.locator("html").get_attribute("lang") == "zh"
    page.locator(".md-header .md-select button").click()
    page.locator('.md-select__link[hreflang="en"]').click()
    page.wait_for_url(f"{address}/learn/arrays.html")


def test_a_reader_goes_from_the_start_to_a_tutorial_and_on(page, address):
    page.goto(f"{address}/index.html", wait_until="networkidle")
    page.get_by_role("link", name="Learn Gluon").click()
    page.wait_for_url("**/learn/index.html")
    page.locator("article a[href$='arrays.html']").first.click()
    page.wait_for_url("**/learn/arrays.html")
    picture(page, "tutorial")
    page.locator("a.md-footer__link--next").click()
    page.wait_for_url("**/learn/autograd.html")
