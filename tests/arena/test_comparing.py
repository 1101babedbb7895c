"""Comparisons of policies over pairs, and the recommendation, on made-up tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from primum import arena
from primum.arena import Cell, Table
from primum.arena.comparing import FEW_PAIRS, compare, comparisons, recommendation, standing
from primum.arena.table import PairRow, PolicyRow
from primum.errors import PrimumError

TITLES = {"a": "A", "b": "B", "c": "C"}
COUNT = 8


def table(regrets, stuck=(), tuned=(), families=("Mean",)):
    """Policies with regrets on pairs 0, 1, 2 ... after 100 steps; None where one does not fit."""
    some = len(next(iter(regrets.values())))
    pairs = {
        f"p{i}": PairRow(f"P{i}", "Smooth", families[i % len(families)], "v", ("besa",) if i in tuned else ())
        for i in range(some)
    }
    cells = tuple(
        Cell(f"p{i}", label, 100, 50, regret, 0.1, dict(stuck).get(label, [0] * some)[i], regret)
        for label, row in regrets.items()
        for i, regret in enumerate(row)
        if regret is not None
    )
    return Table(cells, pairs, {label: PolicyRow(TITLES[label], True) for label in regrets}, 1, {})


def scattered(mean, spread):
    """Ratios whose logarithms have this mean and standard deviation."""
    logs = np.resize([-1.0, 1.0], COUNT)
    return np.exp(np.log(mean) + spread * logs / logs.std(ddof=1))


def test_a_comparison_is_the_geometric_mean_of_ratios_on_common_pairs():
    made = table({"a": [1.0, 2.0, 9.0, 4.0], "b": [2.0, 4.0, None, 4.0]}, stuck={"a": [5, 0, 0, 0], "b": [0, 0, 0, 10]})
    one = compare(made, 100, "a", "b")
    assert (one.a, one.b, one.pairs, one.lower_on) == ("A", "B", 3, 2)
    np.testing.assert_allclose(one.ratio, 0.25 ** (1 / 3))
    half = 4.302653 * np.std(np.log([0.5, 0.5, 1.0]), ddof=1) / np.sqrt(3)
    np.testing.assert_allclose([one.low, one.high], one.ratio * np.exp([-half, half]), rtol=1e-6)
    np.testing.assert_allclose(one.stuck, (0.1 + 0.0 - 0.2) / 3)
    other = compare(made, 100, "b", "a")
    np.testing.assert_allclose([other.ratio, other.low, other.high], [1 / one.ratio, 1 / one.high, 1 / one.low])
    assert compare(made, 100, "a", "b", ["p3"]).ratio == 1.0
    with pytest.raises(PrimumError, match="not played on the same pair"):
        compare(made, 100, "a", "b", ["p2"])


@pytest.mark.parametrize(
    ("mean", "spread", "said"),
    [
        (0.8, 0.2, "A has lower regret"),
        (1.25, 0.2, "B has lower regret"),
        (0.8, 0.3, "no clear difference"),
        (1.25, 0.3, "no clear difference"),
        (1.0, 0.0, "no clear difference"),
    ],
)
def test_a_difference_is_stated_only_if_the_interval_excludes_one(mean, spread, said):
    """Eight pairs: the interval is mean * exp(+-2.365 / sqrt(8) * spread)."""
    one = compare(table({"a": list(scattered(mean, spread)), "b": [1.0] * COUNT}), 100, "a", "b")
    assert one.conclusion == said
    assert ("lower regret" in said) == (not one.low <= 1 <= one.high)


def test_few_pairs_and_regrets_of_zero_support_no_claim():
    few = compare(table({"a": [0.10, 0.11, 0.10, 0.11], "b": [1.0] * 4}), 100, "a", "b")
    assert few.pairs < FEW_PAIRS
    assert few.high < 1
    assert few.conclusion == "too few pairs"
    zero = compare(table({"a": [0.0] * COUNT, "b": [1.0] * COUNT}), 100, "a", "b")
    assert (zero.ratio, zero.lower_on, zero.interval, zero.conclusion) == (0.0, COUNT, "-", "no clear difference")


def test_a_policy_is_compared_with_all_that_share_pairs_with_it():
    made = table({"a": [1.0, 2.0, None], "b": [3.0, None, 1.0], "c": [None, None, 2.0]})
    assert [one.b for one in comparisons(made, 100, "a")] == ["B"]
    assert [one.b for one in comparisons(made, 100, "b")] == ["A", "C"]
    assert list(standing(made, 100, "a")) == ["3 pairs that no policy was tuned on"]
    some = table({"a": [1.0, 2.0], "b": [3.0, 1.0]}, tuned=[1])
    found = standing(some, 100, "a")
    assert {words: [one.pairs for one in ones] for words, ones in found.items()} == {
        "1 pair that no policy was tuned on": [1],
        "all 2 pairs": [2],
    }
    only_tuned = table({"a": [1.0, 2.0], "b": [3.0, 1.0]}, tuned=[0, 1])
    assert list(standing(only_tuned, 100, "a")) == ["all 2 pairs"]


def test_start_with_the_one_that_is_clearly_stuck_less_of_those_that_none_clearly_beats():
    regrets = {"a": list(scattered(1.0, 0.5)), "b": [1.0] * COUNT, "c": list(4 * scattered(1.0, 0.1))}
    often = [10, 12, 14, 16, 10, 12, 14, 16]
    found = recommendation(table(regrets, stuck={"b": often}), 100)
    assert found.is_one
    assert found.sentences == [
        "Start with A: on 8 pairs that no policy was tuned on, no policy for every value has clearly lower regret than "
        "A after 100 steps. The same is true of B, but it is stuck in more replications, by 26.0 percentage points "
        "(22.0 to 30.0).",
        "A does not clearly differ in regret from B (ratio 1.00, 0.66 to 1.52; lower on 4 of 8 pairs).",
    ]
    rarely = [0, 0, 0, 0, 0, 0, 0, 1]
    found = recommendation(table(regrets, stuck={"b": rarely}), 100)
    assert not found.is_one
    assert found.sentences[0] == (
        "The table names no single policy to start with: on 8 pairs that no policy was tuned on, no policy for every "
        "value has clearly lower regret than A or B after 100 steps."
    )


def test_a_policy_that_beats_all_is_recommended_whatever_it_does_on_pairs_it_was_tuned_on():
    regrets = {"a": [1.0] * 6 + [50.0] * 6, "b": [2.0, 3.0] * 3 + [0.1] * 6}
    found = recommendation(table(regrets, tuned=range(6, 12)), 100)
    assert found.sentences == [
        "Start with A: on 6 pairs that no policy was tuned on, no policy for every value has clearly lower regret than "
        "A after 100 steps."
    ]
    assert recommendation(table(regrets, tuned=range(4, 12)), 100) is None, "too few pairs"


def test_a_value_under_which_others_have_lower_regret_is_named():
    regrets = {"a": [1.0] * 16, "b": [0.5, 30.0, 0.6, 30.0] * 4}
    found = recommendation(table(regrets, families=("Mean", "CVaR"), stuck={"b": [5 + i % 3 for i in range(16)]}), 100)
    assert found.first == "A"
    assert list(found.exceptions) == ["Under mean"]
    assert found.sentences[-1].startswith("Under mean, A has higher regret than B (ratio ")


def test_no_sentence_of_the_kept_table_claims_more_than_its_interval():
    kept = arena.kept()
    horizon = arena.main_horizon(kept)
    found = recommendation(kept, horizon)
    general = [label for label, row in kept.policies.items() if row.is_general]
    titles = {kept.policies[label].title: label for label in general}
    played = set(kept.at(horizon)["policy"])
    against = {
        (a, b): compare(kept, horizon, a, b, kept.untuned)
        for a, b in itertools.permutations([label for label in general if label in played], 2)
    }
    first = titles[found.first]
    assert not any(one.is_higher for (a, _), one in against.items() if a == first)
    assert all(one.stuck_high < 0 for one in found.others)
    assert {one.b for one in found.alike} == {
        kept.policies[b].title for (a, b), one in against.items() if a == first and one.low <= 1 <= one.high
    }
    text = " ".join(found.sentences)
    for one in found.alike:
        assert f"{one.b} ({one.numbers})" in text
    for ones in found.exceptions.values():
        assert all(one.low > 1 for one in ones)
    between = compare(kept, horizon, "two-keys", "besa-plus", kept.untuned)
    assert (round(between.ratio, 2), between.lower_on, between.pairs) == (0.96, 16, 32)
    assert between.conclusion == "no clear difference"
