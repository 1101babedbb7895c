"""What may identify a person is questioned, and what is a code is not."""

from __future__ import annotations

import pytest

from primum.errors import ParameterError
from primum.live.privacy import LONGEST_CODE, check_code, check_text

CODES = [
    "P-001",
    "p1",
    "7",
    "S03/0042",
    "AB-12.3",
    "10023",
    "CTRL-7-F",
    "XK",
    "2026-17",
    "site_4_12",
    "199",
    "P-\uff11",
    "P-120361",
    "SITE-120361",
    "MS-990099",
    "MS-0042",
]
NAMES = ["Anna", "Anna Smith", "O'Neill", "müller", "SMITH", "Jean-Luc", "J. Smith", "van der Berg", "李小龙"]
DATES = ["1980-02-03", "03.02.1980", "3/2/80", "19800203", "03021980", "P-1980-02-03", "anna 03.02.1980"]
INITIALS = ["MS-120361", "ms120361", "MS 120361", "MS_610312", "120361-MS", "A.M.031261", "SJM/031261"]
MAILS = ["anna@example.org", "a@b", "P-1 anna@example.org"]


@pytest.mark.parametrize("code", CODES)
def test_codes_are_taken(code):
    assert check_code(f" {code} ", False) == code.replace("\uff11", "1")


@pytest.mark.parametrize(
    ("code", "what"),
    [*((name, "a name") for name in NAMES), *((date, "a date") for date in DATES), *((m, "an e-mail") for m in MAILS)]
    + [(code, "initials and a date") for code in INITIALS],
)
def test_what_looks_like_a_person_is_questioned(code, what):
    with pytest.raises(ParameterError, match=f"looks like {what}") as caught:
        check_code(code, False)
    assert caught.value.path == ("confirm",)


@pytest.mark.parametrize("code", ["Anna", "19800203", "J. Smith"[:2] + "-1"])
def test_what_is_confirmed_is_taken_as_a_code(code):
    assert check_code(code, True) == code


@pytest.mark.parametrize(
    "code",
    ["", " ", None, 7, "a" * (LONGEST_CODE + 1), "P-1;", "P 1", "\u0420-001", "Anna Smith", "<b>1</b>", "\0", "-1-"],
)
def test_what_is_no_code_is_refused_even_if_confirmed(code):
    with pytest.raises(ParameterError, match=f"participant must be a code of 1 to {LONGEST_CODE}") as caught:
        check_code(code, True)
    assert caught.value.path == ("participant",)


@pytest.mark.parametrize(
    ("text", "what"),
    [("born 3.2.1980", "a date"), ("wrote to a@b.org", "an e-mail"), ("Mrs Smith called", "a name")],
)
def test_reasons_and_notes_are_questioned_too(text, what):
    with pytest.raises(ParameterError, match=f"reason has what looks like {what}"):
        check_text("reason", text, False)
    assert check_text("reason", text, True) == text


@pytest.mark.parametrize("text", ["", "  ", "x" * 1001, None, "bell \a", "null \0"])
def test_other_texts_are_refused(text):
    with pytest.raises(ParameterError, match="reason must be"):
        check_text("reason", text, True)
