"""A live trial for tests, with a person for each role."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from starlette.testclient import TestClient

from primum import policies, trials
from primum.live import ROLES, Live, LiveSettings
from primum.live.blinding import Secret
from primum.live.service.app import create
from primum.web.hosts import Hosts
from tests.live.joining import join, token_of

START = datetime(2026, 11, 18, 8, tzinfo=UTC)
BLINDED_ROLES = ("enrol", "record", "monitor", "administrator")
EVERYTHING = tuple(role for role in ROLES if role != "approver")  # which no administrator can be
PEOPLE = {role: (role,) for role in ROLES} | {"everything": EVERYTHING, "everything blinded": BLINDED_ROLES}


def ticking(days: int = 0) -> Callable[[], datetime]:
    """A clock that goes on by a second whenever it is read; it begins some days after the start."""
    seconds = itertools.count()
    return lambda: START + timedelta(days=days, seconds=next(seconds))


@dataclass
class Served:
    """A trial, the tokens of its people, and requests to its service."""

    live: Live
    tokens: dict[str, str]
    client: TestClient

    def headers(self, person: str) -> dict[str, str]:
        return {"authorization": f"Bearer {self.tokens[person]}"}

    def ask(self, person: str, method: str, address: str, data=None, **options):
        """The response to a request of a person."""
        return self.client.request(method, address, json=data, headers=self.headers(person), **options)

    def kinds(self) -> list[tuple[str, str]]:
        """The kinds of all entries with who made them; reading them adds one more."""
        return [(entry.kind, entry.who) for entry in self.live.entries(who="test")][:-1]


def design(arms=("control", "new"), **options) -> trials.Design:
    given = {
        "patients": 60,
        "policy": policies.BesaPlus(floor=2),
        "burn_in": 2,
        "analysis": trials.PooledZ(sided="greater"),
    }
    return trials.Design(arms=list(arms), **(given | options))


def begun(
    path: Path,
    *,
    run: trials.Design | None = None,
    secret: str = "5e" * 32,
    people: Mapping[str, Sequence[str]] = PEOPLE,
    **settings: Any,
) -> tuple[Live, dict[str, str]]:
    """A trial that has begun, and the tokens of its people."""
    with mock.patch.object(Secret, "new", return_value=Secret(secret)):
        live = Live.start(
            run or design(),
            path,
            settings=LiveSettings(due_days=28, **settings),
            title="Two doses",
            who="test",
            clock=ticking(),
        )
    for name, roles in people.items():
        join(live, name, roles)
    return live, {name: token_of(live, name) for name in people}


@contextmanager
def served_by(live: Live, tokens: dict[str, str], clock: Callable[[], float] = time.monotonic) -> Iterator[Served]:
    """A service for a trial; the clock is that of sessions."""
    app = create(live, Hosts("testserver"), clock)
    with live, TestClient(app, raise_server_exceptions=False) as client:
        yield Served(live, tokens, client)
