"""Unit tests of the page's modules, in a browser: each exported function of `javascript/*.js` is a test."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route

from primum.lab.http.static_files import FILES

HOST = "https://laboratory.test"  # answered by `serve`: nothing is asked of the network
FOLDER = Path(__file__).parent / "javascript"
TESTS = [
    (path.name, name)
    for path in sorted(FOLDER.glob("test-*.js"))
    for name in re.findall(r"^export (?:async )?function (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
]


def serve(route: Route) -> None:
    """An empty page, the modules of the laboratory, and those of the tests."""
    _, folder, name = (urlsplit(route.request.url).path + "/").split("/", 2)
    match folder:
        case "":
            route.fulfill(content_type="text/html", body="<!doctype html><title>Tests</title>")
        case "static":
            found = FILES.file(name.rstrip("/"))
            route.fulfill(content_type=found.media_type, body=found.content)
        case "tests":
            route.fulfill(content_type="text/javascript", path=FOLDER / name.rstrip("/"))
        case _:
            route.fulfill(status=404)


@pytest.fixture(scope="module")
def tab(chromium: Browser) -> Page:
    tab = chromium.new_page()
    tab.route(f"{HOST}/**", serve)
    return tab


@pytest.fixture
def page(tab: Page) -> Page:
    tab.goto(HOST)  # modules, listeners and timers of the test before are gone
    return tab


@pytest.mark.parametrize(("module", "name"), TESTS)
def test_javascript(page, module, name):
    page.evaluate("async ([module, name]) => (await import(`/tests/${module}`))[name]()", [module, name])


def test_every_module_of_tests_has_some():
    assert {module for module, _ in TESTS} == {path.name for path in FOLDER.glob("test-*.js")}
    assert len(TESTS) > 30


def test_a_failure_says_what_differs(page):
    with pytest.raises(Exception, match=re.escape('got {"a":1}, expected {"a":2}')):
        page.evaluate("async () => (await import('/tests/assert.js')).equal({a: 1}, {a: 2})")
