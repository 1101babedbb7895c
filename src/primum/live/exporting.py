"""A live trial as files: CSV and JSON lines, blinded or not."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from primum.errors import PrimumError
from primum.live.journal import entries
from primum.live.journal.entries import Entry, canonical
from primum.live.state import State
from primum.live.views import Participant, participant_of
from primum.store.files import write
from primum.store.folders import prepared
from primum.text import csv_of

# what tells an arm, or could be used to find it out: a salt would let a reader try which arm gives the hash
HIDDEN_DATA = {"arm", "dropped", "claimed", "stopped", "secret", "record_hash"}
HIDDEN_KEYS = {"salt"}


def blinded(entry: Entry) -> dict[str, Any]:
    """An entry without what tells an arm."""
    whole = as_dict(entry)
    data = {key: part for key, part in entry.data.items() if key not in HIDDEN_DATA}
    return {key: part for key, part in whole.items() if key not in HIDDEN_KEYS} | {"data": data}


def as_dict(entry: Entry) -> dict[str, Any]:
    """An entry with its hash."""
    return {key: getattr(entry, key) for key in (*sorted(entries.KEYS), "hash")}


def files_of(state: State, journal: Sequence[Entry], unblinded: bool, now: datetime) -> dict[str, bytes]:
    """The files by their names."""
    lines = (as_dict(entry) if unblinded else blinded(entry) for entry in journal)
    found = {
        "participants.csv": participants_csv(state, unblinded, now),
        "journal.jsonl": "".join(f"{canonical(line)}\n" for line in lines).encode(),
        "design.toml": design_toml(state).encode(),
    }
    if unblinded and state.settings.blinded:
        found["kits.csv"] = kits_csv(state)
    return found


def participants_csv(state: State, unblinded: bool, now: datetime) -> bytes:
    """All participants in the order of enrolment.

    Unblinded, with the allocation probabilities of all arms given all before, as bets on labels use them.
    """
    from pandas import DataFrame

    rows = []
    for found in state.participants.values():
        row = dict(participant_of(state, found, now).__dict__)
        row |= {"consent": found.consent, "enrolled_by": found.by}
        rows.append(row | ({"arm": found.arm, "kit": found.kit} if unblinded else {}))
    columns = [*(each.name for each in dataclasses.fields(Participant)), "enrolled_by", "consent"]
    table = DataFrame(rows, columns=columns + (["arm", "kit"] if unblinded else []))
    if unblinded:
        chances = state.course.trials(chances=True).data.chances[0]
        for arm, name in enumerate(state.design.arms):
            table[f"probability of {name}"] = chances[: len(rows), arm]
    return csv_of(table).encode()


def kits_csv(state: State) -> bytes:
    """All kits with their arms, in the order of their codes."""
    from pandas import DataFrame

    return csv_of(DataFrame(kits_of(state), columns=["kit", "arm"])).encode()


def kits_of(state: State) -> list[tuple[str, str]]:
    """All kits with their arms, in the order of their codes: as many of each arm as there are patients."""
    patients = state.design.patients
    return sorted(
        (state.secret.kit(arm * patients + i), name)
        for arm, name in enumerate(state.design.arms)
        for i in range(patients)
    )


def design_toml(state: State) -> str:
    """The design and how it is conducted, as a trial file."""
    from primum.trials.plan import Plan

    return Plan(title=state.title, designs={"design": state.design}, live=state.settings).to_toml()


def write_files(folder: str | os.PathLike[str], files: Callable[[], dict[str, bytes]]) -> list[Path]:
    """Write files to a folder, which is made if need be; nothing is overwritten."""
    place = Path(folder)
    prepared(place)
    contents = files()
    for name in contents:
        if (place / name).exists():
            raise PrimumError(f"{place / name} exists already; export to an empty folder")
    for name, content in contents.items():
        write(place / name, content)
    return [place / name for name in contents]
