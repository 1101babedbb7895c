"""Static files of several packages, for several applications."""

from __future__ import annotations

import sys

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from primum.errors import PrimumError, UnknownNameError
from primum.web.error_handlers import add_error_handlers
from primum.web.static_files import LONG_CACHE, StaticFiles


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with static files, given by path."""

    def make(name, **files):
        folder = tmp_path / name / "static" / "lib"
        folder.mkdir(parents=True)
        (tmp_path / name / "__init__.py").touch()
        for stem, text in files.items():
            (folder / stem.replace("_", ".")).write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return name

    monkeypatch.syspath_prepend(tmp_path)
    return make


def test_packages_share_one_namespace(package):
    files = StaticFiles("primum.web", package("own_pages", own_js="1;", page_html='<a href="static/lib/own.js">'))
    assert {"lib/own.js", "lib/dom.js", "lib/identity.css"} <= set(files.contents)
    assert files.file("lib/page.html").content.decode() == f'<a href="/static/{files.version}/lib/own.js">'
    assert files.version != StaticFiles("primum.web").version


def test_a_name_that_two_packages_have_is_refused(package):
    name = package("rival_pages", dom_js="1;")
    with pytest.raises(PrimumError, match="static/lib/dom.js of rival_pages has the name of another file"):
        _ = StaticFiles("primum.web", name).contents


def test_a_page_has_its_parts_and_preloads_all_modules_that_its_script_reaches(package):
    name = package(
        "built_pages",
        page_html='<!-- include lib/part.html -->\n<script src="static/lib/first.js" type="module"></script>\n',
        part_html="<p>part</p>\n",
        first_js='import { x,\n y } from "./second.js"; // needed\n',
        second_js='import "../lib/first.js";\nimport { z } from "./third.js";\n',
        third_js='const text = "./fourth.js";\n',
        fourth_js="",
    )
    *rest, script, first, second, third = StaticFiles(name).contents["lib/page.html"].decode().splitlines()
    assert rest == ["<p>part</p>"]
    assert script.startswith("<script")
    assert [first, second, third] == [
        f'<link rel="modulepreload" href="static/lib/{module}.js">' for module in ("first", "second", "third")
    ]


def test_plotly_is_there_only_if_it_is_asked_for():
    with pytest.raises(UnknownNameError, match="no file named 'plotly.min.js'"):
        StaticFiles("primum.web").file("plotly.min.js")


def test_an_application_serves_its_pages_and_files(package):
    files = StaticFiles("primum.web", package("service_pages", page_html="<title>Service</title>"))
    app = FastAPI()
    add_error_handlers(app)
    files.add_to(app, {"/": "lib/page.html", "/also": "lib/page.html"}, "service")
    with TestClient(app) as client:
        assert client.get("/").text == client.get("/also").text == "<title>Service</title>"
        script = client.get(f"/static/{files.version}/lib/dom.js")
        assert script.headers["cache-control"] == LONG_CACHE
        assert script.headers["content-encoding"] == "gzip"
        plain = client.get(f"/static/{files.version}/lib/dom.js", headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == script.content == files.contents["lib/dom.js"]
        assert client.get("/favicon.ico").headers["content-type"] == "image/svg+xml"
        stale = client.get("/static/0/lib/dom.js")
        assert stale.status_code == 404
        assert stale.json() == {"errors": {"": "this page is from another version of the service; reload it"}}
