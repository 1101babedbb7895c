"""One model of looks: a design declares differences by one rule, and all ways of running it decide alike."""

from __future__ import annotations

import numpy as np
import pytest

from primum import policies, rewards, trials
from primum.errors import ParameterError
from primum.live.course import Course
from primum.trials import monitoring
from primum.trials.exact_law import recursion
from primum.trials.operating.exact_characteristics import is_feasible
from primum.trials.simulation import running
from primum.trials.stopping.spending import boundaries
from tests.trials.made_up_looks import Weeding

POCOCK = trials.GroupSequential(spending="pocock", alpha=0.05, sided="two-sided")
FIVE = trials.Design(
    arms=["control", "new"], patients=100, policy=policies.UniformRandom(), looks=[20, 40, 60, 80, 100], stopping=POCOCK
)


def test_a_rule_that_declares_differences_is_the_analysis():
    assert FIVE.analysis == trials.Boundary()
    assert FIVE.replace(analysis="boundary") == FIVE
    assert trials.Design.from_spec(FIVE.spec(complete=True)) == FIVE
    with pytest.raises(
        ParameterError, match=r"Pooled Z would declare them once more, so that the level would be spent"
    ):
        FIVE.replace(analysis=trials.PooledZ())
    with pytest.raises(ParameterError, match="this design has Drop losers, which declares none"):
        FIVE.replace(analysis="boundary", stopping=trials.DropLosers())
    with pytest.raises(ParameterError, match="this design has no stopping rule"):
        FIVE.replace(analysis="boundary", stopping=None, looks=[])
    with pytest.raises(ParameterError, match="analysis must be given"):
        FIVE.replace(analysis=None, stopping=trials.DropLosers())


def test_looks_can_be_fractions_of_the_patients():
    """They are the same looks, they move with the patients, and files keep them."""
    design = FIVE.replace(patients=24, looks=[0.35, 2 / 3, 1.0], delay=trials.after_patients(2))
    assert design.monitoring.interim == (8, 16)
    assert design.replace(patients=30).monitoring.interim == (11, 20), "the nearest, and 10.5 is rounded up"
    assert design.replace(looks=[8, 16, 24]).resized(48).monitoring.interim == (16, 32)
    assert design.replace(looks=[0.5, 1]).looks == (0.5, 1.0)
    numbers = design.replace(looks=[8, 16, 24])
    law, same = trials.exact(design, progress=False), trials.exact(numbers, progress=False)
    assert law.reject(0.2, 0.7) == same.reject(0.2, 0.7)
    truth = trials.Scenario(["bernoulli(probability=0.2)", "bernoulli(probability=0.7)"])
    one, other = (running.run(each, truth, 3, range(50)) for each in (design, numbers))
    assert one.size.tolist() == other.size.tolist()
    assert (one.size < 24).any()
    assert one.claimed.tolist() == other.claimed.tolist()
    plan = trials.Plan(designs={"a": design}, scenarios={})
    assert trials.Plan.from_toml(plan.to_toml()).designs["a"].looks == (0.35, 2 / 3, 1.0)


@pytest.mark.parametrize(
    ("looks", "sentence"),
    [
        ([0.1, 0.2], "looks must be after different numbers of patients, got 0.1 and 0.2 of 3 patients, which are 0"),
        ([0.5, 0.6], "got 0.5 and 0.6 of 3 patients, which are 2 and 2"),
        ([0.5, 2], r"looks must be in \(0, 1\], got 2"),
        ([0.0, 0.5], r"looks must be in \(0, 1\], got 0"),
        ([0.5, 0.5], r"from 1 in ascending order, or of fractions in \(0, 1\], got \[0.5, 0.5\]"),
        ([2, 2.5], "looks must be a whole number"),
        ([1, 0.5], "looks must be a whole number"),
        ([1.5], "looks must be a whole number"),
    ],
)
def test_looks_that_are_neither_numbers_nor_fractions_are_refused(looks, sentence):
    with pytest.raises(ParameterError, match=sentence):
        FIVE.replace(patients=3, looks=looks)


def test_five_looks_spend_the_level_once():
    """Exact, at p = 1/2: the boundaries are those of normal outcomes, so .05 is met only approximately.

    A final test at the full level beside them would make it .0777.
    """
    law = trials.exact(FIVE, progress=False)
    assert law.type_1(0.5) == pytest.approx(0.05, abs=0.002)
    assert law.largest_type_1().value < 0.052
    twice = [
        rejected | trials.PooledZ().rejections(end.data(FIVE))[:, 0].reshape(rejected.shape)
        for rejected, end in zip(law.rejected, law.ends, strict=True)
    ]
    at_half = sum(float((end.chance * rejected).sum()) for rejected, end in zip(twice, law.ends, strict=True))
    assert at_half == pytest.approx(0.0777, abs=5e-5)


class Verdicts(dict):
    """What every look decided, by the data that it had."""

    def watch(self, monkeypatch):
        judge = monitoring.Monitoring.judge

        def noted(rule, data, known, *, is_final=False):
            found = judge(rule, data, known, is_final=is_final)
            for row in range(len(data)):
                seen = known[row], data.counts[row], data.sums[row], data.active[row]
                decided = found.claimed[row], found.dropped[row], found.reason[row]
                self[is_final, *(tuple(each.tolist()) for each in seen)] = tuple(each.tolist() for each in decided)
            return found

        monkeypatch.setattr(monitoring.Monitoring, "judge", noted)


DESIGNS = {
    "patients": {"looks": [8, 15, 24]},
    "patients, late outcomes": {"looks": [8, 15, 24], "delay": trials.after_patients(3)},
    "no look at the last patient": {"looks": [8, 15], "delay": trials.after_patients(3)},
    "outcomes": {"looks": [8, 15, 24], "looks_count": "outcomes"},
    "outcomes, late ones": {"looks": [8, 15, 21], "looks_count": "outcomes", "delay": trials.after_patients(3)},
    "patients, outcomes at random times": {"looks": [8, 15, 24], "delay": trials.after_time(rewards.Uniform(0, 9))},
    "outcomes at random times": {
        "looks": [8, 15, 24], "looks_count": "outcomes", "delay": trials.after_time(rewards.Uniform(0, 9))
    },
}  # fmt: skip
RULES = {
    "boundaries": trials.GroupSequential(spending="pocock", alpha=0.3, futility=0.1),
    "posterior": trials.PosteriorLimits(superiority=0.95, inferiority=0.02, equivalence=0.9, within=0.3),
    "claims and drops": Weeding(behind=0.3, enough=0.7, least=4),
    "only drops": trials.DropLosers(below=0.2),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("options", DESIGNS)
def test_simulated_exact_and_live_trials_decide_alike(options, rule, monkeypatch):
    """The same patients, simulated and live: every allocation, every look and the end.

    The exact law, where there is one, decides so on the same data.
    """
    stopping = RULES[rule]
    design = trials.Design(
        arms=["control", "new"], patients=24, policy=policies.BesaPlus(), burn_in=2, stopping=stopping,
        analysis=None if stopping.claims else "pooled-z", **DESIGNS[options],
    )  # fmt: skip
    exact, ends = Verdicts(), {}
    with monkeypatch.context() as patched:
        exact.watch(patched)
        if is_feasible(design):  # not if outcomes come at random times
            ends = recursion.run(design)
    finals = 0
    for seed in range(25):
        simulated, live = Verdicts(), Verdicts()
        with monkeypatch.context() as patched:
            simulated.watch(patched)
            found = running.run(design, trials.Scenario(["bernoulli(probability=0.4)"] * 2), seed, [0])
        with monkeypatch.context() as patched:
            live.watch(patched)
            course = conducted(design, found, seed)
        size = int(found.size[0])
        assert course.arms == found.data.arm[0, :size].tolist()
        assert course.stopped == ("" if found.reason[0] < 0 else design.monitoring.reasons[found.reason[0]])
        assert list(live.items()) == list(simulated.items())
        claimed = tuple(found.claimed[0].tolist())
        if ends:
            assert simulated.items() <= exact.items()
            table = ends[tuple(found.data.counts[0].tolist()), claimed]
            assert table[tuple(found.data.sums[0].astype(int))] > 0
        assert (course.looks[-1].claimed if course.looks else []) == np.flatnonzero(claimed).tolist()
        finals += course.is_over
    assert (finals > 0) == design.monitoring.has_final


def conducted(design, simulated, seed):
    """A live trial of the simulated patients, whose outcomes become known when they did there."""
    arrivals, ready = simulated.timing.arrivals[0], simulated.timing.ready[0]
    course, told = Course(design, seed), 0
    while course.enrolled < design.patients and not course.stopped:
        while told < design.patients and ready[arrivals[told]] <= course.enrolled:
            course.tell(int(arrivals[told]), float(simulated.data.outcome[0, arrivals[told]]))
            told += 1
        while course.due_look():
            course.take_look()
        if not course.stopped:
            course.allocate()
    for patient in arrivals[told:]:
        if patient < course.enrolled:
            course.tell(int(patient), float(simulated.data.outcome[0, patient]))
    while course.due_look():
        course.take_look()
    if course.due_final_look():
        course.take_look(is_final=True)
    return course


def closed_early(looks_count, patients, known):
    """The looks of a trial of 20 with looks at 10 and at the end, that ends with fewer patients or outcomes."""
    rule = trials.GroupSequential(alpha=0.05, sided="greater")
    design = FIVE.replace(patients=20, looks=[10, 20], looks_count=looks_count, stopping=rule)
    course = Course(design, 4)
    for patient in range(patients):
        while course.due_look():
            course.take_look()
        course.allocate()
        if patient < known:
            course.tell(patient, float(patient % 3 == 0))
    while course.due_look():
        course.take_look()
    course.take_look(is_final=True)
    return course


@pytest.mark.parametrize(
    ("looks_count", "patients", "known", "information"),
    [
        ("outcomes", 20, 19, (10, 19)),  # somebody withdrew
        ("patients", 20, 19, (10, 19)),
        ("patients", 17, 17, (10, 17)),  # enrolment was slow
        ("patients", 17, 8, (8, 8)),
        ("outcomes", 17, 8, (8,)),  # the interim look was never due
    ],
)
def test_the_final_look_is_taken_at_the_information_there_is(looks_count, patients, known, information):
    """It has the level that the looks before it left, at the information that they had."""
    course = closed_early(looks_count, patients, known)
    assert tuple(look.known for look in course.looks) == information
    assert [look.is_final for look in course.looks] == [False] * (len(information) - 1) + [True]
    rule, data = course.design.stopping, course.trials().data
    bounds = rule.bounds(data, trials.Look(information, 20, is_final=True))
    assert bounds == pytest.approx(boundaries(tuple(n / 20 for n in information), "obrien-fleming", 0.05, False))
    assert np.isfinite(bounds[-1])
    z = rule.statistic.statistic(data)[0, 0]
    assert course.looks[-1].claimed == ([1] if z > bounds[-1] else [])


def test_a_trial_may_have_hundreds_of_looks():
    design = trials.Design(
        arms=["a", "b"], patients=200, policy="uniform-random", looks=range(1, 200), stopping="posterior-limits"
    )
    truth = trials.Scenario(["bernoulli(probability=0.4)", "bernoulli(probability=0.5)"])
    found = running.run(design, truth, 1, range(200))
    assert found.stopped_at.max() > 127
    stopped = found.stopped_at >= 0
    assert found.stopped_at[stopped].tolist() == (found.size[stopped] - 1).tolist()
