"""What published.py and independent.py share: a number of ours beside somebody else's, and the file that keeps it."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Row:
    """Our number beside a published one; `rounding` is how far the printed digits may be from what was computed."""

    what: str
    setting: str
    ours: float
    se: float
    published: float
    published_se: float
    source: str
    rounding: float = 0.0
    note: str = ""

    def kept(self, script: str, part: str) -> dict[str, Any]:
        """The row as the page reads it; z is None where both numbers are exact."""
        error = math.hypot(self.se, self.published_se)
        apart = max(abs(self.ours - self.published) - self.rounding, 0.0)
        return asdict(self) | {
            "table": part,
            "z": math.copysign(apart, self.ours - self.published) / error if error else None,
            "command": f"python benchmarks/{script}.py --only {part}",
        }


Parts = dict[str, Callable[[], Iterator[Row]]]


def compare(script: str, text: str, parts: Parts) -> None:
    """Compute the parts that the command line asks for, and put their rows in the place of the same in the file."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=parts, default=list(parts), metavar="PART", help=", ".join(parts))
    chosen = parser.parse_args().only
    file = HERE / f"{script}.json"
    for part in chosen:
        print(part, flush=True)
        found = []
        for row in parts[part]():
            found.append(row.kept(script, part))
            z = f", z {found[-1]['z']:+.2f}" if found[-1]["z"] is not None else ""
            print(f"  {row.what}, {row.setting}: {row.ours:.6g} and {row.published:.6g}{z}", flush=True)
        kept = json.loads(file.read_text()) if file.exists() else []
        rows = {name: [row for row in kept if row["table"] == name] for name in parts} | {part: found}
        file.write_text(json.dumps([row for name in parts for row in rows[name]], indent=1) + "\n")
