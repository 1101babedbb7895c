"""Who has access, folded from the entries of the journal."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from primum.errors import UnknownNameError
from primum.live.errors import Refused
from primum.live.people.roles import check_roles

Data = dict[str, Any]


@dataclass
class Admitted:
    """A person who has access."""

    name: str
    roles: tuple[str, ...]
    since: datetime
    token_hash: str
    active: bool = True


@dataclass
class Roster:
    """All who have or had access; a method for each kind of entry about them."""

    everybody: dict[str, Admitted] = field(default_factory=dict)

    def find(self, name: Any) -> Admitted:
        """A person who has access, by name."""
        active = [each.name for each in self.everybody.values() if each.active]
        if not isinstance(name, str) or name not in active:
            raise UnknownNameError("person with access", name, active)
        return self.everybody[name]

    def admitted(self, given: Data, at: datetime, who: str) -> Data:
        """A person gets access."""
        name, roles = given["name"], given["roles"]
        if name in self.everybody and self.everybody[name].active:
            raise Refused(f"{name!r} has access already; a new token can be made, or another name used")
        check_roles(roles)
        self.everybody[name] = Admitted(name, tuple(roles), at, given["token_hash"])
        return {"name": name, "roles": list(roles), "token_hash": given["token_hash"]}

    def renewed(self, given: Data, at: datetime, who: str) -> Data:
        """A person gets a new token."""
        person = self.find(given["name"])
        person.token_hash = given["token_hash"]
        return {"name": person.name, "token_hash": person.token_hash}

    def dismissed(self, given: Data, at: datetime, who: str) -> Data:
        """A person loses access."""
        person = self.find(given["name"])
        others = [each for each in self.everybody.values() if each.active and each.name != person.name]
        if "administrator" in person.roles and not any("administrator" in each.roles for each in others):
            raise Refused(f"{person.name!r} is the only administrator; admit another one first")
        person.active = False
        return {"name": person.name}


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
