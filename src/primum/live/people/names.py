"""Names of people: each belongs to one person for ever, and none to the system."""

from __future__ import annotations

from primum.errors import ParameterError, quoted
from primum.live.privacy import LONGEST_NAME, check_text, key_of, normal

BY_DESIGN = "design"  # who takes looks
ON_THE_SERVER = ("(command line)", "(Python)")  # how the names of writers end who have the server


def check_name(name: object) -> str:
    """A name for a person, in the usual form of its letters.

    >>> check_name(" Ada　Lovelace")
    'Ada Lovelace'
    """
    found = check_text("name", normal(name) if isinstance(name, str) else name, True, LONGEST_NAME)
    if key_of(found) == BY_DESIGN or is_on_the_server(found):
        raise ParameterError(f"{quoted(found)} is a name of the system; choose another one", ("name",))
    return found


def is_on_the_server(who: str) -> bool:
    """Whether a writer has the server, and with it the secret and everything else.

    >>> is_on_the_server("root (command line)"), is_on_the_server("Ada")
    (True, False)
    """
    return key_of(who).endswith(tuple(map(key_of, ON_THE_SERVER)))


def check_different(*names: str) -> None:
    """Refuse names of several people that are no names, or that are the same."""
    if len({key_of(check_name(each)) for each in names}) < len(names):
        raise ParameterError(f"{quoted(names[0])} must not be the name of two people", ("name",))
