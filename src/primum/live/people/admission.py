"""What people do about access: propose, redeem, approve, renew, dismiss, and show who they are."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from primum.errors import ParameterError
from primum.live.errors import Refused
from primum.live.journal import entries
from primum.live.journal.entries import digest, stamp
from primum.live.journal.folded_journal import FoldedJournal
from primum.live.people import credentials
from primum.live.people.roster import Admitted, Roster, Standing
from primum.live.privacy import key_of

if TYPE_CHECKING:
    from primum.live.drafting import Draft

log = logging.getLogger("primum.live")


@dataclass(frozen=True)
class Person:
    """A person who has or had access."""

    name: str
    roles: tuple[str, ...]
    state: Standing
    since: str
    admitted_by: str
    expires: str | None  # of a code that was not redeemed yet
    redeemed: str | None
    approved: str | None
    approved_by: str | None
    wrong_numbers: int  # that were given for an approval


@dataclass(frozen=True)
class Invitation:
    """A person with a one-time code, which is shown only here."""

    name: str
    roles: tuple[str, ...]
    code: str
    expires: str


@dataclass(frozen=True)
class Identity:
    """Who showed a credential: the person, the hash of its record, and a check number while an approval is awaited."""

    person: Person
    record_hash: str
    check: str | None


@dataclass(frozen=True)
class TokenInfo:
    """A token that a person has, without the token."""

    label: str
    since: str


class Admission(FoldedJournal):
    """The part of a live trial that is about access."""

    def admit(self, name: str, roles: Sequence[str], *, who: str | None = None) -> Invitation:
        """Propose a person, who redeems the one-time code; it is shown this once, and only a record of it is kept."""
        return self._with_code(who, entries.ADMITTED, {"name": name, "roles": roles})

    def renew(self, name: str, *, who: str | None = None) -> Invitation:
        """A new one-time code for a person; password, tokens and sessions end now, and an approval is needed again."""
        return self._with_code(who, entries.RENEWED, {"name": name})

    def _with_code(self, who: str | None, kind: str, given: dict[str, object]) -> Invitation:
        code = credentials.new_code()
        record = credentials.code_record(code)

        def steps(draft: Draft) -> Invitation:
            expires = stamp(self._clock() + timedelta(days=credentials.CODE_DAYS))
            draft.add(kind, given | {"record_hash": digest(record), "expires": expires}, record=record)
            person = draft.state.people.find(given["name"])
            return Invitation(person.name, person.roles, code, expires)

        return self._do(who, steps)

    def redeem(self, code: str, password: str | None = None, *, identity: str | None = None) -> Identity:
        """Use a one-time code: with a password of one's own, or as the person whom a proxy identifies."""
        with self._reading() as state:
            name = self._invited(state.people, code).name
        if identity is None:
            record = credentials.password_record(credentials.check_password(password, name, code))
        elif key_of(identity) != key_of(name):
            raise ParameterError("this code is not for you", ("code",))
        else:
            record = credentials.proxy_record()

        def steps(draft: Draft) -> Identity:
            person = self._invited(draft.state.people, code)
            draft.add(entries.REDEEMED, {"name": person.name, "record_hash": digest(record)}, record=record)
            return _identity(person, record)

        return self._do(name, steps)

    def _invited(self, people: Roster, code: str) -> Admitted:
        """The person who was given a code that can be redeemed."""
        for person in people.everybody.values():
            if not person.active or not credentials.is_code(self._record(people, person.code_hash), code):
                continue
            if person.redeemed is not None:
                raise Refused(
                    f"this code was used on {stamp(person.redeemed)}; if that was not you, tell the approver at once"
                )
            if self._clock() > person.expires:
                raise Refused(f"this code expired on {stamp(person.expires)}; ask an administrator for a new one")
            return person
        raise ParameterError("nobody was given this code, or a newer one replaced it; check what you typed", ("code",))

    def approve(self, name: str, check: str, *, who: str | None = None) -> Person:
        """Approve a person, who told the check number; a wrong one is refused, counted and written to the journal."""

        def steps(draft: Draft) -> Person:
            people = draft.state.people
            person = people.awaiting_approval(name, draft.who)
            record = self._record(people, person.record_hash)
            digits = "".join(letter for letter in check if letter.isdigit()) if isinstance(check, str) else ""
            if not record or digits != credentials.check_number(record):
                draft.add(entries.APPROVAL_REFUSED, {"name": person.name})
                raise ParameterError(
                    f"this is not the check number of {person.name!r}. If this person told you that number, "
                    "somebody else redeemed the code: tell the sponsor of the trial. The journal has this attempt.",
                    ("check",),
                )
            draft.add(entries.APPROVED, {"name": person.name})
            return _view(person)

        return self._do(who, steps)

    def dismiss(self, name: str, *, who: str | None = None) -> None:
        """Take a person's access away."""
        self._do(who, lambda draft: draft.add(entries.DISMISSED, {"name": name}))

    def make_token(self, label: str, *, who: str) -> str:
        """A token for a program that works for a person; it is shown this once, and only a record of it is kept."""
        token = credentials.new_token()
        record = credentials.token_record(token)
        given = {"name": who, "label": label, "record_hash": digest(record)}
        self._do(who, lambda draft: draft.add(entries.TOKEN_MADE, given, record=record))
        return token

    def end_token(self, label: str, *, who: str) -> None:
        """End a token of a person."""
        self._do(who, lambda draft: draft.add(entries.TOKEN_ENDED, {"name": who, "label": label}))

    def tokens(self, name: str) -> list[TokenInfo]:
        """The tokens of a person, without what they are."""
        with self._reading() as state:
            return [TokenInfo(each.label, stamp(each.since)) for each in state.people.find(name).tokens.values()]

    def people(self) -> list[Person]:
        """All who have or had access."""
        with self._reading() as state:
            return [_view(each) for each in state.people.everybody.values()]

    # who is it?

    def by_password(self, name: str, password: str) -> Identity | None:
        """The person with a name and a password, or None; that takes as long if nobody has the name."""
        with self._reading() as state:
            person = state.people.everybody.get(key_of(name))
            record = self._record(state.people, person.record_hash) if person is not None and person.active else ""
            found = None if person is None or not record else _identity(person, record)
        return found if credentials.is_password(record, password) else None

    def by_token(self, token: str) -> Identity | None:
        """The person with a token, or None."""
        with self._reading() as state:
            for person in state.people.everybody.values():
                for each in person.tokens.values():
                    if credentials.is_token(self._record(state.people, each.record_hash), token):
                        return _identity(person, self._record(state.people, person.record_hash))
        return None

    def by_proxy(self, name: str) -> Identity | None:
        """The person with a name that a proxy vouches for, if that is how the code was redeemed, or None."""
        with self._reading() as state:
            person = state.people.everybody.get(key_of(name))
            record = self._record(state.people, person.record_hash) if person is not None and person.active else ""
            return _identity(person, record) if person is not None and credentials.is_proxy(record) else None

    def by_record(self, record_hash: str) -> Identity | None:
        """The person who has access by a record with this hash, or None: the record of a session that goes on."""
        with self._reading() as state:
            for person in state.people.everybody.values():
                if person.active and person.record_hash == record_hash:
                    record = self._record(state.people, record_hash)
                    return _identity(person, record) if record else None
        return None

    def _record(self, people: Roster, record_hash: str) -> str:
        """A record by its hash; none if it is not there any more, or not as it was."""
        if record_hash and record_hash not in self._records:
            needed = people.record_hashes()
            stored = self.journal.records()
            self._records = {hash: text for hash, text in stored.items() if hash in needed and digest(text) == hash}
            for hash in sorted(needed - {*self._records}):
                log.error("a credential whose record has the SHA-256 %s was removed or changed from outside", hash)
        return self._records.get(record_hash, "")


def _view(person: Admitted) -> Person:
    is_invited = person.standing == "invited"
    return Person(
        name=person.name,
        roles=person.roles,
        state=person.standing,
        since=stamp(person.since),
        admitted_by=person.by,
        expires=stamp(person.expires) if is_invited else None,
        redeemed=None if person.redeemed is None else stamp(person.redeemed),
        approved=None if person.approved is None else stamp(person.approved),
        approved_by=person.approved_by or None,
        wrong_numbers=person.wrong_checks,
    )


def _identity(person: Admitted, record: str) -> Identity:
    awaits = person.standing == "awaiting approval"
    return Identity(_view(person), digest(record), credentials.check_number(record) if awaits else None)
