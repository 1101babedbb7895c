"""How jobs are cut into slices."""

from __future__ import annotations

import pytest

from primum.lab.http.schemas import Cost
from primum.lab.jobs.buffer import PullBuffer
from primum.lab.jobs.job import FIRST_SLICE_SECONDS, SLICE_SECONDS, SLOWDOWN_FACTOR, Job
from primum.runs.pieces import ExperimentPieces
from primum.store import Store

from .questions import question

ESTIMATED = 0.01  # seconds of a replication


@pytest.fixture
def job(tmp_path):
    asked = question(replications=1000)
    experiment = asked.experiment()
    cost = Cost(seconds=1000 * ESTIMATED, limit=600, memory=1, fits=True, sentence="")
    return Job("id", asked, cost, PullBuffer(experiment), ExperimentPieces(experiment, Store(tmp_path)), 0.0)


def played(job, seconds):
    """The next slice, of which each replication took so long."""
    slice = job.take(0.0)
    slice.seconds = len(slice.numbers) * seconds
    job.mark(slice)
    job.slices.remove(slice)
    return len(slice.numbers)


def test_the_first_is_short_and_the_others_follow_what_is_measured(job):
    assert played(job, ESTIMATED / 2) == round(FIRST_SLICE_SECONDS / ESTIMATED)
    assert played(job, ESTIMATED / 2) == round(SLICE_SECONDS / (ESTIMATED / 2))


def test_on_a_busy_machine_they_do_not_shrink_to_nothing(job):
    played(job, 100 * ESTIMATED)
    assert played(job, 100 * ESTIMATED) == int(SLICE_SECONDS / (SLOWDOWN_FACTOR * ESTIMATED))


def test_a_replication_is_the_least(job):
    job.cost = job.cost.model_copy(update={"seconds": 1e6})
    assert [played(job, 1000) for _ in range(3)] == [1, 1, 1]
