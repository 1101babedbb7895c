"""Mean regret agrees with published tables: the short form of benchmarks/published.py.

Each of 70 numbers may be 5 standard errors from the published one, by the published standard deviation of a run. If
means were normal, one of them would be a false alarm for one seed in 25,000. Regret has a long upper tail, and by
Chebyshev's inequality alone each would fail for at most one seed in 25; the seed is fixed. `make test` has one setting
of each table.
"""

from __future__ import annotations

import math
import re
import runpy
from pathlib import Path

import pytest

from primum import policies

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
FARTHEST = 5
SLOW = {"ssmc": 3, "npts": 2}  # replications


@pytest.fixture
def published(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return runpy.run_path(str(BENCHMARKS / "published.py"))


def distance(regret, published, deviation, runs):
    """How far apart the means are, in standard errors, but for the rounding of the published one."""
    apart = max(0.0, abs(regret.mean() - published) - 0.05)
    return apart / (deviation * math.sqrt(1 / regret.size + 1 / runs))


@pytest.mark.slow
@pytest.mark.parametrize(("settings", "replications"), [(1, 60), pytest.param(None, 200, marks=pytest.mark.long)])
@pytest.mark.parametrize("part", ["bernoulli", "normal", "clipped-normal"])
def test_mean_regret_is_that_of_the_table(part, settings, replications, published):
    table = published["TABLES"][part]
    far = {}
    for setting, (arms, printed) in [*table.problems.items()][:settings]:
        cells = re.findall(r"([\d.]+) \(([\d.]+)\)", printed)
        for column, (mean, deviation) in zip(table.columns, cells, strict=True):
            contestant = column[0] if isinstance(column, list) else column
            policy = contestant.policy if contestant.policy.name != "opening-thompson" else policies.Thompson()
            count = SLOW.get(policy.name, replications // len(arms))
            regret = published["regrets"](policy, arms, count)
            far[contestant.title, setting] = distance(regret, float(mean), float(deviation), published["RUNS"])
    assert max(far.values()) < FARTHEST, far


@pytest.mark.slow
@pytest.mark.parametrize("sampler", ["uniform", "random-block", "last-block"])
def test_ties_for_the_leader_are_far_from_the_table(sampler, published):
    """As the text of the article has it, which its tables do not: the comparison can tell."""
    arms, policy = published["bernoulli"](0.6, 0.5), policies.Sda(sampler=sampler, ties="leader")
    assert distance(published["regrets"](policy, arms, 100), 22.0, 34.5, published["RUNS"]) > 10 * FARTHEST
