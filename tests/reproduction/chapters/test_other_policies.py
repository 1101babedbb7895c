"""The rules that look at all problems can give each verdict; the evidence here is made up."""

from __future__ import annotations

import numpy as np
import pytest

from primum.errors import PrimumError
from primum.policies import BesaPlus, Npts, Ucb1
from reproduction.chapters.other_policies import figures, rules
from reproduction.judgement import FAILS, HOLDS, UNDECIDED, verdict
from tests.reproduction.chapters.made_up import named

LESS, SAME, MORE = (-2.0, -3.0, -1.0), (0.1, -1.0, 1.2), (2.0, 1.0, 3.0)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([LESS] * 6 + [MORE] * 3 + [SAME], HOLDS),
        ([LESS] * 3 + [MORE] * 6 + [SAME], FAILS),
        ([LESS] * 4 + [MORE] * 3 + [SAME] * 3, UNDECIDED),
        ([LESS] * 5 + [MORE] * 5, FAILS),
    ],
)
def test_in_most_cases(differences, expected):
    assert verdict(rules.mostly_better(dict(enumerate(differences)))) == expected


def test_a_difference_without_an_interval_is_an_error():
    with pytest.raises(PrimumError, match="must be a number with an interval"):
        rules.mostly_better({"one": LESS, "other": (0.0, np.nan, np.nan)})


@pytest.mark.parametrize(
    ("greedy", "boltzmann", "expected"),
    [
        ([LESS, LESS, MORE], [LESS, SAME, LESS], HOLDS),
        ([LESS, SAME, MORE], [LESS, SAME, LESS], UNDECIDED),
        ([LESS, MORE, MORE], [MORE, SAME, MORE], FAILS),
        ([SAME, SAME, SAME], [MORE, SAME, MORE], FAILS),
    ],
)
def test_better_than_ucb1(greedy, boltzmann, expected):
    problems = {
        i: {"epsilon-greedy": a, "boltzmann": b} for i, (a, b) in enumerate(zip(greedy, boltzmann, strict=True))
    }
    assert verdict(rules.better_than_ucb1(problems)) == expected


def made_up(**means):
    """Ten environments of four replications each, with a little noise."""
    noise = np.random.default_rng(3).standard_normal((10, 4))
    noise -= noise.mean()
    return named(**{name: mean + noise + 0.1 * i for i, (name, mean) in enumerate(means.items())})


def test_ranks_and_losses():
    first = made_up(besa_plus=20.0, npts=10.0, ucb1=40.0)
    second = made_up(besa_plus=20.0, npts=30.0, marab=25.0)
    problems = {"first": first, "second": second}
    assert list(figures.mean_ranks(problems).items()) == [
        ("besa-plus", 1.5),
        ("npts", 2.0),
        ("marab", 2.0),
        ("ucb1", 3.0),
    ]
    ranks, _, differences, *_ = figures.figures(problems, {"first": {}}, {})
    assert ranks.rows[1] == (Npts.title, "2.0", "1 (10.1)", "3 (30.1)")
    told = list(figures.lower_than_besa_plus(problems))
    assert f"; {Npts.title} (10.1 [" in told[0]
    assert told[0].endswith(") has clearly lower regret.")
    assert Ucb1.title not in told[0]
    assert told[1].endswith("no policy has clearly lower regret.")
    table = {row[0]: row[1:] for row in differences.rows}
    assert BesaPlus.title not in table
    assert table[Ucb1.title][1] == ""
