"""Unit tests of the pages' modules, in a browser: each exported function of `javascript/test-*.js` is a test."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route

from primum.web.static_files import StaticFiles
from tests import browser

HOST = "https://trial.test"  # answered by `serve`: nothing is asked of the network
FILES = StaticFiles("primum.web", "primum.live.service")
FOLDER = Path(__file__).parent / "javascript"
SHARED = Path(__file__).parents[3] / "lab" / "javascript"  # has assert.js
TESTS = [
    (path.name, name)
    for path in sorted(FOLDER.glob("test-*.js"))
    for name in re.findall(r"^export (?:async )?function (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
]


def serve(route: Route) -> None:
    """An empty page, the modules of the pages, and those of the tests."""
    _, folder, name = (urlsplit(route.request.url).path + "/").split("/", 2)
    name = name.rstrip("/")
    match folder:
        case "":
            route.fulfill(content_type="text/html", body="<!doctype html><title>Tests</title>")
        case "static":
            found = FILES.file(name)
            route.fulfill(content_type=found.media_type, body=found.content)
        case "tests":
            path = FOLDER / name
            route.fulfill(content_type="text/javascript", path=path if path.exists() else SHARED / name)
        case _:
            route.fulfill(status=404)


@pytest.fixture(scope="module")
def tab(chromium) -> Iterator[Page]:
    with browser.page(chromium, width=1000, height=800) as tab:
        tab.route(f"{HOST}/**", serve)
        yield tab


@pytest.fixture
def page(tab: Page) -> Page:
    tab.goto(HOST)  # modules, listeners and timers of the test before are gone
    return tab


@pytest.mark.parametrize(("module", "name"), TESTS)
def test_javascript(page, module, name):
    page.evaluate("async ([module, name]) => (await import(`/tests/${module}`))[name]()", [module, name])


def test_every_module_of_tests_has_some():
    assert {module for module, _ in TESTS} == {path.name for path in FOLDER.glob("test-*.js")}
    assert len(TESTS) > 25


def imported(name: str) -> set[str]:
    """The modules that a module imports, by their paths."""
    paths = re.findall(r'^import [^;]*"(\.[\w./-]+\.js)";', FILES.file(name).content.decode(), re.MULTILINE)
    return {posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) for path in paths}


@pytest.mark.parametrize("folder", ["", "api-docs/"])
def test_a_page_preloads_all_its_modules(folder):
    found, todo = set[str](), [f"{folder}main.js"]
    while todo:
        new = imported(todo.pop()) - found
        found |= new
        todo += new
    content = FILES.file(f"{folder}index.html").content.decode()
    preloaded = re.findall(rf'<link rel="modulepreload" href="/static/{FILES.version}/([\w/-]+\.js)">', content)
    assert sorted(preloaded) == sorted(found)


@pytest.mark.parametrize("folder", ["", "api-docs/"])
def test_a_page_has_no_inline_script_or_style(folder):
    content = FILES.file(f"{folder}index.html").content.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", content)
