"""Whatever is changed in a journal from outside, verification finds it and names the entry.

Without a head that somebody wrote down elsewhere, verification cannot find what is consistent in itself. Somebody with
write access to the database who computes all hashes anew, also that in the head row, can

- cut entries off the end, as if they had never been written;
- change what is not computed from anything: an outcome that no later allocation, look or analysis depends on, a time, a
  reason, a note, the name of who did it, the salt, a participant's code where no later entry has it;
- add entries of their own at the end, if they have the secret, which is in the same database, and so can compute the
  allocation.

An allocation, a kit, a look or the number of a patient is recomputed, so a wrong one is found all the same. The rest is
found by ``verify(expect="NUMBER:HASH")``, with an end that was written down outside of the database.
"""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import dataclass, replace

import pytest

from primum.live import Live, journal_at, verify
from primum.live.journal import storage as journal
from primum.live.journal.entries import canonical, digest
from primum.live.state import _KINDS
from tests.live import journals

INSERT = "INSERT INTO primum_journal (number, text, hash) VALUES (?, ?, ?)"
ODD = (None, True, -1, 0.5, 10**30, 1e308, "", "x", "0001-01-01T00:00:00Z", [], [[]], {}, {"x": 1}, "\x00")


@dataclass
class Copy:
    """A journal in memory, to change byte by byte."""

    rows: list[tuple[int, str, str]]
    head: tuple[int, str]
    secret: str
    records: dict[str, str]

    @classmethod
    def of(cls, place):
        stored, [(secret, *head)] = journals.contents(place)
        return cls(stored, tuple(head), secret, journals.records(place))

    def check_exists(self):
        """It does."""

    def snapshot(self):
        """What verification reads."""
        rows = [journal.Row(*row) for row in self.rows]
        return journal.Snapshot(rows, journal.Head(*self.head), self.secret, self.records)

    def with_row(self, number, row):
        changed = [row if each[0] == number else each for each in self.rows]
        return replace(self, rows=changed)

    def forged(self, number, change):
        """The journal with one entry changed, and all hashes from there on computed anew, also that of the head."""
        rows, previous = self.rows[: number - 1], self.rows[number - 2][2] if number > 1 else "0" * 64
        for position, text, _ in self.rows[number - 1 :]:
            entry = json.loads(text)
            if position == number:
                change(entry)
            entry["previous"] = previous
            text = canonical(entry)
            previous = digest(text)
            rows.append((position, text, previous))
        return replace(self, rows=rows, head=(len(rows), previous))


def checked(place, expect=""):
    store = journal_at(place)
    try:
        return verify(store, expect=expect)
    finally:
        store.close()


def only_sqlite(test):
    """What does not depend on the store."""
    return pytest.mark.parametrize("place", ["sqlite"], indirect=True)(test)


def test_the_journal_has_every_kind_of_entry_and_is_sound(every_kind):
    found = checked(every_kind)
    assert (found.ok, found.problem, found.notes) == (True, None, [])
    assert {json.loads(text)["kind"] for _, text, _ in journals.rows(every_kind)} == set(_KINDS)


@only_sqlite
@pytest.mark.parametrize("apart", [11, pytest.param(1, marks=pytest.mark.long)])
def test_any_byte_changed_is_found_in_its_entry(every_kind, apart):
    """Of each entry every 11th byte, from a place that is drawn; in the long form every one."""
    sound = Copy.of(every_kind)
    chance = random.Random(1)
    for number, text, stored in sound.rows:
        for place in range(chance.randrange(apart), len(text.encode()), apart):
            changed = bytearray(text.encode())
            changed[place] ^= chance.randrange(1, 256)
            found = verify(sound.with_row(number, (number, changed.decode(errors="replace"), stored)))
            assert (found.ok, found.problem_entry) == (False, number), (number, place)
        for place in range(chance.randrange(apart), len(stored), apart):
            changed = stored[:place] + chr(ord(stored[place]) ^ chance.randrange(1, 128)) + stored[place + 1 :]
            found = verify(sound.with_row(number, (number, text, changed)))
            assert (found.ok, found.problem_entry) == (False, number), (number, place)


@only_sqlite
def test_bytes_changed_in_the_database_are_found_in_their_entry(every_kind):
    chance = random.Random(2)
    for number, text, stored in journals.rows(every_kind):
        for column, before in (("text", text), ("hash", stored)):
            changed = bytearray(before.encode())
            changed[chance.randrange(len(changed))] ^= chance.choice((1, 0x80, 0xFF))  # also to what is not UTF-8
            where = f"UPDATE primum_journal SET {column} = CAST(? AS TEXT) WHERE number = ?"
            journals.execute(every_kind, where, bytes(changed), number)
            assert checked(every_kind).problem_entry == number
            journals.execute(every_kind, where, before.encode(), number)
    assert checked(every_kind).ok


@only_sqlite
@pytest.mark.parametrize("value", [b"blob", 5, 0.5, ""])
def test_values_of_another_type_are_found(every_kind, value):
    for column in ("text", "hash"):
        [(before,)] = journals.select(every_kind, f"SELECT {column} FROM primum_journal WHERE number = 7")
        journals.execute(every_kind, f"UPDATE primum_journal SET {column} = ? WHERE number = 7", value)
        assert checked(every_kind).problem_entry == 7
        journals.execute(every_kind, f"UPDATE primum_journal SET {column} = ? WHERE number = 7", before)
    for column in ("number", "hash", "secret"):
        [(before,)] = journals.select(every_kind, f"SELECT {column} FROM primum_head")
        journals.execute(every_kind, f"UPDATE primum_head SET {column} = ?", value)
        assert not checked(every_kind).ok
        journals.execute(every_kind, f"UPDATE primum_head SET {column} = ?", before)
    assert checked(every_kind).ok


def test_an_entry_removed_is_named(every_kind):
    for row in journals.rows(every_kind):
        journals.execute(every_kind, "DELETE FROM primum_journal WHERE number = ?", row[0])
        assert checked(every_kind).problem_entry == row[0]
        journals.execute(every_kind, INSERT, *row)
    assert checked(every_kind).ok


def test_entries_swapped_are_named(every_kind):
    stored = journals.rows(every_kind)
    number_of = "UPDATE primum_journal SET number = ? WHERE number = ?"

    def swap(number):
        for new, old in ((10**6, number), (number, number + 1), (number + 1, 10**6)):
            journals.execute(every_kind, number_of, new, old)

    for number, _, _ in stored[:-1]:
        swap(number)
        assert checked(every_kind).problem_entry == number
        swap(number)
    assert checked(every_kind).ok


def test_a_number_changed_is_named(every_kind):
    last = len(journals.rows(every_kind))
    for number in range(1, last + 1):
        for other in (-number, 0, last + 1, last + 10**9):
            journals.execute(every_kind, "UPDATE primum_journal SET number = ? WHERE number = ?", other, number)
            found = checked(every_kind)
            assert not found.ok
            assert found.problem_entry == (number if other > 0 else 1)  # entry 1 is not the first any more
            journals.execute(every_kind, "UPDATE primum_journal SET number = ? WHERE number = ?", number, other)
    assert checked(every_kind).ok


def test_any_entry_copied_to_the_end_or_before_the_start_is_named(every_kind):
    stored = journals.rows(every_kind)
    for _, text, own in stored:
        for place, named in ((len(stored) + 1, len(stored) + 1), (0, 1), (-5, 1)):
            journals.execute(every_kind, INSERT, place, text, own)
            assert checked(every_kind).problem_entry == named
            journals.execute(every_kind, "DELETE FROM primum_journal WHERE number = ?", place)
    assert checked(every_kind).ok


def test_an_entry_forged_at_the_end_is_named(place, same_secret):
    with journals.start(place) as live:
        live.enrol("P-1", who="Ward 3")
        after = live.status().entries + 1
        entry = json.loads(journals.rows(place)[-1][1])
        right = {"kind": "note", "data": {"text": "forged"}}
        other = next(arm for arm in journals.ARMS if arm != entry["data"]["arm"])
        # the second patient of the burn-in, in an arm that has its patient already, or with a kit of another
        wrong = {"kind": "enrolled", "data": {**entry["data"], "participant": "P-2", "patient": 2, "arm": other}}
        for data, has_head in ((right, False), (wrong, True)):
            text = canonical({**entry, **data, "number": after, "previous": live.status().head})
            journals.execute(place, INSERT, after, text, digest(text))
            if has_head:
                journals.execute(place, "UPDATE primum_head SET number = ?, hash = ?", after, digest(text))
            found = live.verify()
            assert (found.ok, found.problem_entry) == (False, after)
            with pytest.raises(journal.JournalUnavailable, match="verify"):
                live.enrol("P-3", who="Ward 3")
            journals.execute(place, "DELETE FROM primum_journal WHERE number = ?", after)
        journals.execute(place, "UPDATE primum_head SET number = ?, hash = ?", after - 1, live.status().head)
        assert live.enrol("P-3", who="Ward 3").number == 2


def test_a_head_changed_is_found(every_kind):
    [(secret, last, own)] = journals.contents(every_kind)[1]
    for number, hash, named in (
        (last + 1, own, last + 1),
        (last - 1, own, last),
        (-1, own, 1),
        (last, "0" * 64, last),
        (last, own[:-1] + ("1" if own[-1] == "0" else "0"), last),
    ):
        journals.execute(every_kind, "UPDATE primum_head SET number = ?, hash = ?", number, hash)
        found = checked(every_kind)
        assert (found.ok, found.problem_entry) == (False, named)
    journals.execute(every_kind, "DELETE FROM primum_head")
    assert "no head" in checked(every_kind).problem
    values = (secret, last, own)
    journals.execute(every_kind, "INSERT INTO primum_head (id, secret, number, hash) VALUES (1, ?, ?, ?)", *values)
    assert checked(every_kind).ok


def test_any_digit_of_the_secret_changed_is_found(every_kind):
    [(secret, _, _)] = journals.contents(every_kind)[1]
    for place in range(len(secret)):
        for digit in "0C é"[place % 4 :: 2]:
            journals.execute(
                every_kind, "UPDATE primum_head SET secret = ?", secret[:place] + digit + secret[place + 1 :]
            )
            assert not checked(every_kind).ok
    journals.execute(every_kind, "UPDATE primum_head SET secret = ?", "00" * 32)
    assert checked(every_kind).problem_entry == 1
    with pytest.raises(journal.JournalUnavailable, match="commitment"):
        Live(every_kind)


@only_sqlite
def test_allocations_changed_with_all_hashes_computed_anew_are_named(every_kind):
    sound, changed = Copy.of(every_kind), 0
    for number, text, _ in sound.rows:
        entry = json.loads(text)
        wrong = {
            "enrolled": {"arm": "nobody", "kit": "000-000", "patient": 0, "participant": []},
            "look taken": {
                "look": 9,
                "patients": 9,
                "known": 9,
                "dropped": ["low dose"],
                "claimed": ["x"],
                "stopped": "x",
            },
            "design": {"commitment": "0" * 64},
            "locked": {"secret": "0" * 64, "reason": "x", "proposed_by": "Eve"},
        }.get(entry["kind"], {})
        for key, value in wrong.items():
            found = verify(sound.forged(number, lambda entry, key=key, value=value: entry["data"].update({key: value})))
            assert (found.ok, found.problem_entry) == (False, number), (entry["kind"], key)
            changed += 1
        for arm in journals.ARMS if entry["kind"] == "enrolled" else ():
            found = verify(sound.forged(number, lambda entry, arm=arm: entry["data"].update(arm=arm)))
            assert found.problem_entry == (None if arm == entry["data"]["arm"] else number)
    assert changed == 7 * 4 + 6 + 1 + 3


@only_sqlite
def test_an_outcome_changed_with_all_hashes_computed_anew_is_found_with_an_expected_end(every_kind):
    sound = Copy.of(every_kind)
    number = next(row[0] for row in sound.rows if '"participant":"P-5"' in row[1] and '"kind":"outcome"' in row[1])
    forged = sound.forged(number, lambda entry: entry["data"].update(outcome=1.0))
    for position in range(1, len(sound.rows) + 1):
        expected = f"{position}:{sound.rows[position - 1][2]}"
        assert verify(sound, expect=expected).ok
        found = verify(forged, expect=expected)
        # an end before the outcome still fits, and cannot tell, unless a later allocation depends on the outcome
        assert found.problem_entry in ((position,) if position >= number else (None, *range(number, len(sound.rows))))
    cut = replace(sound, rows=sound.rows[:-1], head=(len(sound.rows) - 1, sound.rows[-2][2]))
    assert verify(cut).ok  # nothing in it says that there was more
    assert verify(cut, expect=f"{len(sound.rows)}:{sound.head[1]}").problem_entry == len(sound.rows)


@pytest.mark.slow
@only_sqlite
def test_forged_values_of_any_kind_are_no_error(every_kind):
    """Whoever computes all hashes anew can write anything: verification says that it fits, or why not."""
    sound, chance = Copy.of(every_kind), random.Random(4)

    def places(data, path=()):
        yield path
        for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
            yield from places(data[key], (*path, key))

    def set_at(path, value):
        def change(entry):
            for key in path[:-1]:
                entry = entry[key]
            if path:
                entry[path[-1]] = value

        return change

    for number, text, _ in sound.rows:
        for path in places(json.loads(text)):
            for value in chance.sample(ODD, 5):
                found = verify(sound.forged(number, set_at(path, value)))
                assert found.ok or found.problem_entry >= number, (number, path, value)


@pytest.mark.slow
@only_sqlite
def test_any_byte_of_the_file_changed_is_found_or_changes_nothing(every_kind, tmp_path):
    """Positions and values are drawn; bytes that hold nothing, such as free space, change nothing."""
    before, sound = journals.contents(every_kind), tmp_path / "sound.db"
    shutil.copy(every_kind, sound)
    content, chance, found_changes = sound.read_bytes(), random.Random(3), 0
    for number in range(200):
        changed, copy = bytearray(content), tmp_path / f"{number}.db"
        for _ in range(chance.choice((1, 1, 1, 8))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        copy.write_bytes(changed)
        found = checked(copy)
        assert not found.ok or journals.contents(str(copy)) == before, number
        found_changes += not found.ok
        for path in tmp_path.glob(f"{number}.db*"):
            path.unlink()
    assert 15 < found_changes < 200
