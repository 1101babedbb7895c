"""Files to download."""

from __future__ import annotations

from typing import Any

from fastapi.responses import Response

MEDIA = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


def file_of(suffix: str) -> dict[int | str, dict[str, Any]]:
    """The description of a file for OpenAPI."""
    return {
        200: {"description": "a file", "content": {MEDIA[suffix].partition(";")[0]: {"schema": {"type": "string"}}}}
    }


def sent(content: bytes, name: str) -> Response:
    """A response with a file, which browsers save under a name."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=MEDIA[name.rpartition(".")[2]], headers=headers)
