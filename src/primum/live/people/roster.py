"""Who has access, folded from the entries of the journal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.live.errors import Refused
from primum.live.journal.entries import stamp
from primum.live.people.names import check_name, is_on_the_server
from primum.live.people.roles import SEPARATE_ROLES, check_roles, need_approval
from primum.live.privacy import LONGEST_NAME, check_text, key_of

MOST_WRONG_CHECKS = 5  # wrong check numbers, after which only a new code helps
MOST_TOKENS = 20  # of a person
_HASH = re.compile("[0-9a-f]{64}")
Data = dict[str, Any]
Standing = Literal["invited", "awaiting approval", "active", "dismissed"]


@dataclass
class Token:
    """A token for a program."""

    label: str
    record_hash: str
    since: datetime


@dataclass
class Admitted:
    """A person who has or had access. Hashes are those of records of credentials."""

    name: str
    roles: tuple[str, ...]
    since: datetime
    by: str
    needs_approval: bool
    code_hash: str  # of the one-time code
    expires: datetime
    record_hash: str = ""  # of what the person shows since the code was redeemed
    redeemed: datetime | None = None
    approved: datetime | None = None
    approved_by: str = ""
    wrong_checks: int = 0
    tokens: dict[str, Token] = field(default_factory=dict)
    active: bool = True

    @property
    def standing(self) -> Standing:
        """Whether this person can work, or why not."""
        if not self.active:
            return "dismissed"
        if not self.record_hash:
            return "invited"
        return "awaiting approval" if self.needs_approval and self.approved is None else "active"

    def record_hashes(self) -> set[str]:
        """The hashes of the records of this person's credentials."""
        if not self.active:
            return set()
        return {self.code_hash, self.record_hash, *(each.record_hash for each in self.tokens.values())} - {""}

    def works_as(self, role: str) -> bool:
        """Whether this person has a role, and can use it."""
        return self.standing == "active" and role in self.roles


@dataclass
class Roster:
    """All who have or had access; a method for each kind of entry about them."""

    blinded: bool = True
    everybody: dict[str, Admitted] = field(default_factory=dict)

    def find(self, name: Any) -> Admitted:
        """A person who has access, by name."""
        found = self.everybody.get(key_of(name))
        if found is None or not found.active:
            active = [each.name for each in self.everybody.values() if each.active]
            raise UnknownNameError("person with access", name, active)
        return found

    def record_hashes(self) -> set[str]:
        """The hashes of all records of credentials that are needed."""
        return {hash for each in self.everybody.values() for hash in each.record_hashes()}

    # one method for each kind of entry

    def admitted(self, given: Data, at: datetime, who: str) -> Data:
        """A person is proposed, and gets a one-time code."""
        self.check_may(who, "administrator", "propose people")
        name, roles, key = check_name(given["name"]), check_roles(given["roles"]), key_of(given["name"])
        if key in self.everybody:
            other = self.everybody[key]
            standing = "has access already" if other.active else "had access before"
            raise Refused(f"{other.name!r} {standing}, and a name is given once; add what tells the two people apart")
        is_first = len(roles) == 1 and roles[0] in SEPARATE_ROLES and not self._have(roles[0])
        needs_approval = need_approval(roles, blinded=self.blinded) and not (is_first and is_on_the_server(who))
        code = _code(given)
        self.everybody[key] = Admitted(name, roles, at, who, needs_approval, *code)
        return {"name": name, "roles": list(roles), "record_hash": given["record_hash"], "expires": given["expires"]}

    def redeemed(self, given: Data, at: datetime, who: str) -> Data:
        """A person has used the code, and can log in."""
        person = self.find(given["name"])
        if who != person.name:
            raise PrimumError("nobody redeems the code of another person")
        if person.redeemed is not None:
            raise Refused("this code was used before")
        if at > person.expires:
            raise Refused("this code has expired; ask an administrator for a new one")
        person.record_hash, person.redeemed = _hash(given), at
        return {"name": person.name, "record_hash": person.record_hash}

    def approved(self, given: Data, at: datetime, who: str) -> Data:
        """A second person has approved the roles of a person who redeemed the code."""
        person = self.awaiting_approval(given["name"], who)
        person.approved, person.approved_by = at, who
        return {"name": person.name, "roles": list(person.roles), "record_hash": person.record_hash}

    def approval_refused(self, given: Data, at: datetime, who: str) -> Data:
        """The number that was given is not that of the person who redeemed the code."""
        person = self.awaiting_approval(given["name"], who)
        person.wrong_checks += 1
        return {"name": person.name}

    def awaiting_approval(self, name: Any, who: str) -> Admitted:
        """A person whom somebody may approve now."""
        self.check_may(who, "approver", "approve people")
        person = self.find(name)
        if person.standing == "invited":
            raise Refused(f"{person.name!r} has not redeemed the code yet")
        if person.standing == "active":
            raise Refused(f"{person.name!r} needs no approval")
        if person.wrong_checks >= MOST_WRONG_CHECKS:
            raise Refused(
                f"{MOST_WRONG_CHECKS} wrong numbers were given for {person.name!r}; only a new code helps now"
            )
        return person

    def renewed(self, given: Data, at: datetime, who: str) -> Data:
        """A person gets a new code; what was shown until now is invalid."""
        self.check_may(who, "administrator", "renew access")
        person = self.find(given["name"])
        if person.works_as("approver") and not self._others(person, "approver") and not is_on_the_server(who):
            raise Refused(
                f"{person.name!r} is the only approver, so nobody could approve a renewal; do both on the server, with "
                "primum trial person and primum trial approve"
            )
        person.code_hash, person.expires = _code(given)
        person.record_hash, person.redeemed, person.approved, person.approved_by = "", None, None, ""
        person.wrong_checks, person.tokens = 0, {}
        person.needs_approval = need_approval(person.roles, blinded=self.blinded)
        return {"name": person.name, "record_hash": person.code_hash, "expires": given["expires"]}

    def dismissed(self, given: Data, at: datetime, who: str) -> Data:
        """A person loses access."""
        self.check_may(who, "administrator", "dismiss people")
        person = self.find(given["name"])
        for role in SEPARATE_ROLES:
            if person.works_as(role) and not self._others(person, role):
                raise Refused(f"{person.name!r} is the only {role}; another one must work before")
        person.active, person.tokens = False, {}
        return {"name": person.name}

    def token_made(self, given: Data, at: datetime, who: str) -> Data:
        """A person has made a token."""
        person, label = self._worker(given["name"], who), check_text("label", given["label"], True, LONGEST_NAME)
        if key_of(label) in person.tokens:
            raise Refused(f"you have a token {label!r} already; end it before, or choose another label")
        if len(person.tokens) == MOST_TOKENS:
            raise Refused(f"you have {MOST_TOKENS} tokens; end one that is not used any more")
        person.tokens[key_of(label)] = Token(label, _hash(given), at)
        return {"name": person.name, "label": label, "record_hash": given["record_hash"]}

    def token_ended(self, given: Data, at: datetime, who: str) -> Data:
        """A person has ended a token."""
        person = self._worker(given["name"], who)
        found = person.tokens.pop(key_of(given["label"]), None)
        if found is None:
            labels = [each.label for each in person.tokens.values()]
            raise UnknownNameError("token", given["label"], labels)
        return {"name": person.name, "label": found.label}

    def _worker(self, name: Any, who: str) -> Admitted:
        person = self.find(name)
        if who != person.name:
            raise PrimumError("tokens are made and ended by the person whose they are")
        if person.standing != "active":
            raise Refused(f"{person.name!r} cannot work yet: {person.standing}")
        return person

    def check_may(self, who: str, role: str, doing: str) -> None:
        """Separation of duties, which the journal itself keeps: whoever has the server may do both."""
        person = self.everybody.get(key_of(who))
        if not is_on_the_server(who) and (person is None or person.name != who or not person.works_as(role)):
            raise ParameterError(f"{who!r} cannot {doing}: this needs the role {role}", ("who",))

    def _have(self, role: str) -> bool:
        return any(role in each.roles for each in self.everybody.values())

    def _others(self, person: Admitted, role: str) -> bool:
        return any(each is not person and each.works_as(role) for each in self.everybody.values())


def _hash(given: Data) -> str:
    hash = given["record_hash"]
    if not _HASH.fullmatch(hash):
        raise ValueError
    return str(hash)


def _code(given: Data) -> tuple[str, datetime]:
    """The hash of the record of a code, and until when it is valid."""
    expires = datetime.fromisoformat(given["expires"])
    if stamp(expires) != given["expires"]:
        raise ValueError
    return _hash(given), expires
