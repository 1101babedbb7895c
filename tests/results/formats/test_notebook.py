"""Results in a notebook: title, settings and table, with no text that a browser takes for tags."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from primum import Problem, Results, Study, policies, rewards, values
from primum.runs.studies import results as study_results
from tests.stopping import nothing_complete

HOSTILE = "<script>alert('1')</script>&amp;"
ARMS = {HOSTILE: rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.5)}
PROBLEM = Problem(ARMS, values.Mean())


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(re.sub(r"<style scoped>.*?</style>", "", page, flags=re.DOTALL))

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def results(replications=3, requested=None):
    players = policies.Ucb1(), policies.BesaPlus()
    pulls = np.full((2, replications, 1, 2), 5)
    return Results(PROBLEM, players, 10, 7, [10], range(replications), pulls, requested=requested)


def study(folder, **options):
    problems = {HOSTILE: PROBLEM, "other": Problem(ARMS, values.CVaR(0.6))}
    given = {"problems": problems, "policies": ["ucb1", "besa"], "horizon": 20, "replications": 3, "seed": 7} | options
    return Study(**given).run(store=folder, progress=False)


def test_results_have_title_settings_and_summary():
    page = Page(results()._repr_html_())
    assert "Results after 10 steps" in page.text
    assert f"arms: {HOSTILE}, gamble; value: mean; replications: 3; seed: 7; made by: Primum " in page.text
    for told in ("ucb1", "besa-plus", "regret_mean", "stuck_share"):
        assert told in page.text
    assert page.tags.count("table") == 1
    assert "script" not in page.tags


def test_a_stopped_run_says_so():
    assert "replications: 3 of 9;" in Page(results(requested=9)._repr_html_()).text
    none = Page(results(0, 9)._repr_html_())
    assert "replications: 0 of 9;" in none.text
    assert "table" not in none.tags


def test_many_arms_do_not_fill_the_page():
    arms = {f"arm number {i}": rewards.Bernoulli(0.5) for i in range(5000)}
    many = Results(Problem(arms, values.Mean()), [policies.Ucb1()], 1, 7, [1], [0], np.eye(1, 5000)[None, None])
    assert len(many._repr_html_()) < 5000


def test_a_study_has_its_dimensions_and_table(tmp_path):
    page = Page(study(tmp_path, title=HOSTILE)._repr_html_())
    assert page.text.startswith(HOSTILE)
    assert f"problem: {HOSTILE} and other; experiments: 2; seed: 7" in page.text
    assert "stopped" not in page.text
    assert page.tags.count("table") == 1
    assert page.tags.count("tr") == 1 + 4
    assert "script" not in page.tags


def test_a_large_study_is_not_read(tmp_path, monkeypatch):
    found = study(tmp_path)
    assert "Results of a study" in found._repr_html_()
    monkeypatch.setattr(study_results, "MOST_SHOWN", 1)
    monkeypatch.setattr(found, "table", lambda: pytest.fail("all experiments are read"))
    page = Page(found._repr_html_())
    assert "table() has a row for each experiment and policy." in page.text
    assert "table" not in page.tags


def test_a_study_of_which_nothing_is_complete(tmp_path):
    found = nothing_complete(study(tmp_path).study)
    page = Page(found._repr_html_())
    assert "state: stopped before all was complete" in page.text
    assert "no replication of any experiment is complete" in page.text
