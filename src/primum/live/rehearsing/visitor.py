"""A made-up person who uses the service of a trial over HTTP, as a page does."""

from __future__ import annotations

import json
import secrets
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import quote, urlsplit

from primum.errors import PrimumError

SECONDS = 120  # for one answer: an analysis takes some


class Visitor:
    """A person with a session of one's own."""

    def __init__(self, address: str, name: str) -> None:
        self.name, self.requests = name, 0
        self._place, self._cookie = urlsplit(address).netloc, ""

    def join(self, code: str) -> str | None:
        """Redeem a one-time code; the check number, if the access awaits approval."""
        found = self.ask("POST", "/api/join", {"code": code, "password": secrets.token_urlsafe(16)})
        check: str | None = found["check"]
        return check

    def ask(self, method: str, path: str, data: Any = None) -> Any:
        """What the service answers; a PrimumError with its sentence if it refuses."""
        status, found = self.answer(method, path, data)
        if status >= 400:
            raise PrimumError(f"{self.name}: {method} {path} was refused ({status}): {_sentences(found)}")
        return found

    def answer(self, method: str, path: str, data: Any = None) -> tuple[int, Any]:
        """The status of an answer, and what it says."""
        body = None if data is None else json.dumps(data).encode()
        headers = {"Content-Type": "application/json"} | ({"Cookie": self._cookie} if self._cookie else {})
        self.requests += 1
        try:  # each on a connection of its own: the service closes those that rest
            with closing(HTTPConnection(self._place, timeout=SECONDS)) as connection:
                connection.request(method, quote(path, safe="/?=&,"), body, headers)
                answer = connection.getresponse()
                text = answer.read().decode()
        except (OSError, HTTPException) as error:
            raise PrimumError(f"{self.name}: {method} {path} was not answered: {error}") from None
        cookie = answer.getheader("Set-Cookie")
        if cookie:
            self._cookie = cookie.partition(";")[0]
        is_json = "json" in (answer.getheader("Content-Type") or "")
        return answer.status, json.loads(text) if is_json and text else text


def _sentences(found: Any) -> str:
    errors = found.get("errors") if isinstance(found, dict) else None
    return "; ".join(errors.values()) if isinstance(errors, dict) else str(found)[:200]
