"""For monitors and statisticians: where the trial stands, blinded or not."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import Response

from primum.live import UNBLINDED_ROLES, Statistics
from primum.live.people.admission import Person
from primum.live.service.access import CurrentTrial, needs
from primum.live.views import Status
from primum.text import csv_of
from primum.web.downloads import file_of, sent

Statistician = Annotated[Person, needs("statistician")]
Observer = Annotated[Person, needs("monitor", "administrator", "approver", *UNBLINDED_ROLES)]

router = APIRouter(prefix="/api")


@router.get("/status")
def status(who: Observer, live: CurrentTrial) -> Status:
    """Accrual, outcomes awaited, numbers by blinded labels. Any role but enrol, record and unblinder."""
    return live.status()


@router.get("/participants.csv", response_model=None, responses=file_of("csv"))
def participants_csv(
    who: Annotated[Person, needs("monitor", "record", *UNBLINDED_ROLES)], live: CurrentTrial
) -> Response:
    """All participants, with arms only for unblinded roles. Role monitor, record, statistician or auditor."""
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
