"""People who join a trial."""

from __future__ import annotations

from collections.abc import Sequence

from primum.live import Live

ON_SERVER = "test (Python)"  # who may propose people and approve them
LABEL = "tests"  # of everybody's token


def password_of(name: str) -> str:
    """The password that a person chooses."""
    return f"{name}'s own secret"


def join(live: Live, name: str, roles: Sequence[str]) -> None:
    """Let a person join a trial, approved if need be."""
    check = live.redeem(live.admit(name, roles, who=ON_SERVER).code, password_of(name)).check
    if check is not None:
        live.approve(name, check, who=ON_SERVER)


def token_of(live: Live, name: str) -> str:
    """A token for a program of a person."""
    return live.make_token(LABEL, who=name)
