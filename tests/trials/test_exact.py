"""Exact operating characteristics against all paths of small trials, and against published and known numbers."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from primum import policies, trials
from primum.errors import ParameterError, PrimumError
from primum.trials.exact_law import final_counts
from tests.oracle import exact_paths
from tests.stopping import StoppedAtOnce
from tests.trials.counting_rules import (
    _Equal,
    _Gap,
    _Lopsided,
    _PosteriorBest,
    _PosteriorMeanIndex,
    _Urn,
    gap,
    lopsided,
    probability_better,
)

Z = trials.PooledZ(critical=1.645, sided="greater")
EQUAL = trials.Design(arms=["control", "new"], patients=148, policy=_Equal(), analysis=Z)
TOLERANCE = 1e-12


def small(policy: Any, patients: int, **changes: Any) -> trials.Design:
    analysis = None if "stopping" in changes else trials.PooledZ(alpha=0.3)
    return trials.Design(arms=["control", "new"], patients=patients, policy=policy, analysis=analysis, **changes)


def urn(assigned: Any, pulls: Any, successes: Any, t: int) -> float:
    return float((1 + successes[1] + pulls[0] - successes[0]) / (2 + sum(pulls)))


def equal(assigned: Any, pulls: Any, successes: Any, t: int) -> float:
    return 0.5


def greedy(assigned: Any, pulls: Any, successes: Any, t: int) -> float:
    """The rule of policies.EpsilonGreedy with the mean, written from its definition."""
    if min(pulls) == 0:
        return float(assigned[1] < assigned[0])
    means = [s / n for s, n in zip(successes, pulls)]
    best = 0.5 if means[0] == means[1] else float(means[1] > means[0])
    return 0.1 * 0.5 + 0.9 * best


CASES: dict[str, tuple[trials.Design, Any, dict[str, Any]]] = {
    "equal": (small(_Equal(), 6), equal, {}),
    "urn": (small(_Urn(), 8), urn, {}),
    "epsilon-greedy": (small(policies.EpsilonGreedy(epsilon=0.1), 7), greedy, {}),
    "everything a rule may use": (small(_Lopsided(), 7), functools.partial(lopsided, horizon=7), {}),
    "one patient": (small(_Lopsided(), 1), functools.partial(lopsided, horizon=1), {}),
    "burn-in": (small(_Urn(), 7, burn_in=2), urn, {"burn_in": 2}),
    "burn-in cut short": (small(_Urn(), 5, burn_in=4), urn, {"burn_in": 4}),
    "a look in the burn-in, delay": (
        small(_Urn(), 8, looks=[3, 5], stopping=_Gap(), delay=trials.after_patients(1), burn_in=3),
        urn,
        {"looks": {3: gap(0), 5: gap(1)}, "final": gap(2), "delay": 1, "burn_in": 3},
    ),
    "blocks": (
        small(_Lopsided(), 7, blocks=3),
        functools.partial(lopsided, horizon=7),
        {"updates": [0, 3, 6]},
    ),
    "blocks after a burn-in": (
        small(_Lopsided(), 7, blocks=2, burn_in=1),
        functools.partial(lopsided, horizon=7),
        {"updates": [0, 2, 4, 6], "burn_in": 1},
    ),
    "listed blocks, one in the burn-in": (
        small(_Lopsided(), 7, blocks=[3, 5], burn_in=2),
        functools.partial(lopsided, horizon=7),
        {"updates": [3, 5], "burn_in": 2},
    ),
    "delay": (
        small(_Lopsided(), 7, delay=trials.after_patients(2)),
        functools.partial(lopsided, horizon=7),
        {"delay": 2},
    ),
    "delay as long as the trial": (small(_Urn(), 5, delay=trials.after_patients(6)), urn, {"delay": 6}),
    "delay and blocks": (
        small(_Lopsided(), 7, delay=trials.after_patients(1), blocks=2),
        functools.partial(lopsided, horizon=7),
        {"delay": 1, "updates": [0, 2, 4, 6]},
    ),
    "looks": (
        small(_Lopsided(), 7, looks=[3, 5, 7], stopping=_Gap()),
        functools.partial(lopsided, horizon=7),
        {"looks": {3: gap(0), 5: gap(1)}, "final": gap(2)},
    ),
    "looks before any outcome, delay, burn-in": (
        small(_Urn(), 7, looks=[1, 5], stopping=_Gap(), delay=trials.after_patients(2), burn_in=1),
        urn,
        {"looks": {1: gap(0), 5: gap(1)}, "final": gap(2), "delay": 2, "burn_in": 1},
    ),
    "looks at numbers of outcomes": (
        small(_Urn(), 7, looks=[2, 4], looks_count="outcomes", stopping=_Gap(), delay=trials.after_patients(2)),
        urn,
        {"looks": {4: gap(0), 6: gap(1)}, "final": gap(2), "delay": 2},
    ),
    "looks between blocks": (
        small(_Lopsided(), 7, looks=[4], stopping=_Gap(), blocks=4),
        functools.partial(lopsided, horizon=7),
        {"looks": {4: gap(0)}, "final": gap(1), "updates": [0, 4]},
    ),
    "coin": (small(_Urn(), 7, coin=0.3), urn, {"coin": lambda t: 0.3}),
    "coin alone": (small(_Urn(), 6, coin=1), equal, {}),
    "falling coin with a certain rule": (
        small(policies.EpsilonGreedy(epsilon=0.1), 7, coin=[0.9, 0.3]),
        greedy,
        {"coin": lambda t: 0.9 - 0.1 * t},
    ),
    "falling coin after a burn-in": (
        small(_Urn(), 8, coin=[0.9, 0.1], burn_in=2),
        urn,
        {"coin": lambda t: 0.9 - 0.8 * (t - 4) / 3, "burn_in": 2},
    ),
    "coin, blocks": (
        small(_Lopsided(), 7, coin=[0.5, 0.2], blocks=3),
        functools.partial(lopsided, horizon=7),
        {"coin": lambda t: 0.5 - 0.05 * t, "updates": [0, 3, 6]},
    ),
    "coin, delay, looks, burn-in": (
        small(_Urn(), 8, coin=0.4, looks=[3, 5], stopping=_Gap(), delay=trials.after_patients(1), burn_in=1),
        urn,
        {"coin": lambda t: 0.4, "looks": {3: gap(0), 5: gap(1)}, "final": gap(2), "delay": 1, "burn_in": 1},
    ),
}


@pytest.mark.parametrize("p", [(0.3, 0.6), (0.0, 0.8), (0.5, 0.5)])
@pytest.mark.parametrize("name", CASES)
def test_all_paths_of_small_trials(name: str, p: tuple[float, float]) -> None:
    design, rule, how = CASES[name]
    law = trials.exact(design, progress=False)
    ends = exact_paths.ends(exact_paths.paths(rule, design.patients, p, **how))
    assert sum(ends.values()) == pytest.approx(1, abs=TOLERANCE)

    def mean(feature: Any) -> float:
        return float(sum(chance * feature(*end) for end, chance in ends.items()))

    def rejects(n0: int, n1: int, s0: int, s1: int, claimed: Any) -> bool:
        if design.stopping is not None:
            return any(claimed)
        return abs(exact_paths.pooled_z(n0, n1, s0, s1)) >= 1.0364333894937898  # level 0.3, two-sided

    def declares_control(n0: int, n1: int, s0: int, s1: int, claimed: Any) -> bool:
        if design.stopping is not None:
            return bool(claimed[0])
        return exact_paths.pooled_z(n0, n1, s0, s1) <= -1.0364333894937898

    def declares_arm(n0: int, n1: int, s0: int, s1: int, claimed: Any) -> bool:
        if design.stopping is not None:
            return bool(claimed[1])
        return exact_paths.pooled_z(n0, n1, s0, s1) >= 1.0364333894937898

    def arm_is_ahead(n0: int, n1: int, s0: int, s1: int, claimed: Any) -> float:
        first, second = (Fraction(s, n) if n else Fraction(-1) for s, n in ((s0, n0), (s1, n1)))
        return 0.5 if first == second else float(second > first)

    def error(n0: int, n1: int, s0: int, s1: int, claimed: Any) -> float:
        return s1 / n1 - s0 / n0 - (p[1] - p[0]) if n0 and n1 else 0.0

    assert law.reject(*p) == pytest.approx(mean(rejects), abs=TOLERANCE)
    n = [mean(lambda *end, arm=arm: end[arm]) for arm in (0, 1)]
    assert law.patients(*p) == pytest.approx(n, abs=TOLERANCE)
    sd = [mean(lambda *end, arm=arm: (end[arm] - n[arm]) ** 2) ** 0.5 for arm in (0, 1)]
    assert law.patients_sd(*p) == pytest.approx(sd, abs=1e-7)  # a square root of a difference
    on_second = [mean(lambda *end, count=count: end[1] == count) for count in range(design.patients + 1)]
    assert law.allocation(*p) == pytest.approx(on_second, abs=TOLERANCE)
    assert law.size(*p) == pytest.approx(sum(n), abs=TOLERANCE)
    successes = mean(lambda *end: end[2] + end[3])
    assert law.successes(*p) == pytest.approx(successes, abs=TOLERANCE)
    sd_of_successes = mean(lambda *end: (end[2] + end[3] - successes) ** 2) ** 0.5
    assert law.successes_sd(*p) == pytest.approx(sd_of_successes, abs=1e-7)
    both = mean(lambda *end: bool(end[0] and end[1]))
    if both:
        assert law.bias(*p) == pytest.approx(mean(error) / both, abs=TOLERANCE)
        assert law.rmse(*p) ** 2 == pytest.approx(mean(lambda *end: error(*end) ** 2) / both, abs=TOLERANCE)
    else:
        assert np.isnan(law.bias(*p))
    assert law.claims(*p) == pytest.approx([mean(lambda *end, a=a: end[4][a]) for a in (0, 1)], abs=TOLERANCE)
    declared = [mean(declares_control), mean(declares_arm)]
    assert law.declared(*p) == pytest.approx(declared, abs=TOLERANCE)
    ahead = mean(arm_is_ahead)
    assert law.highest(*p) == pytest.approx([1 - ahead, ahead], abs=TOLERANCE)
    if p[0] < p[1]:
        assert law.worse_majority(*p) == pytest.approx(mean(lambda *end: end[0] > end[1]), abs=TOLERANCE)
        imbalance = mean(lambda *end: end[0] - end[1] >= design.patients / 10)
        assert law.worse_imbalance(*p) == pytest.approx(imbalance, abs=TOLERANCE)
        assert law.wrong(*p) == pytest.approx(declared[0], abs=TOLERANCE)
    else:
        assert np.isnan(law.wrong(*p))
        assert np.isnan(law.worse_majority(*p))
        assert law.type_1(p[0]) == pytest.approx(law.reject(*p), abs=TOLERANCE)


@functools.cache
def law_of(policy: policies.Policy) -> trials.Law:
    return trials.exact(EQUAL.replace(policy=policy), progress=False)


# type I error at (.3, .3), power at (.3, .5), share of the better arm with its sd, successes with their sd, bias
KNOWN: dict[str, tuple[policies.Policy, list[float | None]]] = {
    "complete randomisation": (_Equal(), [0.0504, 0.8042, 0.5000, 0.041, 59.200, 5.96, 0.0]),
    "Thompson": (policies.Thompson(), [0.0813, 0.6618, 0.8355, 0.134, 69.131, 7.32, 0.0521]),
    "tuned Thompson": (_PosteriorBest(tuned=1.0), [0.0554, 0.7876, 0.6851, 0.083, 64.678, 6.51, 0.0096]),
    "index": (_PosteriorMeanIndex(), [0.0565, 0.7807, 0.7176, 0.074, 65.640, 6.52, None]),
}
DIGITS = (4, 4, 4, 3, 3, 2, 4)


@pytest.mark.parametrize("name", KNOWN)
def test_known_numbers_of_148_patients(name: str) -> None:
    policy, known = KNOWN[name]
    law = law_of(policy)
    found = [
        law.type_1(0.3),
        law.reject(0.3, 0.5),
        law.patients(0.3, 0.5)[1] / 148,
        law.patients_sd(0.3, 0.5)[1] / 148,
        law.successes(0.3, 0.5),
        law.successes_sd(0.3, 0.5),
        law.bias(0.3, 0.5),
    ]
    for number, want, digits in zip(found, known, DIGITS):
        if want is not None:
            assert number == pytest.approx(want, abs=0.51 * 10**-digits)


# share of patients on the better arm and power at (.3, .5), by another program
MIXED: dict[str, tuple[dict[str, Any], float, float]] = {
    "no coin": ({}, 0.8428, 0.4634),
    "coin 0.2": ({"coin": 0.2}, 0.7897, 0.6261),
    "coin 0.4": ({"coin": 0.4}, 0.7254, 0.7144),
    "coin 0.6": ({"coin": 0.6}, 0.6541, 0.7648),
    "burn-in 40": ({"burn_in": 40}, 0.7161, 0.6910),
}


@pytest.mark.parametrize("name", MIXED)
def test_what_a_coin_and_a_burn_in_cost_and_bring(name: str) -> None:
    changes, share, power = MIXED[name]
    test = trials.ConditionalExact(alpha=0.05, sided="greater")
    law = trials.exact(EQUAL.replace(policy=policies.BesaPlus(floor=2), analysis=test, **changes), progress=False)
    assert law.patients(0.3, 0.5)[1] / 148 == pytest.approx(share, abs=5e-5)
    assert law.reject(0.3, 0.5) == pytest.approx(power, abs=5e-5)


def test_a_coin_alone_is_complete_randomisation() -> None:
    tossed = trials.exact(EQUAL.replace(patients=30, policy=policies.Thompson(), coin=1), progress=False)
    equal = trials.exact(EQUAL.replace(patients=30), progress=False)
    assert [end.chance.tobytes() for end in tossed.ends] == [end.chance.tobytes() for end in equal.ends]


def test_largest_type_1_error_of_complete_randomisation() -> None:
    largest = law_of(_Equal()).largest_type_1()
    assert largest.value == pytest.approx(0.0517, abs=5e-5)
    # the curve is symmetric, so there are two maxima
    assert min(largest.p, 1 - largest.p) == pytest.approx(0.05, abs=0.01)
    assert law_of(_Equal()).type_1(largest.p) == pytest.approx(largest.value, abs=1e-12)
    fine = law_of(_Equal()).type_1(np.linspace(0, 1, 50_001))
    assert fine.max() <= largest.value + 1e-12
    assert fine.max() == pytest.approx(largest.value, abs=1e-6)


def test_randomised_play_the_winner_of_192_patients() -> None:
    design = EQUAL.replace(patients=192, policy=_Urn(), analysis=trials.PooledZ(critical=1.988, sided="greater"))
    power = trials.exact(design, progress=False).reject(0.5, 0.7)
    assert power == pytest.approx(0.7913, abs=5e-5)
    # the published figure is a simulated one; with 10,000 trials its standard error would be .0041
    assert power == pytest.approx(0.794, abs=0.0041)


def test_posterior_probability_of_the_test_rules() -> None:
    # P(Beta(2, 1) > Beta(1, 1)) = 2/3, and for one success of one each it is 1/2
    assert probability_better(0, 1)[0].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert probability_better(3, 3).diagonal().tolist() == pytest.approx([0.5] * 4)


def test_probabilities_broadcast() -> None:
    law = trials.exact(EQUAL.replace(patients=40, policy=_Urn()), progress=False)
    grid = np.linspace(0, 1, 11)
    surface = law.reject(grid[:, None], grid)
    assert surface.shape == (11, 11)
    assert surface[3, 5] == pytest.approx(law.reject(0.3, 0.5), abs=1e-12)
    assert np.diag(surface) == pytest.approx(law.reject(grid, grid), abs=1e-12)
    assert np.diag(surface) == pytest.approx(law.type_1(grid), abs=1e-12)
    assert law.patients(grid[:, None], grid).shape == (11, 11, 2)
    assert law.patients(grid[:, None], grid).sum(axis=-1) == pytest.approx(np.full((11, 11), 40.0))
    assert law.wrong(grid[:, None], grid).shape == (11, 11)


@pytest.mark.parametrize(("sided", "arm"), [("greater", 1), ("less", 0)])
def test_one_sided_rejections_favour_one_arm(sided: str, arm: int) -> None:
    design = EQUAL.replace(patients=20, analysis=trials.PooledZ(sided=sided))
    law = trials.exact(design, progress=False)
    worse = (0.7, 0.4) if arm else (0.4, 0.7)
    assert law.wrong(*worse) == pytest.approx(law.reject(*worse))
    assert law.wrong(*worse[::-1]) == 0


def test_relabelling_arms_relabels_results() -> None:
    two_sided = EQUAL.replace(patients=30, policy=_Urn(), analysis=trials.PooledZ())
    law = trials.exact(two_sided, progress=False)
    assert law.reject(0.2, 0.6) == pytest.approx(law.reject(0.6, 0.2), abs=1e-12)
    assert law.patients(0.2, 0.6) == pytest.approx(law.patients(0.6, 0.2)[::-1], abs=1e-12)


def test_extreme_probabilities_of_a_long_trial() -> None:
    """Neither 2^-N nor its inverse loses anything: all successes, all failures, and a rule with one certain choice."""
    design = EQUAL.replace(patients=120, policy=policies.Ucb1())
    law = trials.exact(design, progress=False)
    assert law.patients([0.0, 1.0, 1e-9], [0.0, 1.0, 1 - 1e-9]).sum(axis=-1) == pytest.approx([120.0] * 3, rel=1e-12)
    assert law.successes(1.0, 1.0) == pytest.approx(120, rel=1e-12)


def test_one_recursion_serves_all_analyses(monkeypatch: pytest.MonkeyPatch) -> None:
    design = EQUAL.replace(patients=31)
    trials.exact(design, progress=False)

    def refuse(*_: Any) -> Any:
        raise AssertionError("the recursion ran again")

    monkeypatch.setattr(final_counts.recursion, "run", refuse)
    for analysis in (trials.PooledZ(), trials.ConditionalExact(), trials.UnconditionalExact()):
        trials.exact(design.replace(analysis=analysis), progress=False).reject(0.2, 0.4)
    with pytest.raises(AssertionError):
        trials.exact(design.replace(burn_in=1), progress=False)
    with pytest.raises(AssertionError):
        trials.exact(design.replace(policy=_Urn()), progress=False)


class _NeedsPatients(trials.Analysis):
    def p_values(self, data: trials.TrialData) -> Any:
        return data.outcome[:, :1]  # type: ignore[index]


def test_what_cannot_be_exact_is_refused_with_the_reason() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"arms": ["a", "b", "c"]}, "need two arms, got 3"),
        ({"policy": policies.Npts()}, "no method `chances`"),
        ({"delay": trials.after_time(2.0)}, "depends on time"),
        ({"delay": trials.after_patients(7)}, "need [0-9,]+ states at a time; .* delay of at most 6 patients"),
        ({"patients": 1001}, "at most 1,000 patients, got 1,001"),
        ({"patients": 800, "blocks": 40}, "need [0-9,]+ states at a time; at most 200,000,000"),
        (
            {"blocks": 10, "looks": [15], "stopping": _Gap(), "analysis": None},
            "there is one in a block, after 15 patients",
        ),
        (
            {
                "looks": [147],
                "looks_count": "outcomes",
                "delay": trials.after_patients(2),
                "stopping": _Gap(),
                "analysis": None,
            },
            "the look at 147 outcomes is after the last patient",
        ),
    ]
    for changes, sentence in cases:
        with pytest.raises(ParameterError, match=sentence):
            trials.exact(EQUAL.replace(**changes), progress=False)
    with pytest.raises(PrimumError, match="uses only those"):
        trials.exact(EQUAL.replace(patients=5, analysis=_NeedsPatients()), progress=False).reject(0.3, 0.5)
    for p in (1.2, -0.1, np.nan, "x", [0.2, 2]):
        with pytest.raises(ParameterError, match="p1 must be a number in"):
            law_of(_Equal()).reject(0.3, p)


class _Broken(_Equal):
    def chances(self, counts: Any) -> Any:
        return np.full((1, 1), 1.5) if counts.step == 3 else np.full((1, 1), 0.5)


def test_wrong_allocation_probabilities_are_reported() -> None:
    with pytest.raises(PrimumError, match="`chances` must return probabilities"):
        trials.exact(EQUAL.replace(policy=_Broken()), progress=False)


def test_interrupt_leaves_nothing_behind() -> None:
    design = EQUAL.replace(patients=33)
    with pytest.raises(KeyboardInterrupt):
        trials.exact(design, progress=StoppedAtOnce())  # type: ignore[arg-type]
    assert trials.exact(design, progress=False).size(0.3, 0.5) == pytest.approx(33)
