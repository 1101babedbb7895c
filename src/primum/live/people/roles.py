"""What people may do, and which of their roles need the approval of a second person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from primum.errors import ParameterError, UnknownNameError, quoted
from primum.text import listed

ROLES = {
    "enrol": "enrols participants; learns the kit code, or the arm if the trial is not blinded",
    "record": "records, corrects and completes outcomes; learns no arm",
    "monitor": "sees accrual, missing outcomes and numbers by blinded labels; learns no arm",
    "statistician": "sees arms, estimates and the analysis; unblinded",
    "auditor": "reads and verifies the journal; unblinded",
    "unblinder": "learns the arm of one participant in an emergency, with a reason",
    "administrator": "proposes people, pauses the trial, proposes its lock; learns no arm",
    "approver": "approves the access of others and the lock of the trial; learns no arm",
}
UNBLINDED_ROLES = ("statistician", "auditor")
SEPARATE_ROLES = ("administrator", "approver")  # no person has both: one proposes, the other approves
APPROVED_ROLES = (*UNBLINDED_ROLES, "unblinder", *SEPARATE_ROLES)  # roles that need an approval before they work


def need_approval(roles: Iterable[str], *, blinded: bool) -> bool:
    """Whether a second person must approve these roles: they show arms, or they give such roles to others.

    >>> need_approval(["enrol"], blinded=True), need_approval(["enrol"], blinded=False)
    (False, True)
    """
    return bool({*roles} & {*APPROVED_ROLES, *(() if blinded else ("enrol",))})


def check_roles(roles: Any) -> tuple[str, ...]:
    """Roles that one person may have, each once."""
    if isinstance(roles, str) or not isinstance(roles, list | tuple) or not roles:
        raise ParameterError(
            f"roles must be a list of at least one of {listed(list(ROLES))}, got {quoted(roles)}", ("roles",)
        )
    for role in roles:
        if not isinstance(role, str) or role not in ROLES:
            raise UnknownNameError("role", role, ROLES, ("roles",))
    if {*SEPARATE_ROLES} <= {*roles}:
        raise ParameterError(
            "nobody can be administrator and approver: one proposes people and the other approves them", ("roles",)
        )
    return tuple(dict.fromkeys(roles))
