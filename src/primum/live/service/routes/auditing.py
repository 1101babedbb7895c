"""For auditors: the journal, and whether it is sound."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from primum.live import Verification
from primum.live.exporting import as_dict
from primum.live.journal.entries import canonical
from primum.live.people.admission import Person
from primum.live.service.access import CurrentTrial, needs
from primum.live.service.schemas import JournalEntry, JournalPage
from primum.web.downloads import file_of, sent

MOST_ENTRIES = 1_000  # on a page

Auditor = Annotated[Person, needs("auditor")]

router = APIRouter(prefix="/api")


@router.get("/journal")
def journal(
    who: Auditor,
    live: CurrentTrial,
    after: Annotated[int, Query(ge=0, description="only entries with larger numbers")] = 0,
    before: Annotated[int | None, Query(ge=1, description="only entries with smaller numbers")] = None,
    newest_first: bool = False,
    limit: Annotated[int, Query(ge=1, le=MOST_ENTRIES)] = 100,
    search: Annotated[str, Query(max_length=200, description="a text that occurs in the entry")] = "",
) -> JournalPage:
    """Entries of the journal, the oldest or the newest first. Role auditor."""
    found = live.entries(search=search, who=who.name)
    chosen = [each for each in found if after < each.number and (before is None or each.number < before)]
    if newest_first:
        chosen.reverse()
    return JournalPage(entries=[JournalEntry(**as_dict(each)) for each in chosen[:limit]], total=len(found))


@router.get("/journal.jsonl", response_model=None, responses=file_of("jsonl"))
def journal_jsonl(who: Auditor, live: CurrentTrial) -> Response:
    """The whole journal, an entry in each line. Role auditor."""
    lines = [f"{canonical(as_dict(entry))}\n" for entry in live.entries(who=who.name)]
    return sent("".join(lines).encode(), "journal.jsonl")


@router.get("/verification")
def verification(who: Auditor, live: CurrentTrial) -> Verification:
    """Recompute all hashes and allocations. Role auditor."""
    return live.verify()
