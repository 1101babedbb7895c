"""Who sends a request, and whether they may: tokens, sessions, roles."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Depends, HTTPException, Request, Response
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from primum.live import Live
from primum.live.people.roster import token_hash
from primum.live.service.attempts import Attempts
from primum.live.service.sessions import Sessions
from primum.live.views import Person
from primum.text import listed
from primum.web.addresses import address_of

COOKIE = "primum_session"
LOGIN = "/api/login"
OWN_SITES = ("same-origin", "none")  # of Sec-Fetch-Site: our page, or a person who typed the address
_TOKEN = re.compile(r"primum-[\w-]{43}")
_bearer = HTTPBearer(auto_error=False, description="a token, as an administrator gave it to you")
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="a session, as POST /api/login began it")


class Access:
    """Finds out who sends requests.

    The journal says at each request who has access, so a person who is dismissed, or whose token is renewed, loses it
    at once, sessions included.
    """

    def __init__(self, live: Live, clock: Callable[[], float]) -> None:
        self.live, self._sessions, self._attempts = live, Sessions(clock), Attempts(clock)

    def by_token(self, token: str, address: str) -> Person:
        """The person with a token, presented from an address."""
        person = self.live.person(token)
        if person is not None:  # also after failures: a clinic may share its address with others
            return person
        seconds = self._attempts.wait_seconds(address)
        if seconds:
            raise HTTPException(
                429,
                f"too many failed attempts from your address; try again in {seconds} s",
                {"Retry-After": str(seconds)},
            )
        self._attempts.fail(address)
        raise _unauthorised("token not recognised; it may have been replaced by a new one")

    def by_session(self, key: str) -> Person:
        """The person who began a session."""
        hash = self._sessions.token_hash(key)
        person = None if hash is None else self.live.person_with(hash)
        if person is None:
            self._sessions.end(key)
            raise _unauthorised("your session has ended; log in again")
        return person

    def log_in(self, request: Request, response: Response, token: str) -> Person:
        """Begin a session, whose key is in a cookie of the response."""
        person = self.by_token(token, address_of(request.scope))
        self.log_out(request, response)
        key = self._sessions.begin(token_hash(token))
        response.set_cookie(COOKIE, key, **_attributes(request))
        return person

    def log_out(self, request: Request, response: Response) -> None:
        """End the session of a request, if it has one."""
        if COOKIE in request.cookies:
            self._sessions.end(request.cookies[COOKIE])
            response.delete_cookie(COOKIE, **_attributes(request))


def _attributes(request: Request) -> dict[str, Any]:
    return {"path": "/", "httponly": True, "samesite": "strict", "secure": request.url.scheme == "https"}


def _unauthorised(sentence: str) -> HTTPException:
    return HTTPException(401, sentence, {"WWW-Authenticate": "Bearer"})


async def access_of(request: Request) -> Access:
    """The access control of the application."""
    access: Access = request.app.state.access
    return access


async def live_of(request: Request) -> Live:
    """The trial of the application."""
    live: Live = request.app.state.access.live
    return live


def person_of(
    request: Request,
    access: Annotated[Access, Depends(access_of)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    session: Annotated[str | None, Depends(_cookie)],
) -> Person:
    """Who sends a request: by token, else by session."""
    if bearer is not None:
        return access.by_token(bearer.credentials, address_of(request.scope))
    if session is None:
        raise _unauthorised("log in, or send your token in the header Authorization: Bearer TOKEN")
    if request.headers.get("sec-fetch-site", "none") not in OWN_SITES:
        raise HTTPException(403, "pages of other sites must not use this service")
    return access.by_session(session)


def needs(*roles: str) -> Any:
    """A dependency: the person who sends a request, who must have one of these roles."""

    async def allowed(person: Annotated[Person, Depends(person_of)]) -> Person:
        if not {*roles} & {*person.roles}:
            own = listed(person.roles)
            raise HTTPException(403, f"this needs the role {listed(roles, 'or')}; {person.name} has {own}")
        return person

    return Depends(allowed)


async def without_token(request: Request) -> None:
    """Refuse a token in a wrong place, from where it would get into errors, logs or the journal."""
    body = "" if request.url.path == LOGIN else (await request.body()).decode(errors="replace")
    if _TOKEN.search(f"{request.url.path} {unquote(request.url.query)} {body}"):
        raise HTTPException(
            422,
            "a token belongs in the header Authorization, or in the body of POST /api/login. Others may have seen this "
            "one where it is: ask an administrator for a new one.",
        )


CurrentTrial = Annotated[Live, Depends(live_of)]
Anybody = Annotated[Person, Depends(person_of)]
