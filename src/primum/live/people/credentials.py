"""What people show: one-time codes, passwords and tokens, and the records that are kept of them.

A record is canonical JSON with random salt. Records are in a table beside the journal, whose entries have only the
SHA-256 of a record: nobody who reads the journal can try passwords, and a record that was exchanged does not fit.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import unicodedata
from functools import cache
from itertools import pairwise
from typing import Any

from primum.errors import ParameterError
from primum.live.blinding import LETTERS
from primum.live.journal.entries import canonical, digest

CODE_LETTERS, GROUP = 16, 4  # 80 bits, as people type them: K7M2-9QXD-2HTP-V4RW
CODE_DAYS = 7
MISREAD = str.maketrans("OIL", "011")
LEAST_PASSWORD, LONGEST_PASSWORD = 8, 1_000  # characters
SCRYPT = {"n": 2**15, "r": 8, "p": 1}  # 32 MB, about 0.1 s
SCRYPT_BYTES = 64 * 2**20  # that OpenSSL may use
TOKEN_BYTES = 32
CHECK_DIGITS = 6


def new_code() -> str:
    """A one-time code, for people to type."""
    code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))
    return "-".join(code[place : place + GROUP] for place in range(0, CODE_LETTERS, GROUP))


def new_token() -> str:
    """A token, for programs."""
    return f"primum-{secrets.token_urlsafe(TOKEN_BYTES)}"


def code_record(code: str) -> str:
    """The record of a one-time code, whose 80 random bits nobody can guess."""
    return _record("code", hash=digest(_read(code)))


def token_record(token: str) -> str:
    """The record of a token, whose 256 random bits nobody can guess."""
    return _record("token", hash=digest(token))


def password_record(password: str) -> str:
    """The record of a password."""
    salt = secrets.token_hex(16)
    return canonical({"kind": "password", "salt": salt, **SCRYPT, "hash": _scrypt(password, salt, SCRYPT)})


def proxy_record() -> str:
    """The record of a person whom a proxy identifies."""
    return _record("proxy")


def is_code(record: str, code: str) -> bool:
    """Whether a record is that of a code."""
    return _is(record, "code", _read(code))


def is_token(record: str, token: str) -> bool:
    """Whether a record is that of a token."""
    return _is(record, "token", token)


def is_proxy(record: str) -> bool:
    """Whether a record is that of a person whom a proxy identifies."""
    return _data(record).get("kind") == "proxy"


def is_password(record: str, password: str) -> bool:
    """Whether a record is that of a password; it takes as long if it is no record of a password at all."""
    data = _data(record)
    is_one = data.get("kind") == "password"
    if not is_one:
        data = _data(_nobodys())
    cost = {key: data[key] for key in SCRYPT}
    return hmac.compare_digest(_scrypt(password, data["salt"], cost), data["hash"]) and is_one


def check_password(password: object, *others: str) -> str:
    """A password that a person chooses; others are those that are too obvious."""
    if not isinstance(password, str) or not LEAST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise ParameterError(
            f"password must have {LEAST_PASSWORD} to {LONGEST_PASSWORD:,} characters", ("password",)
        )  # and is not quoted
    steps = {ord(after) - ord(before) for before, after in pairwise(password)}
    if len(steps) == 1 or password.casefold() in {each.casefold() for each in others}:
        raise ParameterError("this password is too easy to guess; choose another one", ("password",))
    return password


def check_number(record: str) -> str:
    """The number that shows who redeemed a code: the approver asks the true person for it.

    >>> len(check_number(proxy_record()))
    6
    """
    number = int(digest(f"check number of {record}"), 16) % 10**CHECK_DIGITS
    return f"{number:0{CHECK_DIGITS}}"


def _record(kind: str, **data: str) -> str:
    return canonical({"kind": kind, "salt": secrets.token_hex(16), **data})


def _data(record: str) -> dict[str, Any]:
    return json.loads(record) if record else {}


def _is(record: str, kind: str, given: str) -> bool:
    data = _data(record)
    return data.get("kind") == kind and hmac.compare_digest(data["hash"], digest(given))


def _read(code: str) -> str:
    """A code as it was typed: in any case, with or without hyphens, and with letters that look like its digits."""
    typed = unicodedata.normalize("NFKC", code).upper().translate(MISREAD)
    return "".join(letter for letter in typed if letter.isalnum())


def _scrypt(password: str, salt: str, cost: dict[str, int]) -> str:
    text = unicodedata.normalize("NFKC", password).encode(errors="surrogatepass")
    return hashlib.scrypt(text, salt=bytes.fromhex(salt), maxmem=SCRYPT_BYTES, dklen=32, **cost).hex()


@cache
def _nobodys() -> str:
    return password_record(secrets.token_hex(16))
