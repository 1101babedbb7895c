"""Who sends a request, and whether they may: passwords, sessions, tokens, proxies, roles."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypeVar
from urllib.parse import unquote

from fastapi import Depends, HTTPException, Request, Response
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from primum.live import Live
from primum.live.people.admission import Identity, Person
from primum.live.privacy import key_of
from primum.live.service.attempts import Attempts
from primum.live.service.service_file import ServiceFile
from primum.live.service.sessions import Sessions
from primum.live.service.user_header import USER
from primum.text import listed

T = TypeVar("T")

COOKIE = "primum_session"
OWN_SITES = ("same-origin", "none")  # of Sec-Fetch-Site: our page, or a person who typed the address
PASSWORDS_AT_ONCE = 2  # that are hashed: each takes 0.1 s of a processor and 32 MB
_TOKEN = re.compile(r"primum-[\w-]{43}")
_bearer = HTTPBearer(auto_error=False, description="a token, as POST /api/tokens gave it to you")
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="a session, as POST /api/login began it")


class Access:
    """Finds out who sends requests.

    The journal says at each request who has access, so a person who is dismissed or renewed loses it at once, sessions
    and tokens included.
    """

    def __init__(self, live: Live, file: ServiceFile, clock: Callable[[], float]) -> None:
        self.live, self._sessions, self._attempts = live, Sessions(file, clock), Attempts(clock)
        self._hashing = ThreadPoolExecutor(PASSWORDS_AT_ONCE, thread_name_prefix="passwords")

    async def in_turn(self, work: Callable[[], T]) -> T:
        """Do what hashes a password, so that no number of attempts keeps other requests waiting."""
        return await asyncio.get_running_loop().run_in_executor(self._hashing, work)

    def by_token(self, token: str) -> Identity:
        """The person with a token. It has 256 random bits, so a limit of attempts would protect nothing."""
        found = self.live.by_token(token)
        if found is None:
            raise _unauthorised("token not recognised; it may have ended")
        return found

    def by_session(self, key: str) -> Identity:
        """The person who began a session."""
        hash = self._sessions.record_hash(key)
        found = None if hash is None else self.live.by_record(hash)
        if found is None:
            self._sessions.end(key)
            raise _unauthorised("your session has ended; log in again")
        return found

    def by_password(self, name: str, password: str, address: str) -> Identity:
        """The person with a name and a password, presented from an address."""
        key = key_of(name)
        seconds = self._attempts.begin(key, address)
        if seconds:
            raise HTTPException(
                429, f"too many failed attempts; try again in {seconds} s", {"Retry-After": str(seconds)}
            )
        found = self.live.by_password(name, password)
        if found is None:
            raise _unauthorised("name or password not recognised")
        self._attempts.succeed(key, address)
        return found

    def begin(self, request: Request, response: Response, identity: Identity) -> None:
        """Begin a session, whose key is in a cookie of the response."""
        self.log_out(request, response)
        response.set_cookie(COOKIE, self._sessions.begin(identity.record_hash), **_attributes(request))

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


async def proxy_user_of(request: Request) -> str | None:
    """The name of the person whom a trusted proxy has identified."""
    user: str | None = request.scope.get(USER)
    return user


def identity_of(
    request: Request,
    access: Annotated[Access, Depends(access_of)],
    user: Annotated[str | None, Depends(proxy_user_of)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    session: Annotated[str | None, Depends(_cookie)],
) -> Identity:
    """Who sends a request: by token, else as the proxy says, else by session."""
    if bearer is not None:
        return access.by_token(bearer.credentials)
    if user is None and session is None:
        raise _unauthorised("log in, or send your token in the header Authorization: Bearer TOKEN")
    if request.headers.get("sec-fetch-site", "none") not in OWN_SITES:
        raise HTTPException(403, "pages of other sites must not use this service")
    found = None if user is None else access.live.by_proxy(user)
    if found is not None:
        return found
    if session is None:
        raise _unauthorised(f"{user} has no access here yet; redeem the code that an administrator gave you")
    return access.by_session(session)


async def person_of(identity: Annotated[Identity, Depends(identity_of)]) -> Person:
    """The person who sends a request, who may work."""
    if identity.person.state != "active":
        raise HTTPException(403, "your access awaits approval: tell your check number to the approver")
    return identity.person


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
    body = (await request.body()).decode(errors="replace")
    if _TOKEN.search(f"{request.url.path} {unquote(request.url.query)} {body}"):
        raise HTTPException(
            422,
            "a token belongs in the header Authorization. Others may have seen this one where it is: end it, and make "
            "another one.",
        )


CurrentTrial = Annotated[Live, Depends(live_of)]
Control = Annotated[Access, Depends(access_of)]
ProxyUser = Annotated[str | None, Depends(proxy_user_of)]
Known = Annotated[Identity, Depends(identity_of)]  # also while an approval is awaited
Anybody = Annotated[Person, Depends(person_of)]
