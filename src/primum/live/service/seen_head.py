"""The end of the journal that the service has seen last, which a restore does not bring back."""

from __future__ import annotations

import logging

from primum.errors import ParameterError
from primum.live import JournalUnavailable, Live
from primum.live.journal.storage import Head
from primum.live.service.service_file import SeenHead, ServiceFile
from primum.live.verifying import expected_end

log = logging.getLogger("primum.live.service")
SHOWN_DIGITS = 16  # of a hash, which nobody guesses


def shown(head: Head) -> str:
    """An end of a journal as people write it down."""
    return f"{head.number}:{head.hash[:SHOWN_DIGITS]}"


def check_head(live: Live, file: ServiceFile, expect: str) -> None:
    """Refuse a journal that is not the one that was served here last, unless somebody expects its very end.

    From then on each new end is noted.
    """
    head, seen = live.head, file.head()
    expected = expected_end(expect)
    if expected is not None and not _has(live, *expected):
        raise ParameterError(
            f"the journal {live.journal.shown} ends at {shown(head)} and does not have the entry {expect.strip()} that "
            "is expected: another journal was put in its place, or entries were removed",
            ("expect",),
        )
    is_accepted = expected is not None and expected[0] == head.number
    if seen is not None and not is_accepted:
        what = ""
        if seen.commitment != live.commitment:
            what = "is of another trial than the one that was served here last"
        elif not _has(live, seen.number, seen.hash):
            what = f"does not have entry {seen.number}, which was there when it was served last"
        if what:
            raise JournalUnavailable(
                f"the journal {live.journal.shown} {what}; it ends at {shown(head)}. Kits that were given after "
                "that would be given again. If a back-up was restored on purpose, list what was lost, then start "
                f"with --expect {shown(head)}"
            )
    file.note_head(_seen(live, head), whatever_it_was=True)

    def note(new: Head) -> None:
        try:
            file.note_head(_seen(live, new))
        except JournalUnavailable as error:  # the entry is written all the same
            log.error("%s", error)

    live.on_head = note


def _seen(live: Live, head: Head) -> SeenHead:
    return SeenHead(head.number, head.hash, live.commitment)


def _has(live: Live, number: int, hash: str) -> bool:
    rows = live.journal.after(number - 1)
    return bool(rows) and rows[0].number == number and rows[0].hash.startswith(hash)
