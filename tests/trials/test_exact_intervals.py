"""Exact intervals and estimates of a difference: published ones, a slow twin, coverage, and agreement with the test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from primum import policies, trials
from primum.errors import ParameterError
from primum.trials.analyses import Analysis
from tests.oracle import exact_paths


@dataclass(frozen=True)
class Difference(Analysis):
    """Orders data by the difference of the proportions."""

    title = "Difference"
    abstract = True  # not registered

    def statistic(self, data):
        return data.means[:, 1:] - data.means[:, :1]


def fixed(first, second):
    """A design that gives the arms exactly these numbers of patients."""
    blocks = policies.PermutedBlocks(block=first + second, ratio=[first, second])
    return trials.Design(
        arms=["control", "new"], patients=first + second, policy=blocks, analysis=trials.ConditionalExact()
    )


PUBLISHED = [
    # patients, successes, level, low, high
    ((17, 78), (5, 40), 0.95, -0.0466, 0.4676),  # SAS, FREQ with RISKDIFF(METHOD=NOSCORE)
    ((3, 57), (3, 27), 0.95, -0.9057, 0.1197),
    ((3, 57), (3, 27), 0.99, -0.9586, 0.2677),
    ((2, 2), (2, 0), 0.90, -1.0, 0.0543),  # Santner and Snell, JASA 75, 1980
]


@pytest.mark.parametrize(("patients", "successes", "level", "low", "high"), PUBLISHED)
def test_published_intervals_for_fixed_numbers_of_patients(patients, successes, level, low, high):
    """As quoted with their sources in the vignette on unconditional exact intervals of the R package tern."""
    found = trials.exact(fixed(*patients), progress=False).interval(
        patients, successes, level=level, order=Difference()
    )
    assert (found.low, found.high) == pytest.approx((low, high), abs=5.1e-5)
    assert found.low <= found.estimate <= found.high
    assert found.level == level


def slow_limits(chances, patients, successes, level):
    """Both limits by the definition, on grids of 501 differences and 401 values of p0, from all paths of a trial.

    `chances` has the probability of each end at p = 1/2: patients and successes of both arms.
    """

    def difference(n0, n1, s0, s1):
        return s1 / n1 - s0 / n0 if n0 and n1 else np.nan

    observed = difference(*patients, *successes)
    limits = []
    for sign in (1, -1):
        beyond = [end for end in chances if sign * difference(*end) >= sign * observed - 1e-9]
        possible = []
        for d in np.linspace(-1, 1, 501):
            p0 = np.linspace(max(0.0, -d), min(1.0, 1.0 - d), 401)
            p1 = np.clip(p0 + d, 0.0, 1.0)
            total = sum(
                chances[n0, n1, s0, s1]
                * 2.0 ** (n0 + n1) * p0**s0 * (1 - p0) ** (n0 - s0) * p1**s1 * (1 - p1) ** (n1 - s1)
                for n0, n1, s0, s1 in beyond
            )  # fmt: skip
            if np.max(total) > (1 - level) / 2:
                possible.append(d)
        limits.append(min(possible) if sign > 0 else max(possible))
    return limits


def urn(assigned, pulls, successes, t):
    return float((1 + successes[1] + pulls[0] - successes[0]) / (2 + sum(pulls)))


def test_limits_are_those_of_a_slow_twin():
    design = trials.Design(
        arms=["control", "new"], patients=7, policy="randomised-play-the-winner", analysis="conditional-exact"
    )
    law = trials.exact(design, progress=False)
    chances = {end[:4]: chance for end, chance in exact_paths.ends(exact_paths.paths(urn, 7, (0.5, 0.5))).items()}
    for patients, successes in [((3, 4), (1, 3)), ((1, 6), (0, 6)), ((2, 5), (2, 1)), ((6, 1), (2, 0))]:
        found = law.interval(patients, successes, level=0.8, order=Difference())
        low, high = slow_limits(chances, patients, successes, 0.8)
        assert low - 0.0041 <= found.low <= low + 1e-9
        assert high - 1e-9 <= found.high <= high + 0.0041


DESIGNS = {
    "urn": {"policy": "randomised-play-the-winner"},
    "BESA+ with a coin": {"policy": "besa-plus(floor=2)", "coin": 0.3, "burn_in": 3},
    "stops early": {
        "policy": "thompson", "looks": [5, 8], "analysis": None,
        "stopping": trials.GroupSequential(alpha=0.1, sided="greater"),
    },
}  # fmt: skip


def law_of(case, patients=24):
    parts = {"arms": ["control", "new"], "patients": patients, "analysis": trials.UnconditionalExact(alpha=0.1)}
    return trials.exact(trials.Design(**parts | DESIGNS[case]), progress=False)


@pytest.mark.parametrize("case", DESIGNS)
def test_a_true_difference_is_covered_with_the_level(case):
    law = law_of(case)
    p0, p1 = np.meshgrid(np.linspace(0.05, 0.95, 7), np.linspace(0.05, 0.95, 7))
    covered = law.coverage(p0, p1, level=0.9)
    assert covered.min() >= 0.9
    assert covered.mean() < 0.985, "and the intervals are not trivial"


@pytest.mark.parametrize("case", DESIGNS)
def test_coverage_is_that_of_the_intervals_one_by_one(case):
    law = law_of(case, 12 if case == "stops early" else 8)
    truths = [(0.2, 0.7), (0.5, 0.4)]
    expected = np.zeros(2)
    for end in law.ends:
        for s0 in range(end.pulls[0] + 1):
            for s1 in range(end.pulls[1] + 1):
                if not end.chance[s0, s1]:
                    continue
                found = law.interval(end.pulls, (s0, s1), level=0.8)
                for i, p in enumerate(truths):
                    weight = np.prod([
                        (2 * q) ** s * (2 - 2 * q) ** (n - s) for q, n, s in zip(p, end.pulls, (s0, s1), strict=True)
                    ])  # fmt: skip
                    if found.low - 1e-6 <= p[1] - p[0] <= found.high + 1e-6:
                        expected[i] += end.chance[s0, s1] * weight
    covered = law.coverage(*zip(*truths, strict=True), level=0.8)
    if case == "stops early":  # it is not monotone
        assert (covered <= expected + 1e-9).all()
        assert covered == pytest.approx(expected, abs=0.01)
    else:
        assert covered == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", ["urn", "BESA+ with a coin"])
def test_the_interval_agrees_with_the_test(case):
    """Two-sided at level 0.2 by two one-sided tests: a limit is beyond 0 exactly where one of these rejects."""
    law, seen = law_of(case, 14), set()
    tests = {sided: trials.UnconditionalExact(alpha=0.1, sided=sided) for sided in ("greater", "less")}
    for end in law.ends[2:-2:3]:
        data = end.data(law.design)
        for row in range(0, len(data), 3):
            successes = data.sums[row].astype(int).tolist()
            found = law.interval(end.pulls, successes, level=0.8)
            rejected = [bool(test.rejections(data.rows(np.array([row])))[0, 0]) for test in tests.values()]
            assert [found.low > 0, found.high < 0] == rejected
            seen.add(tuple(rejected))
    assert seen == {(False, False), (True, False), (False, True)}


@pytest.mark.parametrize("case", DESIGNS)
def test_the_estimate_is_about_median_unbiased(case):
    """Each of the limits between which it lies is beyond the truth with probability at most 1/2; it does so nearly."""
    law = law_of(case, 12 if case == "stops early" else 10)
    below, above = np.zeros(3), np.zeros(3)
    p0, p1 = np.array([0.3, 0.5, 0.3]), np.array([0.6, 0.5, 0.4])
    for end in law.ends:
        for s0 in range(end.pulls[0] + 1):
            for s1 in range(end.pulls[1] + 1):
                if end.chance[s0, s1] < 1e-7:
                    continue
                weight = end.chance[s0, s1]
                for p, n, s in ((p0, end.pulls[0], s0), (p1, end.pulls[1], s1)):
                    weight = weight * (2 * p) ** s * (2 - 2 * p) ** (n - s)
                estimate = law.interval(end.pulls, (s0, s1)).estimate
                below += weight * (estimate < p1 - p0 - 1e-9)
                above += weight * (estimate > p1 - p0 + 1e-9)
    assert np.maximum(below, above).max() < 0.62


def test_what_no_trial_gives_is_refused():
    law = law_of("urn")
    for given, sentence in (
        ({"patients": [12, 13], "successes": [1, 1]}, "the outcomes of a trial that has ended, 24 of them, got 25"),
        (
            {"patients": [12, 12], "successes": [13, 1]},
            "successes must be at most the patients, 12 and 12, got 13 and 1",
        ),
        ({"patients": [12.5, 12], "successes": [1, 1]}, "patients must be two whole numbers"),
        ({"patients": 24, "successes": [1, 1]}, "patients must be two whole numbers"),
        ({"patients": [12, 12], "successes": [1, 1], "level": 95}, r"level must be in \(0, 1\), got 95"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            law.interval(**given)
