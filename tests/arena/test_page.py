"""The page "Which policy?" says what the kept table says."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from primum import arena

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("which_policy", ROOT / "docs" / "which_policy.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["docs/which-policy.md", "docs/two-keys.md", "README.md"])
def test_every_number_and_table_is_that_of_the_kept_table(script, name):
    page = ROOT / name
    assert page in script.PAGES
    text = page.read_text()
    assert script.filled(text, arena.kept()) == text, "run docs/which_policy.py"


def in_short(script):
    text = script.PAGE.read_text()
    return text[text.index("## In short") : text.index("## How the table is made")]


def by_hand(script, text):
    """What no table writes, and no code prints."""
    printed = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
    for pattern in (script.BLOCK, script.COMPARISON, script.NUMBER, printed):
        text = pattern.sub("", text)
    return text


def test_the_recommendation_states_no_number_that_is_not_checked(script):
    short = in_short(script)
    assert len(script.NUMBER.findall(short)) >= 3
    unchecked = re.sub(r"\[0, 1\]|[\d,]+ steps|level 95 %|excludes [01]|below 1", "", by_hand(script, short))
    assert not re.search(r"\d", unchecked)


def test_no_sentence_written_by_hand_says_that_a_policy_is_better(script):
    """That is left to the intervals. README and the page of Two keys say it in other words, and not of the arena."""
    for text in (in_short(script), (ROOT / "README.md").read_text(), (ROOT / "docs" / "two-keys.md").read_text()):
        for said in ("nearly everywhere", "hardly ever stuck", "has the lowest", "Start with", "clearly the best"):
            assert said not in by_hand(script, text)
    claims = r"\b(better|best|worse|lowest|least|fewer|wins?|beats?|outperforms?)\b"
    for sentence in re.split(r"(?<=[.:])\s", by_hand(script, in_short(script))):
        if re.search(claims, sentence):
            assert "policy" in sentence or "sure arm" in sentence, f"a claim of no interval: {sentence}"


def test_pairs_without_tuning_come_first_wherever_both_halves_are_shown(script):
    table = arena.kept()
    for name in ("general", "compared", "by value"):
        shown = re.findall(r"that (no policy|Two keys) was tuned on", script.TABLES[name](table))
        assert shown[::2] == ["no policy"] * len(shown[::2])
        assert shown[1::2] == ["Two keys"] * len(shown[1::2])
        assert len(shown) >= 2
    header = script.TABLES["by horizon"](table).splitlines()[0]
    assert header.index("33 untuned") < header.index("34 tuned") < header.index("4 of them tuned")


def test_a_comparison_says_what_its_interval_supports(script):
    table = arena.kept()
    place = "<!-- c two-keys | besa-plus | {} | 10000 -->old<!-- /c -->"
    for scope, said in {
        "untuned": "no clear difference (ratio 0.96, 0.53 to 1.74; lower on 16 of 32 pairs)",
        "Mean-variance, untuned": "BESA+ has lower regret (ratio 3.20, 1.44 to 7.13; lower on 0 of 7 pairs)",
        "CVaR, untuned": "too few pairs (ratio 0.65, 0.01 to 29.61; lower on 3 of 4 pairs)",
    }.items():
        given = place.format(scope)
        assert script.filled(given, table) == given.replace("old", said)


def test_every_figure_of_the_page_is_there(script):
    names = set(script.FIGURE.findall(script.PAGE.read_text()))
    assert {path.stem for path in script.FOLDER.iterdir()} == names


def test_a_number_is_that_of_its_scope(script):
    table = arena.kept()
    summary = table.summary(1000, table.of_class("Ties")).set_index("policy")
    place = "<!-- n worst | besa-plus | Ties | 1000 -->old<!-- /n -->"
    assert script.filled(place, table) == place.replace("old", f"{summary.loc['besa-plus', 'worst']:.3g}")
