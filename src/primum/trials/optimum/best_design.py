"""The design that puts the most patients on the better arm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.errors import ParameterError
from primum.policies import OptimalAllocation
from primum.runs.progress import Bar
from primum.text import counted
from primum.trials.analyses import WeightedLikelihoodRatio
from primum.trials.design import Design
from primum.trials.exact_law import LargestError, Law, exact
from primum.trials.exact_law.averages import averages
from primum.trials.optimum.cutting_planes import CuttingPlanes, NotReachedError, Told
from primum.trials.optimum.lagrangian import FixedRule, Lagrangian, Multipliers
from primum.trials.optimum.question import INSIDE, Question

ARMS = ("control", "new")
TOLERANCE = 2e-5  # of the bound, in the unit of the share, and of rules close to it
POWER_TOLERANCE = 3e-4  # of the largest power
TEST_TOLERANCE = 1e-4  # of the power of the test for a rule
TESTS = 3  # the last ones, whose critical values are moved so that they keep to the level
ATTEMPTS = 40  # multipliers of rules for which a test is found
LONGEST_STEP = 0.02  # of the power, from one rule to the next
SURPLUS = 5e-4  # of the power that is accepted at once; else a rule for less power is tried so many times
REFINEMENTS = 3


@dataclass(frozen=True, repr=False)
class Optimal:
    """A design that nearly attains the largest share of patients on the better arm, and what no design exceeds.

    `share` is the fraction of patients on the better arm, averaged over each pair of the prior and its mirror image,
    and `power` the probability that the better arm is declared better, averaged over the pairs, in both directions if
    the test is two-sided. `bound` is an upper bound of the share of every design, of any kind, that has the power and
    the level asked for; `level` the design's largest type I error over all common success probabilities, with the p
    where it is. All are exact; `law` has them for any other success probabilities.
    """

    design: Design
    share: float
    power: float
    level: LargestError
    bound: float

    @property
    def law(self) -> Law:
        """The exact operating characteristics of the design."""
        return exact(self.design, progress=False)

    def __repr__(self) -> str:
        return (
            f"<Optimal design, {self.design.patients} patients: {100 * self.share:.2f} % on the better arm, where no "
            f"design can have more than {100 * self.bound:.2f} %; power {self.power:.4f}; "
            f"type I error at most {self.level.value:.5f}>"
        )


def optimal(
    *,
    patients: int,
    alpha: float,
    power: float,
    prior: Any,
    coin: float = 0.0,
    sided: str = "greater",
    progress: bool = True,
) -> Optimal:
    """The design that puts the most patients on the better arm with at least this power, and the bound for all designs.

    For two arms with outcomes 0 and 1 that are known before the next patient. Over all allocation rules and tests
    together, it maximises the fraction of patients on the better arm, averaged over the pairs (p0, p1) of the `prior`
    and their mirror images (p1, p0). The power is the probability that the better arm is declared better, averaged
    over the pairs; with ``sided="two-sided"`` over the mirror images as well. The type I error is at most `alpha` for
    every success probability that the arms may have in common. A `coin` allocates this share of the patients at
    random, which the rule takes into account.

    The bound is that of Lagrange multipliers: for any of them the best rule and test follow by dynamic programming,
    and their value bounds the share of every design. The design's rule is that of multipliers close to those with the
    least bound. Type I error and power of a single rule jump as multipliers change, so its share is below the bound,
    by 0.001 to 0.003 with 100 patients and more, and by up to 0.02 with ten. Its test is exact. Another version of
    SciPy may find slightly different multipliers; those that were found are in the spec of the design.

    >>> from primum import trials
    >>> found = optimal(patients=60, alpha=0.05, power=0.4, prior=[(0.1, 0.4), (0.3, 0.6), (0.6, 0.9)], progress=False)
    >>> found.power >= 0.4, found.level.value <= 0.05, round(found.share, 2), round(found.bound, 2)
    (True, True, 0.9, 0.9)
    >>> found.design.policy.display_name, found.design.analysis.display_name
    ('Optimal allocation (60 patients)', 'Weighted likelihood ratio (alpha 0.05, greater)')
    """
    question = Question.checked(patients, alpha, prior, coin, sided)
    asked = INSIDE.check("power", power)
    with Bar(100, progress) as bar:
        bar.say("compiling")
        lagrangian = Lagrangian(question)
        planes = CuttingPlanes(lagrangian)
        bar.say("searching for the largest power")
        check_possible(question, planes, asked, _shown(bar, 0, 20))
        bar.say("searching for the largest share")
        bound = planes.largest_share(question.alpha, asked, TOLERANCE, _shown(bar, 20, 60)).upper
        bar.say("searching for a design that attains it")
        return _best(lagrangian, planes, asked, bound, _shown(bar, 60, 95))


def check_possible(question: Question, planes: CuttingPlanes, asked: float, told: Told) -> None:
    """Raise a ParameterError with the largest power that is possible if that is less."""
    largest = planes.largest_power(question.alpha, POWER_TOLERANCE, told, enough=asked)
    if largest.lower < asked:
        raise ParameterError(
            f"power must be at most {_floored(largest.lower)}, the largest average over the prior that "
            f"any design with {counted(question.patients, 'patient')} and level {question.alpha:g} can have, got "
            f"{asked:g}; "
            "allow more patients",
            ("power",),
        )


def _shown(bar: Bar, first: int, last: int) -> Told:
    """Progress from one percentage to another, as the logarithm of the gap falls."""
    furthest = first

    def told(gap: float) -> None:
        nonlocal furthest
        part = math.log(max(min(gap, 1.0), TOLERANCE)) / math.log(TOLERANCE)
        furthest = max(furthest, first + int(part * (last - first)))
        bar.update(furthest)

    return told


def _best(lagrangian: Lagrangian, planes: CuttingPlanes, asked: float, bound: float, told: Told) -> Optimal:
    """A design whose share is close to the bound, with the power and the level.

    The multipliers with the least bound are those of a mixture of rules. One of these, with its best test, has a little
    less power, so the search goes on with multipliers for a little more, and back if that was too much.
    """
    alpha, target, failed, reached, most = lagrangian.question.alpha, asked, asked, asked, 0.0
    step, refined, last, designs = LONGEST_STEP, 0, lagrangian.start, []
    for _ in range(ATTEMPTS):
        try:
            rule = planes.largest_share(alpha, target, TOLERANCE, told).multipliers
        except NotReachedError:
            step /= 4
            target = failed + step
            continue
        if rule is last:
            failed, step = target, 2 * step
        else:
            last, fixed = rule, FixedRule(lagrangian, rule)
            power, test = _best_test(fixed)
            if power >= asked:
                designs.append((fixed.share, rule, test))
                reached = target
            else:
                failed, step, most = target, min(asked - power, LONGEST_STEP), max(most, power)
            if asked <= power <= asked + SURPLUS:
                break
        if designs and (refined == REFINEMENTS or failed >= reached):
            break
        refined += bool(designs)
        target = (failed + reached) / 2 if designs else failed + step
    if designs:
        _, rule, test = max(designs, key=lambda design: design[0])
        return _made(lagrangian, rule, test, bound)
    less = f"ask for at most {_floored(most)}, or " if most else ""
    raise ParameterError(
        f"power {asked:g} is that of a mixture of designs, and no single one with so few patients was found that has "
        f"it; {less}allow more patients",
        ("power",),
    )


def _best_test(rule: FixedRule) -> tuple[float, Multipliers]:
    """The power of about the best test under a rule that keeps to the level, and its multipliers."""
    tests = CuttingPlanes(rule)
    tests.largest_power(rule.question.alpha, TEST_TOLERANCE, lambda gap: None)
    return max(((rule.power_at_level(tried), tried) for tried in tests.tried[-TESTS:]), key=lambda pair: pair[0])


def _made(lagrangian: Lagrangian, of_rule: Multipliers, of_test: Multipliers, bound: float) -> Optimal:
    """The design with the rule and the test for some multipliers."""
    question, grid = lagrangian.question, lagrangian.grid
    costly, weighted = of_rule.error > 0, of_test.error > 0
    rule = OptimalAllocation(
        patients=question.patients,
        lower=question.lower,
        higher=question.higher,
        power_weight=of_rule.power,
        null=tuple(grid[costly]),
        null_weights=tuple(of_rule.error[costly]),
        sided=question.sided,
        coin=question.coin,
    )
    test = WeightedLikelihoodRatio(
        alpha=question.alpha,
        sided=question.sided,
        lower=question.lower,
        higher=question.higher,
        null=tuple(grid[weighted]),
        null_weights=tuple(of_test.error[weighted]),
    )
    design = Design(arms=ARMS, patients=question.patients, policy=rule, coin=question.coin, analysis=test)
    law = exact(design, progress=False)
    share, power = averages(law, question.prior, question.sided)
    return Optimal(design, share, power, law.largest_type_1(), bound)


def _floored(power: float) -> str:
    return f"{math.floor(1e4 * power) / 1e4:g}"
