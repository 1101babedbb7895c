"""The static files, compressed once; the version in their addresses lets browsers cache them."""

from __future__ import annotations

import functools
import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from primum.errors import UnknownNameError
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


@dataclass(frozen=True)
class File:
    """A static file, plain and compressed."""

    content: bytes
    compressed: bytes
    media_type: str


@functools.cache
def _contents() -> dict[str, bytes]:
    from plotly.offline import get_plotlyjs

    ours = dict(_files(resources.files("primum.lab").joinpath("static")))
    return ours | {PLOTLY: get_plotlyjs().encode(), IDENTITY: identity_css().encode()}


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """The files of a folder and its sub-folders, by their paths: ``lib/dom.js``."""
    for path in folder.iterdir():
        if path.is_dir():
            yield from _files(path, f"{prefix}{path.name}/")
        elif path.name.rpartition(".")[2] in MEDIA_TYPES:
            yield prefix + path.name, path.read_bytes()


@functools.cache
def version() -> str:
    """The part of all addresses that changes whenever a file does."""
    whole = hashlib.sha256()
    for name, content in sorted(_contents().items()):
        whole.update(f"{name} {len(content)}\n".encode() + content)
    return whole.hexdigest()[:12]


@functools.cache
def file(name: str) -> File:
    """A file of the page by its path: ``lib/dom.js``."""
    contents = _contents()
    if name not in contents:
        raise UnknownNameError("file", name, contents)
    content = contents[name]
    if name.endswith(".html"):
        content = content.replace(RELATIVE, f'"/static/{version()}/'.encode())
    return File(content, gzip.compress(content, 6, mtime=0), MEDIA_TYPES[name.rpartition(".")[2]])
