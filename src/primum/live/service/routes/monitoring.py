"""For monitors and statisticians: where the trial stands, blinded or not."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import Response

from primum.live import UNBLINDED_ROLES, Statistics
from primum.live.service.access import CurrentTrial, needs
from primum.live.views import Person, Status
from primum.text import csv_of
from primum.web.downloads import file_of, sent

Statistician = Annotated[Person, needs("statistician")]

router = APIRouter(prefix="/api")


@router.get("/status")
def status(who: Annotated[Person, needs("monitor", "administrator", *UNBLINDED_ROLES)], live: CurrentTrial) -> Status:
    """Accrual, outcomes that are waited for, and numbers by blinded labels. Any role but enrol and record."""
    return live.status()


@router.get("/participants.csv", response_model=None, responses=file_of("csv"))
def participants_csv(
    who: Annotated[Person, needs("monitor", "record", *UNBLINDED_ROLES)], live: CurrentTrial
) -> Response:
    """All participants, with arms only for unblinded roles. Any role but enrol and administrator."""
    unblinded = bool({*UNBLINDED_ROLES} & {*who.roles})
    return sent(live.participants_csv(unblinded=unblinded, who=who.name), "participants.csv")


@router.get("/statistics")
def statistics(who: Statistician, live: CurrentTrial) -> Statistics:
    """Allocation over time, estimates, and the analysis of the data so far. Role statistician."""
    return live.statistics(who=who.name)


@router.get("/kits.csv", response_model=None, responses=file_of("csv"))
def kits_csv(who: Statistician, live: CurrentTrial) -> Response:
    """All kits with their arms, for those who pack them. Role statistician."""
    from pandas import DataFrame

    return sent(csv_of(DataFrame(live.kits(who=who.name), columns=["kit", "arm"])).encode(), "kits.csv")
