"""The page "Verification": it shows what is kept, and what is kept is what the programs give now."""

from __future__ import annotations

import itertools
import json
import runpy
from pathlib import Path

import pytest

import primum.trials  # noqa: F401  its plug-ins, before a test has a registry of its own
from primum.plugins import registry

ROOT = Path(__file__).resolve().parent.parent
KEPT = json.loads((ROOT / "benchmarks" / "independent.json").read_text())
SIMULATED = {"four-arms", "adaptr"}


def test_the_page_shows_the_numbers_that_are_kept():
    script = runpy.run_path(str(ROOT / "docs" / "verification.py"))
    assert (ROOT / "docs" / "verification.md").read_text() == script["page"](), "run: python docs/verification.py"


@pytest.mark.parametrize("part", sorted({row["table"] for row in KEPT} - SIMULATED))
def test_exact_numbers_are_those_of_today(part, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    script = runpy.run_path(str(ROOT / "benchmarks" / "independent.py"))
    found = [row.kept("independent", part) for row in script["PARTS"][part]()]
    kept = [row for row in KEPT if row["table"] == part]
    assert len(found) == len(kept)
    for now, then in zip(found, kept, strict=True):
        computed = ("ours", "published_se")  # and z, from these
        for name in computed:
            assert now[name] == pytest.approx(then[name], rel=1e-9, abs=1e-12), then["what"]
        same = (now.keys() | then.keys()) - {*computed, "z"}
        assert {name: now[name] for name in same} == {name: then[name] for name in same}


def test_a_number_that_is_far_off_is_a_miss():
    script = runpy.run_path(str(ROOT / "docs" / "verification.py"))
    exact = {"ours": 0.7913, "published": 0.794, "z": None, "rounding": 0.0005}
    assert script["is_miss"](exact)
    assert not script["is_miss"]({**exact, "ours": 0.7936})
    assert script["is_miss"]({"z": -3.2})
    assert not script["is_miss"]({"z": 2.9})


def test_every_policy_is_compared_or_said_not_to_be():
    script = runpy.run_path(str(ROOT / "docs" / "verification.py"))
    # of nobody else, or without anything to compare
    ours = {"mcdiarmid-ucb", "optimal-allocation", "oracle", "round-robin", "two-keys"}
    groups = [script["COMPARED"], set(script["NOT_COMPARED"]), ours]
    names = [
        name for name in registry.names("policies") if registry.find("policies", name).__module__.startswith("primum.")
    ]
    assert sorted(itertools.chain(*groups)) == sorted(names)


def test_rounding_and_exactness_make_z(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    row = runpy.run_path(str(ROOT / "benchmarks" / "comparison.py"))["Row"]
    assert row("a", "b", 12.0, 0.3, 11.0, 0.4, "c", 0.05).kept("published", "d")["z"] == pytest.approx(0.95 / 0.5)
    assert row("a", "b", 11.0, 0.3, 12.0, 0.4, "c", 0.05).kept("published", "d")["z"] == pytest.approx(-0.95 / 0.5)
    assert row("a", "b", 12.0, 0.3, 12.04, 0.4, "c", 0.05).kept("published", "d")["z"] == 0
    assert row("a", "b", 12.0, 0.0, 12.04, 0.0, "c", 0.05).kept("published", "d")["z"] is None
