"""The files of the page."""

from __future__ import annotations

import posixpath
import re

import pytest

from primum.errors import UnknownNameError
from primum.lab.http.static_files import FILES, PAGES

ROOMS = {  # and what each may import
    "forms": {"forms", "lib"},
    "question": {"question", "forms", "lib"},
    "answer": {"answer", "lib"},
    "trials": {"trials", "forms", "lib"},
    "learn": {"learn", "lib"},
    "api-docs": {"api-docs", "lib"},
    "lib": {"lib"},
}
MAIN = {  # the module that each page begins with
    "index.html": "main.js",
    "trials/index.html": "trials/main.js",
    "learn/index.html": "learn/main.js",
    "api-docs/index.html": "api-docs/main.js",
}


def imported(name: str) -> set[str]:
    """The modules that a module imports, by their paths."""
    text = FILES.file(name).content.decode()
    paths = re.findall(r'^import [^;]*"(\.[\w./-]+\.js)";', text, re.MULTILINE)
    return {posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) for path in paths}


def reached(name: str) -> set[str]:
    """The modules that a module imports, and that those import."""
    found, todo = set[str](), [name]
    while todo:
        new = imported(todo.pop()) - found
        found |= new
        todo += new
    return found


@pytest.mark.parametrize("page", PAGES.values())
def test_a_page_preloads_all_its_modules(page):
    content = FILES.file(page).content.decode()
    preloaded = re.findall(rf'<link rel="modulepreload" href="/static/{FILES.version}/([\w/-]+\.js)">', content)
    assert sorted(preloaded) == sorted(reached(MAIN[page]))


def test_question_answer_article_and_api_share_only_the_library():
    modules = set().union(*map(reached, MAIN.values()))
    assert {name.partition("/")[0] for name in modules} == set(ROOMS)
    for name in modules:
        assert {other.partition("/")[0] for other in imported(name)} <= ROOMS[name.partition("/")[0]], name


def test_a_path_that_is_not_a_file_of_the_page_is_refused():
    with pytest.raises(UnknownNameError, match="no file named 'lib/don.js'; did you mean 'lib/dom.js'"):
        FILES.file("lib/don.js")
