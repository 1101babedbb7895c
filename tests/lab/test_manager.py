"""The manager: equal questions share a run, what is shown is exact, and nothing piles up."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

from primum import rewards
from primum.errors import PrimumError
from primum.lab import shared_arms
from primum.lab.drafts.cost import estimate
from primum.lab.http import run_routes
from primum.lab.http.schemas import Question
from primum.lab.jobs import manager as managers
from primum.lab.jobs import scheduler
from primum.lab.jobs.archive import array_bytes
from primum.lab.jobs.buffer import PullBuffer
from primum.lab.jobs.job import ACTIVE_STATES
from primum.lab.jobs.limits import Limits, ShareUsedUp, TooCostly, Unavailable
from primum.lab.jobs.manager import JobManager, NothingYet, UnknownRun, id_of
from primum.runs import pieces, runner
from primum.store import Store
from primum.store.lru_cache import LruCache
from tests.clocks import Clock

ARMS = [{"name": "old", "distribution": "constant(value=0.4)"}, {"name": "new", "distribution": "uniform"}]


def asked(**changes):
    given = {"arms": ARMS, "value": "mean", "policies": ["besa-plus", "ucb1"], "horizon": 60, "replications": 12}
    return Question(**(given | changes))


LARGE = asked(horizon=20_000, replications=2000)  # half a minute of work, of which no test needs more than a second


@pytest.fixture
def clock():
    return Clock(0.0)


@pytest.fixture
def make(tmp_path, clock):
    """Managers on the same folders, one after another as after a restart."""
    made = []

    def new(**options):
        made.append(JobManager(Store(tmp_path / "store"), Store(tmp_path / "questions"), clock=clock, **options))
        return made[-1]

    yield new
    for manager in made:
        manager.close()


@pytest.fixture
def manager(make):
    return make()


def followed(manager, id, until=lambda run: False):
    """The statuses of a run, up to the first that is looked for or the last."""

    async def follow():
        runs = []
        async for run in manager.follow(id):
            runs.append(run)
            if until(run):
                break
        return runs

    return asyncio.run(follow())


def shown(run):
    return run.replications > 0


def finished(manager, question):
    run = followed(manager, manager.submit(question).id)[-1]
    assert run.state == "finished", run.sentence
    return manager.results(run.id)


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
def gate(monkeypatch, make):  # made after the managers' fixture, so that it opens before they close
    gate = Gate(monkeypatch)
    yield gate
    gate.open.set()


def test_results_are_those_of_the_experiment(manager):
    question = asked(replications=700)
    assert finished(manager, question) == question.experiment().run(progress=False)
    run = manager.status(id_of(question))
    assert (run.replications, run.of, run.share, run.sentence) == (700, 700, 1.0, "700 of 700 replications")


def test_what_is_shown_meanwhile_is_a_prefix_and_is_made_once(manager):
    id = manager.submit(LARGE).id
    assert followed(manager, id, shown)[-1].state == "running"
    results = manager.results(id)
    count = len(results.replications)
    assert 0 < count < 2000
    assert results.replications.tolist() == list(range(count))
    assert results.requested == 2000
    shorter = LARGE.experiment(count).run(progress=False)
    assert np.array_equal(results.pulls, shorter.pulls)
    manager.cancel(id)
    again = manager.results(id)
    assert again == manager.results(id)
    assert np.shares_memory(again.pulls, manager.results(id).pulls), "a copy would take as much memory again"


def test_cancelling_keeps_what_is_complete(manager):
    id = manager.submit(LARGE).id
    with pytest.raises(NothingYet):
        manager.results(id)
    followed(manager, id, shown)
    run = manager.cancel(id)
    assert run.state == "cancelled"
    assert run.sentence == f"cancelled after {run.replications:,} of 2,000 replications"
    assert manager.status(id) == run == manager.cancel(id)
    assert np.array_equal(manager.results(id).pulls, LARGE.experiment(run.replications).run(progress=False).pulls)
    assert manager.experiment(id) == LARGE.experiment(run.replications)
    assert manager.submit(LARGE).state in ACTIVE_STATES, "it is started again"


def test_a_replication_that_is_cancelled_stops_in_its_middle(manager, monkeypatch):
    simulate, played = scheduler.simulate, []
    monkeypatch.setattr(scheduler, "simulate", lambda *given, **options: played.append(simulate(*given, **options)))
    id = manager.submit(asked(horizon=150_000, policies=["npts"], replications=1)).id
    followed(manager, id, lambda run: run.share > 0)
    manager.cancel(id)
    manager.close()  # waits for the threads
    assert [len(results.replications) for results in played] == [0]


def test_equal_questions_share_a_run(manager, gate):
    first, second = manager.submit(asked()), manager.submit(asked())
    assert first.id == second.id
    assert manager.load()["runs"] == 1
    assert manager.submit(asked(title="another")).id != first.id


def test_another_title_finds_the_results_in_the_store(manager, monkeypatch):
    results = finished(manager, asked())
    monkeypatch.setattr(scheduler, "simulate", None)
    run = manager.submit(asked(title="another"))
    assert run.state == "finished"
    assert manager.results(run.id) == results
    assert manager.question(run.id).title == "another"


def test_many_threads_ask_at_once(manager):
    questions = [asked(seed=i % 5) for i in range(30)]
    runs = []
    threads = [threading.Thread(target=lambda one=one: runs.append(manager.submit(one))) for one in questions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {run.id for run in runs} == {id_of(question) for question in questions[:5]}
    for question in questions[:5]:
        assert finished(manager, question) == question.experiment().run(progress=False)


def test_a_small_run_is_not_held_up_by_long_replications(make, monkeypatch):
    manager = make(threads=1)
    simulate, entered, release = scheduler.simulate, threading.Event(), threading.Event()

    def slow(problem, policies, **options):
        if options["horizon"] == LARGE.horizon:
            entered.set()
            assert release.wait(60)
        return simulate(problem, policies, **options)

    monkeypatch.setattr(scheduler, "simulate", slow)
    monkeypatch.setattr(scheduler, "EXPRESS_SECONDS", 0.001)  # so that a replication of the large run counts as long
    large = manager.submit(LARGE).id
    assert entered.wait(60)
    assert len(finished(manager, asked()).replications) == 12
    assert manager.status(large).replications == 0
    manager.cancel(large)
    release.set()


def test_a_small_run_goes_on_when_a_long_replication_begins(make, monkeypatch):
    manager = make(threads=1)
    simulate, submitted, entered, release = scheduler.simulate, threading.Event(), threading.Event(), threading.Event()

    def slow(problem, policies, **options):
        if options["horizon"] == LARGE.horizon:
            entered.set()
            assert release.wait(60)
        elif options["replications"].start > 0:
            assert submitted.wait(60)
        return simulate(problem, policies, **options)

    monkeypatch.setattr(scheduler, "simulate", slow)
    monkeypatch.setattr(scheduler, "EXPRESS_SECONDS", 0.001)
    small = manager.submit(asked(replications=60_000)).id
    followed(manager, small, shown)
    large = manager.submit(LARGE).id
    submitted.set()
    assert entered.wait(60)
    assert followed(manager, small)[-1].state == "finished", "the only other thread is at the long one"
    manager.cancel(large)
    release.set()


def test_the_run_with_the_least_work_is_next(make, monkeypatch):
    """On one thread, a run that starts later is finished before one that has had more."""
    manager = make(threads=1)
    simulate, release = scheduler.simulate, threading.Event()

    def slow(problem, policies, **options):
        if options["replications"].start > 1000:  # the last part of the large run
            assert release.wait(60)
        return simulate(problem, policies, **options)

    monkeypatch.setattr(scheduler, "simulate", slow)
    large = manager.submit(LARGE).id
    followed(manager, large, shown)
    finished(manager, asked(replications=700))
    assert manager.status(large).state == "running"
    release.set()


def test_a_run_that_takes_far_longer_than_expected_is_stopped(make, monkeypatch):
    monkeypatch.setattr(managers, "estimate", lambda question, limits: estimate(question, Limits()))
    monkeypatch.setattr(scheduler, "OVERRUN_FACTOR", 0.3)
    run = followed(manager := make(limits=Limits(seconds=1)), manager.submit(LARGE).id)[-1]
    assert run.state == "failed"
    assert "far more than estimated" in run.sentence


def test_questions_that_are_refused_are_not_kept(make):
    manager = make(limits=Limits(seconds=1e-6))
    with pytest.raises(TooCostly):
        manager.submit(asked())
    with pytest.raises(UnknownRun):
        manager.question(id_of(asked()))


def test_questions_that_cannot_be_written_are_run_all_the_same(manager, tmp_path, caplog):
    (tmp_path / "questions").write_text("a file where the folder should be")
    assert len(finished(manager, asked()).replications) == 12
    assert manager.question(id_of(asked())) == asked()
    assert "will not survive a restart" in caplog.text


def test_a_run_that_nobody_looks_at_is_dropped(manager, clock):
    id = manager.submit(LARGE).id
    followed(manager, id, shown)
    clock.now += scheduler.UNWATCHED_SECONDS
    assert manager.status(id).state == "running"
    clock.now += scheduler.UNWATCHED_SECONDS
    assert manager.status(id).state == "running", "the last look was a sign of life"
    clock.now += scheduler.UNWATCHED_SECONDS + 1
    manager._scheduler.drop_unwatched()
    run = manager.status(id)
    assert (run.state, run.replications) == ("unstarted", 0)
    assert manager.load()["runs"] == 0
    with pytest.raises(NothingYet):
        manager.results(id)


def test_a_watched_run_is_not_dropped(manager, clock):
    id = manager.submit(LARGE).id

    async def watch():
        watching = manager.follow(id)
        await anext(watching)
        clock.now += 10 * scheduler.UNWATCHED_SECONDS
        manager._scheduler.drop_unwatched()
        assert manager.load() == {"runs": 1, "waiting": manager.load()["waiting"], "watchers": 1}
        await watching.aclose()
        assert manager.load()["watchers"] == 0
        manager._scheduler.drop_unwatched()
        assert manager.load()["runs"] == 1, "the end of a watch is a sign of life"

    asyncio.run(watch())


async def both_following(manager, id, *tokens):
    """Followers who have seen a first state."""
    following = [manager.follow(id, token) for token in tokens]
    for each in following:
        await anext(each)
    return following


def test_a_run_that_others_follow_is_not_cancelled(manager):
    id = manager.submit(LARGE).id

    async def follow():
        mine, other = await both_following(manager, id, "mine", "other")
        run = manager.cancel(id, "mine")
        assert run.state in ACTIVE_STATES
        assert run.sentence == "not cancelled: others follow this run"
        await other.aclose()
        assert manager.cancel(id, "mine").state == "cancelled"
        assert [run.state async for run in mine][-1] == "cancelled"

    asyncio.run(follow())


@pytest.mark.parametrize(("follower", "stranger"), [("mine", ""), ("mine", "theirs"), ("", ""), ("", "theirs")])
def test_who_does_not_follow_a_run_cannot_cancel_it(manager, follower, stranger):
    id = manager.submit(LARGE).id

    async def follow():
        (mine,) = await both_following(manager, id, follower)
        assert manager.cancel(id, stranger).state in ACTIVE_STATES
        await mine.aclose()
        assert manager.cancel(id, stranger).state == "cancelled", "nobody follows it"

    asyncio.run(follow())


def test_a_stream_that_closes_early_follows_no_longer(manager):
    id = manager.submit(LARGE).id

    async def follow():
        stream = run_routes.followed(id, manager)
        changes = await anext(stream)
        await anext(changes)
        assert manager.load()["watchers"] == 1
        await stream.aclose()
        assert manager.load()["watchers"] == 0, "also before the generator is collected as garbage"

    asyncio.run(follow())


def test_two_streams_of_one_follower_are_one_person(manager):
    """A browser that lost its connection opens a second stream before the server notices the end of the first."""
    id = manager.submit(LARGE).id

    async def follow():
        await both_following(manager, id, "mine", "mine")
        assert manager.cancel(id, "mine").state == "cancelled"

    asyncio.run(follow())


def test_while_a_cancelled_run_is_copied_others_are_served(manager, monkeypatch):
    """Archiving copies up to 256 MB: until it is done the run can be seen, and nobody waits for a lock."""
    copying, go_on = threading.Event(), threading.Event()
    detached = PullBuffer.detached_results

    def slowly(buffer):
        copying.set()
        assert go_on.wait(60)
        return detached(buffer)

    monkeypatch.setattr(PullBuffer, "detached_results", slowly)
    id = manager.submit(LARGE).id
    followed(manager, id, shown)
    cancelling = threading.Thread(target=manager.cancel, args=[id])
    cancelling.start()
    assert copying.wait(60)
    monkeypatch.undo()
    run = manager.status(id)
    assert run.state == "cancelled"
    assert len(manager.results(id).replications) == run.replications
    assert [run.state for run in followed(manager, id)] == ["cancelled"]
    assert manager.submit(asked()).state in ACTIVE_STATES
    assert manager.submit(LARGE).state in ACTIVE_STATES, "it is started again"
    go_on.set()
    cancelling.join()
    assert manager.status(id).state in ACTIVE_STATES, "the new run is not the one that was archived"


def test_followers_are_dismissed_without_a_last_state_when_the_server_shuts_down(manager, gate):
    id = manager.submit(asked()).id

    async def follow():
        (following,) = await both_following(manager, id, "mine")
        manager.stop_following()
        assert [run async for run in following] == []

    asyncio.run(follow())
    assert manager.load() == {"runs": 1, "waiting": 0, "watchers": 0}


def test_tables_of_arms_count_as_memory():
    problem = asked(arms=[{"name": "a", "distribution": "beta(a=2.5, b=1.25)"}]).experiment().problem()
    arm = problem.arms["a"]
    assert array_bytes(arm) == 0
    arm.quantile(np.array([0.5]))
    assert array_bytes(arm) > 100_000
    assert array_bytes([arm, arm]) == array_bytes(arm), "each array once"


def test_a_full_queue_says_when_to_try_again(make, gate):
    manager = make(limits=Limits(runs=2))
    for seed in (1, 2):
        assert manager.submit(asked(seed=seed), address=str(seed)).state in ACTIVE_STATES
    with pytest.raises(Unavailable, match="the queue is full: 2 of 2 runs; try again in 1 s") as full:
        manager.submit(asked(seed=3))
    assert full.value.retry_after == 1
    assert manager.submit(asked(seed=2)).state in ACTIVE_STATES, "to join is always possible"
    gate.open.set()
    followed(manager, id_of(asked(seed=1)))
    followed(manager, id_of(asked(seed=2)))
    finished(manager, asked(seed=3))


def test_one_address_leaves_room_for_others(make, gate):
    manager = make(limits=Limits(runs=5))
    for seed in (1, 2):
        manager.submit(asked(seed=seed), "a")
    told = "your address has its share of the queue: 2 of 2 runs; try again in 1 s"
    with pytest.raises(ShareUsedUp, match=told) as refused:
        manager.submit(asked(seed=3), "a")
    assert refused.value.retry_after == 1
    assert manager.submit(asked(seed=2), "a").state in ACTIVE_STATES, "to join is always possible"
    for seed in (4, 5):
        assert manager.submit(asked(seed=seed), "b").state in ACTIVE_STATES
    gate.open.set()
    followed(manager, id_of(asked(seed=1)))
    assert manager.submit(asked(seed=3), "a").state in ACTIVE_STATES


def test_addresses_share_the_processors_equally(make, monkeypatch):
    """On one thread, a run of an address with one run gets as much work as nine runs of another together."""
    manager, simulate, played = make(threads=1), scheduler.simulate, []

    def noted(problem, policies, **options):
        played.append(options["seed"])
        return simulate(problem, policies, **options)

    monkeypatch.setattr(scheduler, "EXPRESS_SECONDS", 0)  # so that there is only one thread
    questions = [asked(horizon=2_000, replications=20_000, seed=seed) for seed in range(10)]
    for question in questions[:9]:
        manager.submit(question, "many")
    followed(manager, id_of(questions[0]), shown)
    monkeypatch.setattr(scheduler, "simulate", noted)
    manager.submit(questions[9], "single")
    followed(manager, id_of(questions[9]), lambda run: played.count(9) >= 5)
    manager.close()
    assert len(played) - played.count(9) <= 2 * played.count(9), "the first slices are shorter than the others"


def test_an_address_that_has_had_much_work_is_not_kept_waiting_for_it(make, gate):
    """Who comes later starts with the least of the others, and does not get all the work that others got before."""
    manager = make(threads=1)
    first = manager.submit(asked(seed=1), "early").id
    jobs = manager._scheduler._jobs
    assert gate.reached.acquire(timeout=60)
    jobs[first]._spent = 100.0
    manager.submit(asked(seed=2), "late")
    late, early = (manager._scheduler._work_by_address()[address] for address in ("late", "early"))
    assert late >= 100
    assert early >= 100
    gate.open.set()
    followed(manager, first)
    followed(manager, id_of(asked(seed=2)))
    until_empty(manager)
    assert manager._scheduler._past == {}, "nothing is kept of addresses without runs"


def until_empty(manager):
    for _ in range(1000):
        if not manager.load()["runs"]:
            return
        time.sleep(0.01)


def test_ended_runs_keep_no_tables_of_arms(make, monkeypatch):
    """Neither when they end, nor when a figure or a replay makes their arms compute some."""
    monkeypatch.setattr(shared_arms, "_arms", LruCache(1))  # which would hold them otherwise
    manager = make()
    arms = [{"name": str(i), "distribution": f"beta(a={i + 1.5}, b=2.5)"} for i in range(10)]
    id = manager.submit(asked(arms=arms)).id
    assert followed(manager, id)[-1].state == "finished"
    ended = manager._ended.get(id)
    for arm in (*manager.results(id).problem.arms.values(), *manager.question(id).experiment().arms.values()):
        arm.quantile(np.array([0.5]))
        assert array_bytes(arm) > 100_000
    assert array_bytes(ended) < 2 * manager.results(id).pulls.nbytes
    assert array_bytes(ended) <= ended.size
    assert manager.results(id) == asked(arms=arms).experiment().run(progress=False)


def test_tables_of_arms_count_as_memory_of_a_run_in_progress(make, gate):
    arms = [{"name": "a", "distribution": "beta(a=2.25, b=1.25)"}]
    manager = make(limits=Limits(memory=1 << 20))  # of which each address can have half
    with pytest.raises(ShareUsedUp, match=r"0 runs, which leave less than \d+ kB of memory"):
        manager.submit(asked(arms=arms))


def test_memory_is_a_limit_too(make, gate):
    memory = 4 * 2 * 12 * 60 * 2  # of one such run
    manager = make(limits=Limits(memory=8 * memory + memory // 2))  # the arms take some bytes too
    for seed in range(8):
        manager.submit(asked(seed=seed), address=str(seed % 2))
    with pytest.raises(Unavailable, match="the queue is full: 8 runs, which leave less than 11 kB of memory"):
        manager.submit(asked(seed=8))
    with pytest.raises(TooCostly, match="records .* the limit of"):
        manager.submit(asked(replications=13))


def test_a_run_that_costs_too_much_is_refused(make):
    manager = make(limits=Limits(seconds=0.5))
    with pytest.raises(
        TooCostly, match="this run needs about .* of processor time, .* times the limit of 1 s; it would"
    ):
        manager.submit(LARGE)


def test_a_restart_serves_what_is_finished(make, monkeypatch):
    manager = make()
    results = finished(manager, asked())
    large = manager.submit(LARGE).id
    manager.close()
    monkeypatch.setattr(scheduler, "simulate", None)
    again = make()
    assert again.status(id_of(asked())).state == "finished"
    assert again.results(id_of(asked())) == results
    assert again.question(large) == LARGE
    assert again.status(large).state == "unstarted"
    assert [run.state for run in followed(again, large)] == ["unstarted"]
    with pytest.raises(NothingYet):
        again.results(large)
    with pytest.raises(UnknownRun, match="no run has the id 'f00'"):
        again.status("f00")


def test_a_run_goes_on_with_the_pieces_that_are_in_the_store(make, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_STEPS", 60 * 5)  # five replications in a piece
    monkeypatch.setattr(runner, "PARTS_PER_THREAD", 0)
    question, store = asked(replications=23), make()._store
    pieces.run([question.experiment(10)], store, progress=False)
    damaged = store._path(next(path.name for path in store.folder.rglob("*") if path.is_file()))
    damaged.write_bytes(b"damaged")
    played, simulate = [], scheduler.simulate

    def counted(*arguments, **options):
        played.extend(options["replications"])
        return simulate(*arguments, **options)

    monkeypatch.setattr(scheduler, "simulate", counted)
    assert finished(make(), question) == question.experiment().run(progress=False)
    assert len(played) == len(set(played)) == 18
    everything = pieces.ExperimentPieces(question.experiment(), store)
    assert not any(map(everything.missing, everything)), "all is in the store"


def test_a_damaged_piece_of_a_finished_run_is_computed_again(make, tmp_path):
    results = finished(make(), asked())
    for path in (tmp_path / "store").rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged")
    manager = make()
    assert manager.status(id_of(asked())).state == "unstarted"
    assert finished(manager, asked()) == results


def test_a_store_that_cannot_be_written_is_said_and_the_results_are_there(manager, monkeypatch, tmp_path):
    (tmp_path / "store").write_text("a file where the folder should be")
    results = finished(manager, asked())
    assert len(results.replications) == 12
    assert "not stored, so a restart" in manager.status(id_of(asked())).sentence


@pytest.mark.usefixtures("fresh_registry")
@pytest.mark.parametrize("error", [RuntimeError("not in the mood"), PrimumError("not in the mood")])
def test_a_plugin_that_raises_fails_its_run_only(manager, error, caplog):
    @dataclass(frozen=True)
    class Moody(rewards.RewardDistribution):
        """Raises while it is played, and not before."""

        support = (0.0, 1.0)

        def quantile(self, u):
            if threading.current_thread() is not threading.main_thread():
                raise error
            return np.asarray(u, np.float64)

    arms = [ARMS[0], {"name": "moody", "distribution": Moody()}]
    id = manager.submit(asked(arms=arms)).id
    run = followed(manager, id)[-1]
    is_ours = isinstance(error, PrimumError)
    told = "" if is_ours else "arm 'moody': Moody: quantile(u) or support failed: RuntimeError: "
    assert (run.state, run.sentence) == ("failed", f"{told}not in the mood")
    assert bool(caplog.records) != is_ours, "what nobody foresaw is in the log"
    assert finished(manager, asked()) is not None, "the threads go on"


def test_rewards_that_a_policy_is_not_made_for_are_refused_at_once(manager):
    arms = [{"name": "a", "distribution": "uniform(low=-2, high=3)"}]
    with pytest.raises(PrimumError, match="needs rewards in"):
        manager.submit(asked(arms=arms, policies=["thompson"]))


def test_many_runs_leave_little_behind(make, monkeypatch):
    monkeypatch.setattr(managers, "CACHED_RUNS", 7)
    manager = make()
    for seed in range(25):
        manager.submit(asked(seed=seed, replications=1, horizon=5))
    for seed in range(25):
        finished(manager, asked(seed=seed, replications=1, horizon=5))
    assert len(manager._ended) <= 7
    assert manager.load() == {"runs": 0, "waiting": 0, "watchers": 0}
    monkeypatch.setattr(manager._ended, "room", 1)
    finished(manager, asked())
    assert len(manager._ended) == 1, "the last one is kept, however large"


def test_watching_tells_each_change_once(manager):
    runs = followed(manager, manager.submit(asked(replications=500)).id)
    assert all(before != after for before, after in itertools.pairwise(runs))
    assert [run.share for run in runs] == sorted(run.share for run in runs)
    assert all(run.state in ACTIVE_STATES for run in runs[:-1])
    assert all(0 <= run.replications <= run.of == 500 for run in runs)


def test_time_that_passes_is_no_news(manager, gate, monkeypatch):
    id = manager.submit(asked()).id
    run = manager.status(id).model_copy(update={"state": "running"})
    moved = [(0.1, 9.0), (0.1, 8.9), (0.1, 8.8), (0.2, 8.7)]
    told = [run.model_copy(update={"share": share, "seconds_left": left}) for share, left in moved]
    reports = iter([*told, run.model_copy(update={"state": "finished"})])
    monkeypatch.setattr(manager._scheduler, "report", lambda job: next(reports))
    assert [run.share for run in followed(manager, id)[:-1]] == [0.1, 0.2]


def test_waiting_is_said(make, gate):
    manager = make(threads=1)
    for seed in (1, 2):
        manager.submit(asked(seed=seed))
        assert gate.reached.acquire(timeout=60)
    run = manager.submit(asked(seed=3))
    assert (run.state, run.sentence, run.seconds_left) == ("waiting", "waiting for 2 other runs", None)


def test_time_left_follows_from_the_rate(manager, clock):
    id = manager.submit(LARGE).id
    assert followed(manager, id, shown)[-1].seconds_left is None, "no time has gone by on this clock"
    clock.now += 3
    run = manager.status(id)
    assert run.seconds_left == pytest.approx(3 / run.share - 3)
