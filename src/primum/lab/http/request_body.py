"""The question in a request, validated in a thread because long lists and slow plug-ins take a while."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic_core import from_json
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from primum.errors import ParameterError
from primum.lab.http.schemas import Errors, Question
from primum.lab.sandbox.sandbox import allowance


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


# descriptions of request bodies for OpenAPI
BODY = _described({"$ref": "#/components/schemas/Question"})
DRAFT = _described({"type": "object", "description": "a Question, any part of which may be wrong or missing"})
NOT_JSON: dict[int | str, dict[str, Any]] = {415: {"model": Errors, "description": "not sent as application/json"}}


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


async def question_of(given: Sent) -> Question:
    """The question that was sent."""
    return await run_in_threadpool(allowance()(Question.model_validate), given)


Asked = Annotated[Question, Depends(question_of)]
