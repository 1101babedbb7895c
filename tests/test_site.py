"""The documents as a site: it builds, has every plug-in, loads nothing from elsewhere, and its links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import expect

from primum.plugins import registry
from tests import browser

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "primum-example"
ENTRIES = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}


class Page(HTMLParser):
    """What a page loads, what it links to, and the anchors it has."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.loads, self.links, self.anchors = [], [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get(LOADED.get(tag)):
            self.loads.append(given[LOADED[tag]])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        self.anchors |= {given.get("id"), given.get("name")}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built where the example package is installed."""
    installed, target = tmp_path_factory.mktemp("installed"), tmp_path_factory.mktemp("site")
    about = installed / "primum_example-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: primum-example\nVersion: 1\n")
    entries = [f"[{group}]\n{name} = {place}\n" for group, named in ENTRIES.items() for name, place in named.items()]
    (about / "entry_points.txt").write_text("".join(entries))
    paths = [installed, EXAMPLE / "src", ROOT / "src", os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", ROOT / "mkdocs.yml", "-d", target],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return target


@pytest.fixture(scope="module")
def pages(site):
    return {file: Page(file) for file in sorted(site.rglob("*.html"))}


def script(name):
    """A script of the documents as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hooks():
    return script("hooks")


@pytest.fixture(scope="module")
def recorder():
    return script("learn")


@pytest.mark.parametrize("family", registry.FAMILIES)
@pytest.mark.usefixtures("fresh_registry")
def test_every_plugin_has_an_entry(site, pages, family):
    expected = {*registry.names(family), *ENTRIES[f"primum.{family}"]}
    page = site / "catalogue" / f"{family}.html"
    assert expected <= pages[page].anchors
    headings = re.findall(r'<h2 id="([^"]+)"', page.read_text())
    assert len(headings) == len(set(headings))
    assert set(headings) >= expected


def test_no_page_loads_anything_from_elsewhere(site, pages):
    loaded = {(str(file), address) for file, page in pages.items() for address in page.loads}
    assert len(loaded) > len(pages)
    assert [each for each in loaded if urlsplit(each[1]).netloc] == []
    for sheet in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import )[\s\"']*(?:https?:)?//[^)]*", sheet.read_text()) == []


def test_links_and_files_exist(site, pages):
    """Those of every page but 404.html, which does not know where it is shown."""
    missing = []
    for file, page in pages.items():
        for address in page.links + page.loads if file.name != "404.html" else []:
            to = urlsplit(address)
            if to.scheme:
                continue
            target = Path(os.path.normpath(file.parent / unquote(to.path))) if to.path else file
            target = target / "index.html" if target.is_dir() else target
            there = target.is_file() and (not to.fragment or unquote(to.fragment) in pages[target].anchors)
            if not there:
                missing.append(f"{file.relative_to(site)}: {address}")
    assert missing == []


def test_the_article_needs_no_server(site, chromium, recorder):
    """Opened from disk, each of its controls finds a recorded response for each of its positions."""
    heard = []
    with browser.page(chromium, width=1280, height=800) as page:
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url))
        page.goto((site / "learn.html").as_uri())
        recorder.explore(page)
        widgets = page.locator(".widget")
        expect(widgets).to_have_count(7)
        expect(widgets.last.locator(".finding")).to_contain_text("finds the effect in")
    assert [each for each in heard if not each.startswith(("file:", "data:"))] == []
    assert [each for each in heard if each.startswith("file:")] == [(site / "learn.html").as_uri()]


@pytest.mark.usefixtures("fresh_registry")
def test_examples_in_the_catalogue_stand_alone(hooks):
    """From the import on, as a reader would copy them."""
    for family in registry.FAMILIES:
        for name in registry.names(family):
            text = hooks.example(registry.find(family, name))
            assert text.count(">>>") > 1, name
            test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
            assert doctest.DocTestRunner(verbose=False).run(test).failed == 0, name


def test_a_link_for_the_repository_becomes_one_for_the_site(hooks):
    def moved(text, source, place):
        return hooks.LINK.sub(lambda match: hooks.as_page(match, ROOT / source, Path(place)), text)

    assert moved("[a](docs/plugins.md#a-policy)", "CONTRIBUTING.md", "contributing.md") == "[a](plugins.md#a-policy)"
    assert moved("[a](../CONTRIBUTING.md)", "docs/theory.md", "theory.md") == "[a](contributing.md)"
    assert moved("[a](../ideas.md)", "docs/api/x.md", "api/x.md") == "[a](../ideas.md)"
    assert moved("see [examples/x](../examples/x)", "docs/plugins.md", "plugins.md") == "see examples/x"
    for left in ("[a](#b)", "[a](https://arxiv.org)", "`kinds[a](b)`", "```\nkinds[a](b)\n```"):
        assert moved(left, "docs/theory.md", "theory.md") == left
