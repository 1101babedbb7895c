"""How runs are cut into slices."""

from __future__ import annotations

import pytest

from primum.experiments.pieces import Pieces
from primum.lab.http.schemas import Cost
from primum.lab.jobs.buffer import Sheet
from primum.lab.jobs.job import FIRST, SLICE, SLOWER, Work
from primum.store import Store

from .questions import question

ESTIMATED = 0.01  # seconds of a replication


@pytest.fixture
def work(tmp_path):
    asked = question(replications=1000)
    experiment = asked.experiment()
    cost = Cost(seconds=1000 * ESTIMATED, limit=600, memory=1, fits=True, sentence="")
    return Work("id", asked, cost, Sheet(experiment), Pieces(experiment, Store(tmp_path)), 0.0)


def played(work, seconds):
    """The next slice, of which each replication took so long."""
    slice = work.take(0.0)
    slice.seconds = len(slice.numbers) * seconds
    work.mark(slice)
    work.flying.remove(slice)
    return len(slice.numbers)


def test_the_first_is_short_and_the_others_follow_what_is_measured(work):
    assert played(work, ESTIMATED / 2) == round(FIRST / ESTIMATED)
    assert played(work, ESTIMATED / 2) == round(SLICE / (ESTIMATED / 2))


def test_on_a_busy_machine_they_do_not_shrink_to_nothing(work):
    played(work, 100 * ESTIMATED)
    assert played(work, 100 * ESTIMATED) == int(SLICE / (SLOWER * ESTIMATED))


def test_a_replication_is_the_least(work):
    work.cost = work.cost.model_copy(update={"seconds": 1e6})
    assert [played(work, 1000) for _ in range(3)] == [1, 1, 1]
