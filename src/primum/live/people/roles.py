"""What people may do."""

from __future__ import annotations

from typing import Any

from primum.errors import ParameterError, UnknownNameError, quoted
from primum.text import listed

ROLES = {
    "enrol": "enrols participants; learns the kit code, or the arm if the trial is not blinded",
    "record": "records, corrects and completes outcomes; learns no arm",
    "monitor": "sees accrual, missing outcomes and numbers by blinded labels; learns no arm",
    "statistician": "sees arms, estimates and the analysis; unblinded",
    "auditor": "reads and verifies the journal; unblinded",
    "administrator": "admits people, pauses and closes the trial; learns no arm",
}
UNBLINDED_ROLES = ("statistician", "auditor")


def check_roles(roles: Any) -> None:
    """Refuse what is not a list of roles."""
    if isinstance(roles, str) or not isinstance(roles, list | tuple) or not roles:
        raise ParameterError(
            f"roles must be a list of at least one of {listed(list(ROLES))}, got {quoted(roles)}", ("roles",)
        )
    for role in roles:
        if not isinstance(role, str) or role not in ROLES:
            raise UnknownNameError("role", role, ROLES, ("roles",))
