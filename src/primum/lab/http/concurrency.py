"""Slots for requests that compute, so that the laboratory still answers all others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
from fastapi import Depends, FastAPI, Request

from primum.lab.jobs.limits import Unavailable

WAIT_SECONDS = 20  # for a slot
RETRY_SECONDS = 5
# separate, so that those who wait for a figure do not wait for what others type
DRAFT_SLOTS, FIGURE_SLOTS = "draft_slots", "figure_slots"
TRIAL_SLOTS, REPORT_SLOTS = "trial_slots", "report_slots"
SLOTS = {
    DRAFT_SLOTS: 4,
    FIGURE_SLOTS: 8,
    TRIAL_SLOTS: 2,
    REPORT_SLOTS: 1,
}  # requests of each kind that are computed at the same time


def add_slots(app: FastAPI) -> None:
    """Give an application its slots; requests wait for them on the event loop, not in threads."""
    for kind, count in SLOTS.items():
        setattr(app.state, kind, anyio.CapacityLimiter(count))


def in_slot(kind: str) -> list[Any]:
    """Dependencies that make an endpoint wait for a slot, which it holds while it computes, not while it sends."""

    async def slot(request: Request) -> AsyncIterator[None]:
        limiter: anyio.CapacityLimiter = getattr(request.app.state, kind)
        borrower = object()
        try:
            with anyio.fail_after(WAIT_SECONDS):
                await limiter.acquire_on_behalf_of(borrower)
        except TimeoutError:
            raise Unavailable("the laboratory is busy", RETRY_SECONDS) from None
        try:
            yield
        finally:
            limiter.release_on_behalf_of(borrower)

    return [Depends(slot, scope="function")]
