"""The files of the page."""

from __future__ import annotations

import re

from primum.lab.http.static_files import file, version


def imported(name: str) -> set[str]:
    """The modules that one imports, and that those import."""
    found, todo = set[str](), [name]
    while todo:
        text = file(todo.pop()).content.decode()
        new = set(re.findall(r'^import [^;]*"\./([\w-]+\.js)";', text, re.MULTILINE)) - found
        found |= new
        todo += new
    return found


def test_all_modules_are_asked_for_at_once():
    page = file("index.html").content.decode()
    preloaded = re.findall(rf'<link rel="modulepreload" href="/static/{version()}/([\w-]+\.js)">', page)
    assert sorted(preloaded) == sorted(imported("main.js"))
