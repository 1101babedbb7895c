"""What looks like a person's name, date of birth or e-mail address is questioned: participants are codes."""

from __future__ import annotations

import re
import unicodedata

from primum.errors import ParameterError, quoted

LONGEST_CODE, LONGEST_TEXT, LONGEST_NAME = 40, 1_000, 80  # characters
_CODE = re.compile(r"[A-Za-z0-9](?:[\w./+-]*[A-Za-z0-9])?", re.ASCII)  # letters of other scripts look alike
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_DAY, _MONTH, _YEAR = r"(?:0[1-9]|[12]\d|3[01])", r"(?:0[1-9]|1[0-2])", r"(?:19|20)\d\d"
_DATE = re.compile(
    rf"(?<!\d)(?:{_YEAR}[-./ ]\d?\d[-./ ]\d?\d|\d?\d[-./ ]\d?\d[-./ ](?:{_YEAR}|\d\d)"
    rf"|{_YEAR}{_MONTH}{_DAY}|{_DAY}{_MONTH}{_YEAR})(?!\d)"
)
_SHORT = rf"(?:{_DAY}{_MONTH}\d\d|\d\d{_MONTH}{_DAY}|{_MONTH}{_DAY}\d\d)"
_LETTERS = r"(?:[^\W\d_]\.?){2,3}"
_INITIALS = re.compile(rf"{_LETTERS}[\W_]*{_SHORT}|{_SHORT}[\W_]*{_LETTERS}")  # with a date: MS-120361
# letters alone, three of them in a row, as codes rarely are
_NAME = re.compile(r"(?=.*[^\W\d_]{3})[^\W\d_]+(?:[\s.'\u2019-]+[^\W\d_]+)*\.?")
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Herr|Frau|Mme|Sr|Sra)\b\.?\s+\w+")


def key_of(code: object) -> str:
    """What identifies a participant: codes that differ only in case or width are the same.

    >>> key_of(" p-１a ") == key_of("P-1A")
    True
    """
    return normal(code).casefold() if isinstance(code, str) else ""


def normal(code: str) -> str:
    """A code in the usual form of its letters, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", code).split())


def check_code(code: object, confirmed: bool) -> str:
    """The code of a participant; one that may identify a person must be confirmed.

    >>> check_code("P-0042", False)
    'P-0042'
    """
    if not isinstance(code, str) or not code.strip():
        raise ParameterError(
            f"participant must be a code of 1 to {LONGEST_CODE} characters, got {quoted(code)}", ("participant",)
        )
    code = normal(code)
    what = _identifying(code) or ("a name" if _NAME.fullmatch(code) else "")
    if not what and _INITIALS.fullmatch(code):
        what = "initials and a date, such as one of birth"
    if what and not confirmed and len(code) <= LONGEST_CODE:
        raise ParameterError(
            f"{quoted(code)} looks like {what}. Names, birth dates and addresses do not belong in a trial's journal, "
            "from which nothing is ever removed. If it is a code all the same, confirm it.",
            ("confirm",),
        )
    if len(code) > LONGEST_CODE or not _CODE.fullmatch(code):
        raise ParameterError(
            f"participant must be a code of 1 to {LONGEST_CODE} letters A to Z and digits, with - _ . / + in between, "
            f"got {quoted(code)}",
            ("participant",),
        )
    return code


def check_text(name: str, text: object, confirmed: bool, longest: int = LONGEST_TEXT) -> str:
    """A reason or a note; one that may identify a person must be confirmed."""
    if not isinstance(text, str) or not text.strip() or len(text) > longest:
        raise ParameterError(f"{name} must be a text of 1 to {longest:,} characters, got {quoted(text)}", (name,))
    text = text.strip()
    if not all(letter.isprintable() or letter in "\n\t" for letter in text):
        raise ParameterError(f"{name} must be printable text, got {quoted(text)}", (name,))
    what = _identifying(text) or ("a name" if _TITLE.search(text) else "")
    if what and not confirmed:
        raise ParameterError(
            f"{name} has what looks like {what}. Nothing is ever removed from the journal. If it identifies nobody, "
            "confirm it.",
            ("confirm",),
        )
    return text


def _identifying(text: str) -> str:
    return "an e-mail address" if _EMAIL.search(text) else "a date, such as one of birth" if _DATE.search(text) else ""
