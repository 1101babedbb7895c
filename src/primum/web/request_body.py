"""The data in a request, parsed in a thread because long lists take a while."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic_core import from_json
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from primum.errors import ParameterError
from primum.web.errors import Errors

NOT_JSON: dict[int | str, dict[str, Any]] = {415: {"model": Errors, "description": "not sent as application/json"}}


def described(schema: dict[str, Any]) -> dict[str, Any]:
    """The body of a request for OpenAPI, given its schema."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def require(request: Request, media_type: str) -> None:
    """Refuse other media types: pages of other sites can send those without a preflight request."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != media_type:
        raise HTTPException(415, f"send it as {media_type}")


async def json_of(request: Request) -> Any:
    """The data that were sent."""
    require(request, "application/json")
    content = await request.body()
    try:
        return await run_in_threadpool(from_json, content)
    except ValueError as error:
        raise ParameterError(f"this is not JSON: {error}") from None


Sent = Annotated[Any, Depends(json_of)]
