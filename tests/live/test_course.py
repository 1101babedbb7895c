"""Live allocations are those of a slow twin on lists, of a simulated trial, and of a repetition of the whole trial."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from primum import policies, rewards, trials, values
from primum.live.course import Course
from primum.live.software import rehearsal
from primum.trials.live_settings import LiveSettings
from tests.oracle.live_trial import LiveTrial
from tests.problems import PLAYABLE, suited
from tests.trials.made_up_looks import Weeding, weeding

RULES = st.builds(
    Weeding, behind=st.sampled_from([0.1, 0.3]), enough=st.sampled_from([0.8, 2.0]), least=st.integers(0, 3)
)
LOOKS = st.lists(st.integers(1, 40), max_size=3, unique=True).map(sorted)


def design_of(arms, **options):
    names = [f"arm {k}" for k in range(arms)]
    analysis = None if options.get("stopping") is not None else "welch-t"
    return trials.Design(**{"arms": names, "patients": 40, "policy": "besa", "analysis": analysis} | options)


def played(design, seed, chance, binary=False):
    """A course and its twin after random steps; both must agree after each."""
    course = Course(design, seed)
    twin = LiveTrial(design, seed, weeding(design.stopping) if design.stopping is not None else None)
    for _ in range(4 * design.patients):
        unknown = [t for t, outcome in enumerate(course.outcomes) if math.isnan(outcome)]
        known = [t for t in range(course.enrolled) if t not in unknown]
        outcome = float(chance.random() < 0.5) if binary else round(chance.random(), 2)
        step = chance.random()
        if step < 0.4 and course.enrolled < design.patients and not course.stopped:
            while course.due_look():
                course.take_look()
            if not course.stopped:
                course.allocate()
            twin.next()
        elif step < 0.85 and unknown:
            patient = chance.choice(unknown)
            course.tell(patient, outcome)
            twin.arrive(patient, outcome)
        elif step < 0.97 and known:
            patient = chance.choice(known)
            course.correct(patient, outcome)
            twin.correct(patient, outcome)
        elif step > 0.985 and len(course.active) > 1 and not course.stopped:
            arm = chance.choice(course.active)
            course.drop(arm)
            twin.drop(arm)
        assert course.arms == twin.arms
        assert np.array_equal(course.outcomes, twin.outcomes, equal_nan=True)
        assert (course.active, course.stopped) == (twin.left, twin.reason)
    while course.due_look():
        course.take_look()
    if course.due_final_look():
        course.take_look(is_final=True)
    twin.close()
    assert course.stopped == twin.reason
    assert set(course.looks[-1].claimed if course.looks else []) == twin.claimed
    return course


def agrees_with_itself(course):
    """The trial run as one, from its record, has the same allocations, looks and outcomes."""
    again = course.trials()
    assert again.data.arm[0, : course.enrolled].tolist() == course.arms
    assert int(again.size[0]) == course.enrolled
    assert np.array_equal(again.data.outcome[0, : course.enrolled], course.outcomes, equal_nan=True)
    assert int(again.data.counts.sum()) == course.known
    assert np.flatnonzero(again.data.active[0]).tolist() == course.active


@pytest.mark.parametrize("policy", PLAYABLE, ids=str)
@settings(max_examples=2)
@given(
    arms=st.integers(2, 4),
    value=st.sampled_from([values.Mean(), values.CVaR(alpha=0.3), values.MeanVariance(rho=1.0)]),
    burn_in=st.integers(0, 3),
    coin=st.sampled_from([0.0, 0.4]),
    blocks=st.sampled_from([1, 1, 4, [5, 11, 30]]),
    seed=st.integers(0, 2**64 - 1),
)
@example(
    arms=3, value=values.Mean(), burn_in=3, coin=0.0, blocks=1, seed=1
)  # an arm is dropped within a block of the burn-in
def test_every_policy_allocates_as_its_twin(policy, arms, value, seed, **options):
    design = design_of(arms, policy=suited(policy, value), value=value, **options)
    agrees_with_itself(
        played(design, seed, random.Random(seed), binary=design.policy.reward_bounds != (-math.inf, math.inf))
    )


@settings(max_examples=60)
@given(
    arms=st.integers(2, 5),
    policy=st.sampled_from([policies.BesaPlus(), policies.Thompson(), policies.Sda(), policies.PermutedBlocks()]),
    looks=LOOKS.filter(bool),
    looks_count=st.sampled_from(["patients", "outcomes"]),
    stopping=RULES,
    burn_in=st.integers(0, 2),
    coin=st.sampled_from([0.0, 0.4]),
    seed=st.integers(0, 2**64 - 1),
)
def test_looks_are_those_of_the_twin(arms, seed, **options):
    agrees_with_itself(played(design_of(arms, **options), seed, random.Random(seed), binary=True))


@pytest.mark.parametrize(
    "delay", [None, trials.after_patients(7), trials.after_time("uniform(low=0, high=30)")], ids=str
)
@pytest.mark.parametrize("policy", [policies.BesaPlus(floor=2), policies.Thompson(), policies.TwoKeys()], ids=str)
def test_a_live_trial_is_a_simulated_one_whose_outcomes_arrive_in_the_same_order(policy, delay):
    design = design_of(2, patients=100, policy=policy, burn_in=3, delay=delay, accrual=trials.Poisson(rate=1.0))
    simulated = trials.simulate_one(design, [rewards.Bernoulli(0.3), rewards.Bernoulli(0.6)], seed=11).trials
    arrivals, ready = simulated.timing.arrivals[0], simulated.timing.ready[0]
    course, told = Course(design, 11), 0
    for t in range(design.patients):
        while told < design.patients and ready[arrivals[told]] <= t:
            patient = int(arrivals[told])
            course.tell(patient, float(simulated.data.outcome[0, patient]))
            told += 1
        course.allocate()
    assert told > 20
    assert course.arms == simulated.data.arm[0].tolist()


def test_a_correction_changes_later_decisions_only():
    design = design_of(2, patients=60, policy="besa-plus", burn_in=2)
    right, corrected = Course(design, 5), Course(design, 5)
    for course in (right, corrected):
        for t in range(30):
            course.allocate()
            course.tell(t, float(t % 3 == 0))
    before = list(corrected.arms)
    for t in range(12):
        corrected.correct(t, 1.0 - corrected.outcomes[t])
    for course in (right, corrected):
        for _ in range(30):
            course.allocate()
    assert corrected.arms[:30] == right.arms[:30] == before
    assert corrected.arms != right.arms


def test_outcomes_that_come_after_a_stop_are_not_part_of_the_look_that_stopped_it():
    """Regression guard: the trial as a whole must stop at that look with the data known then."""
    rule = Weeding(behind=9.0, enough=0.8, hopeless=-1.0)
    design = design_of(2, patients=40, policy="uniform-random", looks=[10], stopping=rule)
    course = Course(design, 1)
    for t in range(10):
        course.allocate()
        if t < 8:
            course.tell(t, 1.0)
    assert course.take_look().stopped == "enough"
    course.tell(8, 0.0)
    course.tell(9, 0.0)
    for t in range(8):
        course.correct(t, 0.0)
    agrees_with_itself(course)
    assert design.monitoring.reasons[course.trials().reason[0]] == "enough"


def test_a_rehearsal_depends_on_the_policy_and_not_on_the_moment():
    binary = LiveSettings()
    first = rehearsal(design_of(2, policy="besa-plus"), binary)
    assert first == rehearsal(design_of(2, policy="besa-plus"), binary)
    assert first != rehearsal(design_of(2, policy="thompson"), binary)
