"""The sentences of errors, in one file: tests assert types, paths and numbers, and the file says what people read.

`pytest --write-sentences PATHS` writes the sentences of these tests anew; read the difference before it is committed.
"""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

FILE = Path(__file__).with_name("sentences.json")


class Sentences:
    """What one test is told, which must be what the file has under the name of the test."""

    def __init__(self, test: str, writes: bool) -> None:
        self.test, self.writes = test, writes

    def check(self, said: str) -> None:
        """Compare what is said with the file, or write it there."""
        if not self.writes:
            assert said == json.loads(FILE.read_text()).get(self.test), "see tests/sentences.py"
            return
        with FILE.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # other processes run tests too
            known = json.load(file) | {self.test: said}
            file.seek(0)
            file.truncate()
            file.write(json.dumps(dict(sorted(known.items())), indent=2, ensure_ascii=False) + "\n")
