"""Files to download."""

from __future__ import annotations

from typing import Any

from fastapi.responses import Response

MEDIA = {
    "json": "application/json",
    "jsonl": "application/jsonl; charset=utf-8",
    "png": "image/png",
    "svg": "image/svg+xml",
    "csv": "text/csv; charset=utf-8",
    "nc": "application/x-netcdf",
    "toml": "application/toml",
    "py": "text/x-python; charset=utf-8",
    "sh": "text/x-shellscript; charset=utf-8",
    "zip": "application/zip",
}


def file_of(*forms: str) -> dict[int | str, dict[str, Any]]:
    """The description of a response in one of these formats, for OpenAPI."""
    return {200: {"description": "the file", "content": {MEDIA[form].partition(";")[0]: {} for form in forms}}}


def sent(content: bytes | str, name: str) -> Response:
    """A file, with a name under which browsers save it."""
    form = name.rpartition(".")[2]
    shown = "inline" if form == "json" else "attachment"
    headers = {"content-disposition": f'{shown}; filename="{name}"'}
    return Response(content, media_type=MEDIA[form], headers=headers)
