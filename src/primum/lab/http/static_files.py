"""The static files, compressed once; their addresses change with their content, so that browsers can cache them."""

from __future__ import annotations

import functools
import gzip
import hashlib
from dataclasses import dataclass
from importlib import resources

from primum.errors import UnknownNameError

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
PLOTLY = "plotly.min.js"  # from the installed package
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

    folder = resources.files("primum.lab").joinpath("static")
    ours = {path.name: path.read_bytes() for path in folder.iterdir() if path.name.rpartition(".")[2] in MEDIA_TYPES}
    return ours | {PLOTLY: get_plotlyjs().encode()}


@functools.cache
def version() -> str:
    """The part of all addresses that changes whenever a file does."""
    whole = hashlib.sha256()
    for name, content in sorted(_contents().items()):
        whole.update(f"{name} {len(content)}\n".encode() + content)
    return whole.hexdigest()[:12]


@functools.cache
def file(name: str) -> File:
    """A static file by its name."""
    contents = _contents()
    if name not in contents:
        raise UnknownNameError("file", name, contents)
    content = contents[name]
    if name.endswith(".html"):
        content = content.replace(RELATIVE, f'"/static/{version()}/'.encode())
    return File(content, gzip.compress(content, 6, mtime=0), MEDIA_TYPES[name.rpartition(".")[2]])
