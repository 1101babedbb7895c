"""Runs campaigns and writes down their figures."""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

from primum.runs.executors import available_threads
from tests.campaigns import NAMES, campaign

FIGURES = Path(__file__).with_name("figures.json")  # of the last long form of each campaign
PAGE = Path(__file__).with_name("README.md")
INTRODUCTION = """# Campaigns

Attacks on Primum, with what they found in the long form. Each has a short form in the tests. Run one again with
`python -m tests.campaigns NAME --write`, which also writes this page.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES, choices=[*NAMES, []], metavar="NAME", help=", ".join(NAMES))
    many = parser.add_mutually_exclusive_group()
    many.add_argument("--rounds", type=int, help="instead of those of the long form")
    many.add_argument("--times", type=int, help="so many times the rounds of the short form")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write the figures to README.md")
    given = parser.parse_args()
    for name in given.names:
        module = campaign(name)
        rounds, began = given.rounds or module.SHORT * (given.times or 0) or module.LONG, time.perf_counter()
        print(f"{name}: {rounds} rounds, seed {given.seed}", flush=True)
        figures = module.run(rounds, given.seed)
        figures = {"rounds": rounds, "seed": given.seed, "seconds": round(time.perf_counter() - began), **figures}
        for figure, number in figures.items():
            print(f"  {figure}: {number}")
        if given.write:
            write(name, figures)


def write(name: str, figures: dict[str, Any]) -> None:
    """Keep the figures of a campaign, and write the page from those of all."""
    kept = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    kept[name] = {**figures, "machine": f"Python {platform.python_version()}, {available_threads()} cores"}
    FIGURES.write_text(json.dumps(kept, indent=1) + "\n")
    parts = [INTRODUCTION]
    for known in sorted(kept):
        about = (campaign(known).__doc__ or "").strip()
        rows = "\n".join(f"| {figure} | {number} |" for figure, number in kept[known].items())
        parts.append(f"## {known}\n\n{about}\n\n| figure | |\n|---|---|\n{rows}\n")
    PAGE.write_text("\n".join(parts))


if __name__ == "__main__":
    main()
