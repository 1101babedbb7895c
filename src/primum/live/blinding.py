"""Kit codes and blinded labels, from the secret of the trial, and the secret itself."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from primum.errors import PrimumError

SECRET_BYTES = 32
HALF_BITS = 15  # a kit code has twice as many: six letters of five bits
ROUNDS = 8
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # without I, L, O and U, which are misread
MOST_KITS = 2 ** (2 * HALF_BITS)


class Secret:
    """What only the journal's store knows while a trial runs: the seed of decisions and the order of kits.

    >>> secret = Secret("00" * 32)
    >>> secret.kit(0), secret.kit(1)
    ('WET-YSC', 'Z63-RFP')
    """

    def __init__(self, text: str, purpose: str = "") -> None:
        self._purpose = purpose
        try:
            self.text, self._key = text, bytes.fromhex(text)
        except ValueError:
            self._key = b""
        if self._key.hex() != text:
            raise PrimumError("the secret of the trial is not what it was: it must be hexadecimal digits")

    @classmethod
    def new(cls) -> Secret:
        """A secret that nobody can guess."""
        return cls(secrets.token_hex(SECRET_BYTES))

    @property
    def commitment(self) -> str:
        """The hash by which the first entry commits to the secret."""
        return hashlib.sha256(self._key).hexdigest()

    def rehearsing(self) -> Secret:
        """The same secret with other numbers, so that the journal of a rehearsal never fits a trial."""
        return Secret(self.text, "rehearsal ")

    @property
    def seed(self) -> int:
        """The seed of all decisions."""
        return int.from_bytes(self._derived("seed")[:8], "big")

    def kit(self, number: int) -> str:
        """The code of a kit: a random permutation of all codes, so that neither order nor arm can be seen in it."""
        left, right = number >> HALF_BITS, number & (1 << HALF_BITS) - 1
        for turn in range(ROUNDS):  # a Feistel network
            left, right = right, left ^ int.from_bytes(self._derived(f"kit {turn} {right}")[:2], "big") >> 1
        code, letters = left << HALF_BITS | right, ""
        for place in range(0, 2 * HALF_BITS, 5):
            letters += LETTERS[code >> place & 31]
        return f"{letters[:3]}-{letters[3:]}"

    def labels(self, arms: int) -> list[int]:
        """The number of the blinded label of each arm, from 1: a random permutation."""
        order = sorted(range(arms), key=lambda arm: self._derived(f"label {arm}"))
        return [order.index(arm) + 1 for arm in range(arms)]

    def _derived(self, purpose: str) -> bytes:
        return hmac.new(self._key, f"{self._purpose}{purpose}".encode(), hashlib.sha256).digest()
