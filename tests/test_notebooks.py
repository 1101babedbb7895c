"""What notebooks show of objects: tables, in which no text becomes markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from primum import Player, Problem, Study, policies, rewards, trials, values

EVIL = "<script>alert('&')</script>"
ARMS = {EVIL: rewards.Constant(0.4), "new": rewards.Bernoulli(0.5)}
PROBLEM = Problem(ARMS, values.CVaR(0.2))


def player():
    made = Player(policies.Ucb1(), values.Mean(), arms=list(ARMS), seed=1)
    made.tell(made.ask(), 1)
    made.ask()
    return made


SHOWN = {
    "problem": (PROBLEM, ["Problem by CVaR 20 %", "constant 0.4", "0.4", "Bernoulli(0.5)"]),
    "study": (
        Study(problems={EVIL: PROBLEM}, policies={EVIL: "ucb1"}, horizon=100, replications=9, seed=7),
        ["Study of 1 experiment", "100", "9", "7"],
    ),
    "design": (
        trials.Design(arms=list(ARMS), patients=40, policy="thompson", looks=[0.5, 1.0], stopping="group-sequential"),
        ["Design", "40", "Thompson sampling", "0.5, 1.0", "Group sequential"],
    ),
    "player": (player(), ["Player: UCB1 by mean, seed 1", "Outcomes awaited"]),
}


class Reader(HTMLParser):
    """Tags and texts of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.texts = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.texts.append(data)


def read(shown):
    reader = Reader()
    reader.feed(shown._repr_html_())
    return reader


@pytest.mark.parametrize(("shown", "texts"), SHOWN.values(), ids=SHOWN)
def test_text_is_shown_and_escaped(shown, texts):
    reader = read(shown)
    assert reader.tags <= {"table", "caption", "tr", "td", "th"}
    assert any(EVIL in text for text in reader.texts)
    for text in texts:
        assert any(text in found for found in reader.texts), reader.texts


def test_numbers_of_a_player_add_up():
    numbers = [int(text) for text in read(player()).texts if re.fullmatch(r"\d+", text)]
    assert sorted(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)) == [(1, 0, 1), (1, 1, 0)]


def test_a_problem_without_true_values_says_why():
    texts = read(Problem({"new": rewards.Scipy("cauchy")}, "mean")).texts
    assert "cauchy has no finite mean" in texts[0]
    assert "cauchy" in texts


def test_many_arms_are_cut():
    arms = {f"arm {k}": rewards.Constant(k) for k in range(100)}
    texts = read(Problem(arms, "mean")).texts
    assert texts[-1] == "... 80 more"
    assert len(texts) < 50
