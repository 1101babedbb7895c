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
from events import AGREEMENT_HORIZON, AGREEMENT_REPLICATIONS, EVENTS, Event
from hand_written import compiler
from peers_environment import Peers, pins
from racing import distance, race
from report import Agreement, Comparison, Report

HERE = Path(__file__).resolve().parent
PARTS = {"set-up": start_up.set_up, "threads": start_up.threads, "memory": start_up.memory}
WIDTHS = (36, 9, 42, 9, 8, 6, 7)


def show(cells: list[str]) -> None:
    print("  ".join(f"{cell:<{width}}" for cell, width in zip(cells, WIDTHS, strict=False)), flush=True)


def compare(event: Event) -> tuple[list[Comparison], list[Agreement]]:
    """One race."""
    agreements = []
    if event.twins is not None:
        ours, theirs = event.twins
        agreements.append(Agreement(event.title, distance(ours(), theirs())))
    speed, standings = race(event.ours, event.rivals)
    beaten = max(event.judged, key=lambda name: standings[name].speed, default=None)
    comparisons = [
        Comparison(event.title, speed, name, standing.speed, standing.ratio, event.target if name == beaten else None)
        for name, standing in standings.items()
    ]
    if event.published is not None:
        ratio = speed / event.published
        comparisons.append(Comparison(event.title, speed, "best known so far", event.published, ratio))
    return comparisons, agreements


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    choices = [*EVENTS, *PARTS, "scaling"]
    parser.add_argument("--only", nargs="+", choices=choices, metavar="PART", help=f"some of: {', '.join(choices)}")
    wanted = parser.parse_args().only or choices
    load, start = os.getloadavg()[0], time.perf_counter()
    comparisons: list[Comparison] = []
    agreements: list[Agreement] = []
    measurements: list[start_up.Measurement] = []
    show(["problem", "steps/s", "rival", "steps/s", "ratio", "target", "reached"])
    with Peers() as peers:
        for name in filter(wanted.__contains__, EVENTS):
            compared, agreed = compare(EVENTS[name](peers))
            for comparison in compared:
                show(comparison.cells())
            for agreement in agreed:
                show([f"mean pulls agree? {agreement}"])
            comparisons += compared
            agreements += agreed
    for name in filter(wanted.__contains__, PARTS):
        for found in PARTS[name]():
            show([" | ".join(report.measurement_cells(found))])
            measurements.append(found)
    if "scaling" in wanted:
        measured = scaling.measure()
        print(report.scaling_table(measured), flush=True)
    if wanted == choices:
        said = subprocess.run([compiler(), "--version"], check=True, capture_output=True, text=True).stdout
        minutes = (time.perf_counter() - start) / 60
        found_all = Report(comparisons, agreements, measurements, measured, pins(), said.splitlines()[0], load, minutes)
        (HERE / "README.md").write_text(report.render(found_all, AGREEMENT_REPLICATIONS, AGREEMENT_HORIZON))
        scaling.draw(measured, HERE / "scaling")
    return 0 if all(agreement.reached for agreement in agreements) else 1


if __name__ == "__main__":
    sys.exit(main())
