"""The question in a request, validated in a thread because long lists and slow plug-ins take a while."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.concurrency import run_in_threadpool

from primum.lab.http.schemas import Question
from primum.lab.sandbox.sandbox import allowance
from primum.web.request_body import Sent, described

# descriptions of request bodies for OpenAPI
BODY = described({"$ref": "#/components/schemas/Question"})
DRAFT = described({"type": "object", "description": "a Question, any part of which may be wrong or missing"})


async def question_of(given: Sent) -> Question:
    """The question that was sent."""
    return await run_in_threadpool(allowance()(Question.model_validate), given)


Asked = Annotated[Question, Depends(question_of)]
