"""A question out of a request; it is checked in a thread, because a thousand numbers or a slow plug-in take a while."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from primum.lab.http.schemas import Faults, Question
from primum.lab.sandbox.sandbox import allowance

# what the description of an address says of its body
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Question"}}},
    }
}
NOT_JSON: dict[int | str, dict[str, Any]] = {415: {"model": Faults, "description": "not sent as application/json"}}


def require(request: Request, media_type: str) -> None:
    """Refuse a body that is sent as something else: pages of other sites can send that without being asked."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != media_type:
        raise HTTPException(415, f"send it as {media_type}")


async def question_of(request: Request) -> Question:
    """The question that was sent."""
    require(request, "application/json")
    content = await request.body()
    try:
        return await run_in_threadpool(allowance()(Question.model_validate_json), content)
    except ValidationError as error:
        found = [fault | {"loc": ("body", *fault["loc"])} for fault in error.errors(include_url=False)]
        raise RequestValidationError(found) from None


Asked = Annotated[Question, Depends(question_of)]
