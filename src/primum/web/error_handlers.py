"""Exceptions as responses: errors in sentences, by their places."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from primum.errors import PrimumError, UnknownNameError
from primum.web.errors import parameter_errors

log = logging.getLogger("primum.web")


def add_error_handlers(app: FastAPI) -> None:
    """Make an application answer all exceptions with `errors`; it can add handlers for its own."""

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return refusal(422, parameter_errors(error.errors()))

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> JSONResponse:
        status = 422 if error.status_code == 400 else error.status_code  # a body that FastAPI cannot read
        return refusal(status, {"": str(error.detail)}, error.headers)

    @app.exception_handler(PrimumError)
    def wrong(request: Request, error: PrimumError) -> JSONResponse:
        missing = isinstance(error, UnknownNameError) and not error.path  # else it is a parameter that is wrong
        return refusal(404 if missing else 422, error.by_place)

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> JSONResponse:
        log.error("%s %s", request.method, request.url.path, exc_info=error)
        return refusal(500, {"": "Internal error; details are in the server log"})


def refusal(status: int, errors: dict[str, str], headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A response with a sentence for each place."""
    return JSONResponse({"errors": errors}, status, headers)
