"""The desk: equal questions share a run, what is shown is exact, and nothing piles up."""

from __future__ import annotations

import asyncio
import itertools
import threading
from dataclasses import dataclass

import numpy as np
import pytest

from primum import rewards
from primum.experiments import pieces
from primum.lab.drafts.cost import estimate
from primum.lab.http.schemas import Question
from primum.lab.jobs import manager as desks
from primum.lab.jobs import scheduler
from primum.lab.jobs.job import GOING
from primum.lab.jobs.manager import Desk, Full, Limits, NothingYet, TooCostly, Unknown, id_of
from primum.store import Store

ARMS = [{"name": "old", "distribution": "constant(value=0.4)"}, {"name": "new", "distribution": "uniform"}]


def asked(**changes):
    given = {"arms": ARMS, "value": "mean", "policies": ["besa-plus", "ucb1"], "horizon": 60, "replications": 12}
    return Question(**(given | changes))


LARGE = asked(horizon=20_000, replications=2000)  # half a minute of work, of which no test needs more than a second


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make(tmp_path, clock):
    """Desks on the same folders, one after another as after a restart."""
    made = []

    def new(**options):
        made.append(Desk(Store(tmp_path / "store"), Store(tmp_path / "questions"), clock=clock, **options))
        return made[-1]

    yield new
    for desk in made:
        desk.close()


@pytest.fixture
def desk(make):
    return make()


def followed(desk, id, until=lambda run: False):
    """The statuses of a run, up to the first that is looked for or the last."""

    async def follow():
        runs = []
        async for run in desk.watch(id):
            runs.append(run)
            if until(run):
                break
        return runs

    return asyncio.run(follow())


def shown(run):
    return run.replications > 0


def finished(desk, question):
    run = followed(desk, desk.submit(question).id)[-1]
    assert run.state == "finished", run.sentence
    return desk.results(run.id)


class Gate:
    """Holds every slice at its beginning, until it is opened."""

    def __init__(self, monkeypatch):
        self.open = threading.Event()
        self.reached = threading.Semaphore(0)
        simulate = scheduler.simulate

        def held(*arguments, **options):
            self.reached.release()
            assert self.open.wait(60)
            return simulate(*arguments, **options)

        monkeypatch.setattr(scheduler, "simulate", held)


@pytest.fixture
def gate(monkeypatch, make):  # made after the desks' fixture, so that it opens before they close
    gate = Gate(monkeypatch)
    yield gate
    gate.open.set()


def test_results_are_those_of_the_experiment(desk):
    question = asked(replications=700)
    assert finished(desk, question) == question.experiment().run(progress=False)
    run = desk.status(id_of(question))
    assert (run.replications, run.of, run.share, run.sentence) == (700, 700, 1.0, "700 of 700 replications")


def test_what_is_shown_meanwhile_is_a_prefix_and_is_made_once(desk):
    id = desk.submit(LARGE).id
    assert followed(desk, id, shown)[-1].state == "running"
    results = desk.results(id)
    count = len(results.replications)
    assert 0 < count < 2000
    assert results.replications.tolist() == list(range(count))
    assert results.requested == 2000
    shorter = LARGE.experiment(count).run(progress=False)
    assert np.array_equal(results.pulls, shorter.pulls)
    desk.cancel(id)
    assert desk.results(id) is desk.results(id)


def test_cancelling_keeps_what_is_complete(desk):
    id = desk.submit(LARGE).id
    with pytest.raises(NothingYet):
        desk.results(id)
    followed(desk, id, shown)
    run = desk.cancel(id)
    assert run.state == "cancelled"
    assert run.sentence == f"cancelled after {run.replications:,} of 2,000 replications"
    assert desk.status(id) == run == desk.cancel(id)
    assert np.array_equal(desk.results(id).pulls, LARGE.experiment(run.replications).run(progress=False).pulls)
    assert desk.experiment(id) == LARGE.experiment(run.replications)
    assert desk.submit(LARGE).state in GOING, "it is started again"


def test_a_replication_that_is_cancelled_stops_in_its_middle(desk, monkeypatch):
    simulate, played = scheduler.simulate, []
    monkeypatch.setattr(scheduler, "simulate", lambda *given, **options: played.append(simulate(*given, **options)))
    id = desk.submit(asked(horizon=150_000, policies=["npts"], replications=1)).id
    followed(desk, id, lambda run: run.share > 0)
    desk.cancel(id)
    desk.close()  # waits for the threads
    assert [len(results.replications) for results in played] == [0]


def test_equal_questions_share_a_run(desk, gate):
    first, second = desk.submit(asked()), desk.submit(asked())
    assert first.id == second.id
    assert desk.load()["runs"] == 1
    assert desk.submit(asked(title="another")).id != first.id


def test_another_title_finds_the_results_in_the_store(desk, monkeypatch):
    results = finished(desk, asked())
    monkeypatch.setattr(scheduler, "simulate", None)
    run = desk.submit(asked(title="another"))
    assert run.state == "finished"
    assert desk.results(run.id) == results
    assert desk.question(run.id).title == "another"


def test_many_threads_ask_at_once(desk):
    questions = [asked(seed=i % 5) for i in range(30)]
    runs = []
    threads = [threading.Thread(target=lambda one=one: runs.append(desk.submit(one))) for one in questions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {run.id for run in runs} == {id_of(question) for question in questions[:5]}
    for question in questions[:5]:
        assert finished(desk, question) == question.experiment().run(progress=False)


def test_a_small_run_is_not_held_up_by_long_replications(make, monkeypatch):
    desk = make(threads=1)
    simulate, entered, release = scheduler.simulate, threading.Event(), threading.Event()

    def slow(problem, policies, **options):
        if options["horizon"] == LARGE.horizon:
            entered.set()
            assert release.wait(60)
        return simulate(problem, policies, **options)

    monkeypatch.setattr(scheduler, "simulate", slow)
    monkeypatch.setattr(scheduler, "EXPRESS", 0.001)  # so that a replication of the large run counts as long
    large = desk.submit(LARGE).id
    assert entered.wait(60)
    assert len(finished(desk, asked()).replications) == 12
    assert desk.status(large).replications == 0
    desk.cancel(large)
    release.set()


def test_a_small_run_goes_on_when_a_long_replication_begins(make, monkeypatch):
    desk = make(threads=1)
    simulate, submitted, entered, release = scheduler.simulate, threading.Event(), threading.Event(), threading.Event()

    def slow(problem, policies, **options):
        if options["horizon"] == LARGE.horizon:
            entered.set()
            assert release.wait(60)
        elif options["replications"].start > 0:
            assert submitted.wait(60)
        return simulate(problem, policies, **options)

    monkeypatch.setattr(scheduler, "simulate", slow)
    monkeypatch.setattr(scheduler, "EXPRESS", 0.001)
    small = desk.submit(asked(replications=60_000)).id
    followed(desk, small, shown)
    large = desk.submit(LARGE).id
    submitted.set()
    assert entered.wait(60)
    assert followed(desk, small)[-1].state == "finished", "the only other thread is at the long one"
    desk.cancel(large)
    release.set()


def test_the_run_with_the_least_work_is_next(make, monkeypatch):
    """On one thread, a run that starts later is finished before one that has had more."""
    desk = make(threads=1)
    simulate, release = scheduler.simulate, threading.Event()

    def slow(problem, policies, **options):
        if options["replications"].start > 1000:  # the last part of the large run
            assert release.wait(60)
        return simulate(problem, policies, **options)

    monkeypatch.setattr(scheduler, "simulate", slow)
    large = desk.submit(LARGE).id
    followed(desk, large, shown)
    finished(desk, asked(replications=700))
    assert desk.status(large).state == "running"
    release.set()


def test_a_run_that_takes_far_longer_than_expected_is_stopped(make, monkeypatch):
    monkeypatch.setattr(desks, "estimate", lambda question, limits: estimate(question, Limits()))
    monkeypatch.setattr(desks, "PATIENCE", 0.3)
    run = followed(desk := make(limits=Limits(seconds=1)), desk.submit(LARGE).id)[-1]
    assert run.state == "failed"
    assert "far more than was expected" in run.sentence


def test_questions_that_are_refused_are_not_kept(make):
    desk = make(limits=Limits(seconds=1e-6))
    with pytest.raises(TooCostly):
        desk.submit(asked())
    with pytest.raises(Unknown):
        desk.question(id_of(asked()))


def test_questions_that_cannot_be_written_are_run_all_the_same(desk, tmp_path, caplog):
    (tmp_path / "questions").write_text("a file where the folder should be")
    assert len(finished(desk, asked()).replications) == 12
    assert desk.question(id_of(asked())) == asked()
    assert "will not survive a restart" in caplog.text


def test_a_run_that_nobody_looks_at_is_dropped(desk, clock):
    id = desk.submit(LARGE).id
    followed(desk, id, shown)
    clock.now += scheduler.GRACE
    assert desk.status(id).state == "running"
    clock.now += scheduler.GRACE
    assert desk.status(id).state == "running", "the last look was a sign of life"
    clock.now += scheduler.GRACE + 1
    desk._rota.drop_abandoned()
    run = desk.status(id)
    assert (run.state, run.replications) == ("unstarted", 0)
    assert desk.load()["runs"] == 0
    with pytest.raises(NothingYet):
        desk.results(id)


def test_a_watched_run_is_not_dropped(desk, clock):
    id = desk.submit(LARGE).id

    async def watch():
        watching = desk.watch(id)
        await anext(watching)
        clock.now += 10 * scheduler.GRACE
        desk._rota.drop_abandoned()
        assert desk.load() == {"runs": 1, "waiting": desk.load()["waiting"], "watchers": 1}
        await watching.aclose()
        assert desk.load()["watchers"] == 0
        desk._rota.drop_abandoned()
        assert desk.load()["runs"] == 1, "the end of a watch is a sign of life"

    asyncio.run(watch())


def test_a_run_that_others_watch_is_not_cancelled(desk):
    id = desk.submit(LARGE).id

    async def watch():
        mine, other = desk.watch(id), desk.watch(id)
        await anext(mine), await anext(other)
        run = desk.cancel(id)
        assert run.state in GOING
        assert run.sentence == "it goes on, because others follow it too"
        await other.aclose()
        assert desk.cancel(id).state == "cancelled"
        assert [run.state async for run in mine][-1] == "cancelled"

    asyncio.run(watch())


def test_a_full_desk_says_when_to_try_again(make, gate):
    desk = make(limits=Limits(runs=2))
    for seed in (1, 2):
        assert desk.submit(asked(seed=seed)).state in GOING
    with pytest.raises(Full, match="the laboratory is full: 2 at work; try again in 1 s") as full:
        desk.submit(asked(seed=3))
    assert full.value.retry_after == 1
    assert desk.submit(asked(seed=2)).state in GOING, "to join is always possible"
    gate.open.set()
    followed(desk, id_of(asked(seed=1)))
    followed(desk, id_of(asked(seed=2)))
    finished(desk, asked(seed=3))


def test_memory_is_a_limit_too(make, gate):
    memory = 4 * 2 * 12 * 60 * 2  # of one such run
    desk = make(limits=Limits(memory=8 * memory))
    for seed in range(8):
        desk.submit(asked(seed=seed))
    with pytest.raises(Full):
        desk.submit(asked(seed=8))
    with pytest.raises(TooCostly, match="records .* the limit of"):
        desk.submit(asked(replications=13))


def test_a_run_that_costs_too_much_is_refused(make):
    desk = make(limits=Limits(seconds=0.5))
    with pytest.raises(
        TooCostly, match="this run needs about .* of processor time, .* times the limit of 1 s; it would"
    ):
        desk.submit(LARGE)


def test_a_restart_serves_what_is_finished(make, monkeypatch):
    desk = make()
    results = finished(desk, asked())
    large = desk.submit(LARGE).id
    desk.close()
    monkeypatch.setattr(scheduler, "simulate", None)
    again = make()
    assert again.status(id_of(asked())).state == "finished"
    assert again.results(id_of(asked())) == results
    assert again.question(large) == LARGE
    assert again.status(large).state == "unstarted"
    assert [run.state for run in followed(again, large)] == ["unstarted"]
    with pytest.raises(NothingYet):
        again.results(large)
    with pytest.raises(Unknown, match="no run has the id 'f00'"):
        again.status("f00")


def test_a_run_goes_on_with_the_pieces_that_are_in_the_store(make, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_STEPS", 60 * 2 * 5)  # five replications in a piece
    question, store = asked(replications=23), make()._store
    pieces.run(question.experiment(10), store)
    damaged = store._path(next(path.name for path in store.folder.rglob("*") if path.is_file()))
    damaged.write_bytes(b"damaged")
    played, simulate = [], scheduler.simulate

    def counted(*arguments, **options):
        played.extend(options["replications"])
        return simulate(*arguments, **options)

    monkeypatch.setattr(scheduler, "simulate", counted)
    assert finished(make(), question) == question.experiment().run(progress=False)
    assert len(played) == len(set(played)) == 18
    monkeypatch.setattr(scheduler, "simulate", None)
    assert pieces.run(question.experiment(), store, lambda piece: pytest.fail("all is in the store"))


def test_a_damaged_piece_of_a_finished_run_is_computed_again(make, tmp_path):
    results = finished(make(), asked())
    for path in (tmp_path / "store").rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged")
    desk = make()
    assert desk.status(id_of(asked())).state == "unstarted"
    assert finished(desk, asked()) == results


def test_a_store_that_cannot_be_written_is_said_and_the_results_are_there(desk, monkeypatch, tmp_path):
    (tmp_path / "store").write_text("a file where the folder should be")
    results = finished(desk, asked())
    assert len(results.replications) == 12
    assert "not kept, so a restart" in desk.status(id_of(asked())).sentence


@pytest.mark.usefixtures("fresh_registry")
@pytest.mark.parametrize("error", [RuntimeError("not in the mood"), desks.PrimumError("not in the mood")])
def test_a_plugin_that_raises_fails_its_run_only(desk, error, caplog):
    @dataclass(frozen=True)
    class Moody(rewards.RewardDistribution):
        """Raises while it is played, and not before."""

        support = (0.0, 1.0)

        def quantile(self, u):
            if threading.current_thread() is not threading.main_thread():
                raise error
            return np.asarray(u, np.float64)

    arms = [ARMS[0], {"name": "moody", "distribution": Moody()}]
    id = desk.submit(asked(arms=arms)).id
    run = followed(desk, id)[-1]
    is_ours = isinstance(error, desks.PrimumError)
    assert (run.state, run.sentence) == ("failed", "not in the mood" if is_ours else "RuntimeError: not in the mood")
    assert bool(caplog.records) != is_ours, "what nobody foresaw is in the log"
    assert finished(desk, asked()) is not None, "the threads go on"


def test_rewards_that_a_policy_is_not_made_for_are_refused_at_once(desk):
    arms = [{"name": "a", "distribution": "uniform(low=-2, high=3)"}]
    with pytest.raises(desks.PrimumError, match="needs rewards in"):
        desk.submit(asked(arms=arms, policies=["thompson"]))


def test_many_runs_leave_little_behind(make, monkeypatch):
    monkeypatch.setattr(desks, "MOST_RECENT", 7)
    desk = make()
    for seed in range(25):
        desk.submit(asked(seed=seed, replications=1, horizon=5))
    for seed in range(25):
        finished(desk, asked(seed=seed, replications=1, horizon=5))
    assert len(desk._recent) <= 7
    assert desk.load() == {"runs": 0, "waiting": 0, "watchers": 0}
    monkeypatch.setattr(desk._recent, "room", 1)
    finished(desk, asked())
    assert len(desk._recent) == 1, "the last one is kept, however large"


def test_watching_tells_each_change_once(desk):
    runs = followed(desk, desk.submit(asked(replications=500)).id)
    assert all(before != after for before, after in itertools.pairwise(runs))
    assert [run.share for run in runs] == sorted(run.share for run in runs)
    assert all(run.state in GOING for run in runs[:-1])
    assert all(0 <= run.replications <= run.of == 500 for run in runs)


def test_time_that_passes_is_no_news(desk, gate, monkeypatch):
    id = desk.submit(asked()).id
    run = desk.status(id).model_copy(update={"state": "running"})
    moved = [(0.1, 9.0), (0.1, 8.9), (0.1, 8.8), (0.2, 8.7)]
    told = [run.model_copy(update={"share": share, "seconds_left": left}) for share, left in moved]
    reports = iter([*told, run.model_copy(update={"state": "finished"})])
    monkeypatch.setattr(desk._rota, "report", lambda work: next(reports))
    assert [run.share for run in followed(desk, id)[:-1]] == [0.1, 0.2]


def test_waiting_is_said(make, gate):
    desk = make(threads=1)
    for seed in (1, 2):
        desk.submit(asked(seed=seed))
        assert gate.reached.acquire(timeout=60)
    run = desk.submit(asked(seed=3))
    assert (run.state, run.sentence, run.seconds_left) == ("waiting", "waiting for 2 others", None)


def test_time_left_follows_from_the_rate(desk, clock):
    id = desk.submit(LARGE).id
    assert followed(desk, id, shown)[-1].seconds_left is None, "no time has gone by on this clock"
    clock.now += 3
    run = desk.status(id)
    assert run.seconds_left == pytest.approx(3 / run.share - 3)
