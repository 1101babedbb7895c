"""Measures Primum against its rivals and its own bounds, and writes README.md: `python benchmarks/speed.py`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import report
import scaling
import start_up
from events import EVENTS, Event
from hand_written import compiler
from peers_environment import Peers, pins
from racing import FARTHEST, distance, race
from report import Agreement, Comparison

HERE = Path(__file__).resolve().parent
PARTS = {"set-up": start_up.set_up, "threads": start_up.threads, "memory": start_up.memory}


def run_event(event: Event) -> tuple[list[Comparison], list[Agreement]]:
    """One race, printed line by line."""
    agreements = []
    if event.twins is not None:
        ours, theirs = event.twins
        agreements.append(Agreement(event.title, distance(ours(), theirs()), FARTHEST))
        print(f"{event.title}: mean pulls differ by {agreements[0].distance:.1f} standard errors at most", flush=True)
    speed, standings = race(event.ours, event.rivals)
    beaten = max(event.judged, key=lambda name: standings[name].speed, default=None)
    comparisons = [
        Comparison(event.title, speed, name, standing.speed, standing.ratio, event.target if name == beaten else None)
        for name, standing in standings.items()
    ]
    if event.published is not None:
        comparisons.append(Comparison(event.title, speed, "best known so far", event.published, speed / event.published))
    for comparison in comparisons:
        print(row(comparison.cells()), flush=True)
    return comparisons, agreements


def row(cells: list[str]) -> str:
    widths = (38, 9, 42, 9, 8, 6, 8)
    return " ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    choices = [*EVENTS, *PARTS, "scaling"]
    parser.add_argument("--only", nargs="+", choices=choices, metavar="PART", help=f"some of: {', '.join(choices)}")
    wanted = parser.parse_args().only or choices
    load, start = os.getloadavg()[0], time.perf_counter()
    comparisons: list[Comparison] = []
    agreements: list[Agreement] = []
    print(row(["problem", "steps/s", "rival", "steps/s", "ratio", "target", "reached"]))
    with Peers() as peers:
        for name in EVENTS:
            if name in wanted:
                compared, agreed = run_event(EVENTS[name](peers))
                comparisons += compared
                agreements += agreed
    measurements = []
    for name, part in PARTS.items():
        if name in wanted:
            for found in part():
                measurements.append(found)
                print("  ".join(report.measurement_cells(found)), flush=True)
    if "scaling" in wanted:
        measured = scaling.measure()
        print(report.scaling_table(measured), flush=True)
    if wanted == choices:
        said = subprocess.run([compiler(), "--version"], check=True, capture_output=True, text=True).stdout
        minutes = (time.perf_counter() - start) / 60
        findings = report.Report(
            comparisons, agreements, measurements, measured, pins(), said.splitlines()[0], load, minutes
        )
        (HERE / "README.md").write_text(report.render(findings))
        scaling.draw(measured, HERE / "scaling")
    return 0 if all(agreement.reached for agreement in agreements) else 1


if __name__ == "__main__":
    sys.exit(main())
