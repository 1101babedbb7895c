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


def test_every_number_and_table_is_that_of_the_kept_table(script):
    text = script.PAGE.read_text()
    assert script.filled(text, arena.kept()) == text, "run docs/which_policy.py"


def test_the_recommendation_states_no_number_that_is_not_checked(script):
    text = script.PAGE.read_text()
    short = text[text.index("## In short") : text.index("## How the table is made")]
    assert len(script.NUMBER.findall(short)) >= 3
    unchecked = re.sub(r"\[0, 1\]|[\d,]+ steps", "", script.NUMBER.sub("", short))
    assert not re.search(r"\d", unchecked)


def test_every_figure_of_the_page_is_there(script):
    names = set(script.FIGURE.findall(script.PAGE.read_text()))
    assert {path.stem for path in script.FOLDER.iterdir()} == names


def test_a_number_is_that_of_its_scope(script):
    table = arena.kept()
    summary = table.summary(1000, table.of_class("Ties")).set_index("policy")
    place = "<!-- n worst | besa-plus | Ties | 1000 -->old<!-- /n -->"
    assert script.filled(place, table) == place.replace("old", f"{summary.loc['besa-plus', 'worst']:.3g}")
