"""The static files, compressed once; the version in their addresses lets browsers cache them."""

from __future__ import annotations

import functools
import gzip
import hashlib
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from primum.errors import PrimumError, UnknownNameError
from primum.figures.identity import identity_css

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
PLOTLY = "plotly.min.js"  # from the installed package
IDENTITY = "lib/identity.css"  # shared with the reports
RELATIVE = b'"static/'  # how a page refers to a file
LONG_CACHE = "public, max-age=31536000, immutable"  # for addresses that change with their content
DAY_CACHE = "max-age=86400"
_INCLUDE = re.compile(rb"<!-- include (\S+) -->\n")  # a part that pages share: lib/head.html
_SCRIPT = re.compile(rb'<script src="static/(\S+)" type="module"></script>\n')
_IMPORT = re.compile(rb'^import [^;]*"(\.[^"]+)";', re.MULTILINE)


@dataclass(frozen=True)
class File:
    """A static file, plain and compressed."""

    content: bytes
    compressed: bytes
    media_type: str


class StaticFiles:
    """The files in the folders `static` of some packages, which share their names.

    `plotly` adds Plotly's script. Nothing is read before it is needed.

    >>> StaticFiles("primum.web").file("icon.svg").media_type
    'image/svg+xml'
    """

    def __init__(self, *packages: str, plotly: bool = False) -> None:
        self._packages, self._plotly = packages, plotly
        self._files: dict[str, File] = {}

    @functools.cached_property
    def contents(self) -> dict[str, bytes]:
        """The files as they are in the packages, by their paths: ``lib/dom.js``."""
        found = {IDENTITY: identity_css().encode()}
        if self._plotly:
            from plotly.offline import get_plotlyjs

            found[PLOTLY] = get_plotlyjs().encode()
        for package in self._packages:
            for name, content in _files(resources.files(package).joinpath("static")):
                if name in found:
                    raise PrimumError(f"static/{name} of {package} has the name of another file; rename it")
                found[name] = content
        return {name: _assembled(text, found) if name.endswith(".html") else text for name, text in found.items()}

    @functools.cached_property
    def version(self) -> str:
        """The part of all addresses that changes whenever a file does."""
        whole = hashlib.sha256()
        for name, content in sorted(self.contents.items()):
            whole.update(f"{name} {len(content)}\n".encode() + content)
        return whole.hexdigest()[:12]

    def file(self, name: str) -> File:
        """A file by its path, ``lib/dom.js``; in a page, addresses of files have the version."""
        if name not in self._files:
            self._files[name] = self._prepared(name)
        return self._files[name]

    def _prepared(self, name: str) -> File:
        if name not in self.contents:
            raise UnknownNameError("file", name, self.contents)
        content = self.contents[name]
        if name.endswith(".html"):
            content = content.replace(RELATIVE, f'"/static/{self.version}/'.encode())
        return File(content, gzip.compress(content, 6, mtime=0), MEDIA_TYPES[name.rpartition(".")[2]])

    def response(self, request: Request, name: str, **headers: str) -> Response:
        """A file as the response to a request, compressed where the client accepts that."""
        found = self.file(name)
        if "gzip" in request.headers.get("accept-encoding", ""):
            content, headers = found.compressed, headers | {"content-encoding": "gzip"}
        else:
            content = found.content
        return Response(content, media_type=found.media_type, headers=headers | {"vary": "accept-encoding"})

    def add_to(self, app: FastAPI, pages: Mapping[str, str], noun: str) -> None:
        """Serve pages, given as address -> file, with all files and the icon; the noun is for errors: laboratory."""
        for address, page in pages.items():
            app.get(address, include_in_schema=False)(self._page(page))

        @app.get("/static/{version}/{name:path}", include_in_schema=False)
        def static(request: Request, version: str, name: str) -> Response:
            if version != self.version:
                raise HTTPException(404, f"this page is from another version of the {noun}; reload it")
            return self.response(request, name, **{"cache-control": LONG_CACHE})

        @app.get("/favicon.ico", include_in_schema=False)
        def icon(request: Request) -> Response:
            return self.response(request, "icon.svg", **{"cache-control": DAY_CACHE})

    def _page(self, name: str) -> Callable[[Request], Response]:
        def page(request: Request) -> Response:
            return self.response(request, name)

        return page


def _assembled(page: bytes, files: Mapping[str, bytes]) -> bytes:
    """A page with what it includes, and with links to all its modules: they are fetched at once, not one by one."""

    def preloading(script: re.Match[bytes]) -> bytes:
        names = sorted(_modules(script[1].decode(), files))
        return script[0] + "".join(f'<link rel="modulepreload" href="static/{name}">\n' for name in names).encode()

    return _SCRIPT.sub(preloading, _INCLUDE.sub(lambda part: files[part[1].decode()], page))


def _modules(script: str, files: Mapping[str, bytes]) -> set[str]:
    """The modules that a script imports, and that those import."""
    found, todo = set[str](), [script]
    while todo:
        folder, content = posixpath.dirname(todo[-1]), files[todo.pop()]
        new = {posixpath.normpath(posixpath.join(folder, path.decode())) for path in _IMPORT.findall(content)} - found
        found |= new
        todo += new
    return found


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """The files of a folder and its sub-folders, by their paths: ``lib/dom.js``."""
    for path in folder.iterdir():
        if path.is_dir():
            yield from _files(path, f"{prefix}{path.name}/")
        elif path.name.rpartition(".")[2] in MEDIA_TYPES:
            yield prefix + path.name, path.read_bytes()
