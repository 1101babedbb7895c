"""The chapter on definitions and theorems: what is computed, and needs no simulation."""

from __future__ import annotations

from collections.abc import Mapping

from primum.experiments import Experiment
from primum.paper import statements
from primum.paper.chapter import Chapter
from primum.paper.claims import Judgement
from primum.paper.computed import ALPHA, RHOS, Evidence, evidence
from primum.paper.definitions_shown import exhibits
from primum.paper.races import REWARDS
from primum.paper.scale import Scale
from primum.paper.showing import number
from primum.paper.statements import CLAIMS
from primum.results import Results
from primum.text import listed

__all__ = ["CLAIMS", "Evidence", "chapter", "evidence", "experiments"]


def experiments(scale: Scale) -> dict[str, Experiment]:
    """None."""
    return {}


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter; it needs no results, and is the same at every scale."""
    found = evidence()
    hardest = found.sure[REWARDS[0]]
    return Chapter(
        "definitions",
        "Definitions and theorems",
        "What the paper defines and proves can be checked without a simulation: by exact expectations, by trying all "
        "samples of a lattice, and by an exact lower bound on the regret in the paper's own example. Nothing in this "
        "chapter is estimated.\n\n"
        "The lower bound is the heart of it. One arm always gives r, the other anything from 0 to 1, uniformly. While "
        "the mean of the uniform arm's rewards is below r, it loses every duel and is pulled by the floor log t "
        "alone. So the regret after T steps is at least (1/2 - r) (T - n) times the probability that the mean of the "
        "first j rewards is below r for all j = 2 ... n, with n = log T rounded up. That probability falls like a "
        f"power of T with a small exponent, {number(hardest.rate)} for r = {hardest.r}, so the regret grows almost "
        "like T itself, and no logarithm stays above it.",
        exhibits(found),
        _judgements(found),
    )


def _judgements(found: Evidence) -> tuple[Judgement, ...]:
    s, sure = statements, ("sure-regret", "sure-exponents")
    means = listed([number(mean) for mean in found.switching.means])
    places = [f"T = e^{one.violation} (r = {r})" for r, one in found.sure.items() if one.violation is not None]
    passed = f"above the number of the theorem from {listed(places)} on" if places else "never above its number"
    changes = {kind: {rho: found.changes[rho, kind] for rho in RHOS} for kind in ("biased", "unbiased")}
    small = {rho: changes["biased"][rho][2] for rho in RHOS}
    return (
        s.SWITCHING.judge(
            found.switching,
            exhibits=(),
            note=f"The two arms have means of {means}; the rewards of both together vary more than those of either "
            "does on average, by a quarter of the squared difference.",
        ),
        s.MEAN_VARIANCE.judge(
            found.mean_variance,
            exhibits=("changes", "well-behaved"),
            note="The definition asks for a change of less than gamma / n. With the smallest gamma, "
            f"{number(max(found.mean_variance.changes.values()))} for rho = 1, the change is attained for every n; so "
            "it must read 'at most', or gamma be a little larger.",
        ),
        s.DEVIATION.judge(
            found.deviation,
            exhibits=("changes", "well-behaved"),
            note="If the other observations are all 1, one that moves from 1 to 0 changes the standard deviation by "
            "1 / sqrt(n): n times that has no bound. And on coins with success probability p the deviation is "
            "sqrt(p (1 - p)), no polynomial in p, as the expectation of every statistic is.",
        ),
        s.TAIL.judge(
            found.tail,
            exhibits=("changes", "well-behaved"),
            note=f"Its differences are bounded, by gamma = 1 / alpha = {number(1 / ALPHA)}. But on coins it is "
            "max(0, (p + alpha - 1) / alpha), which has a corner and is no polynomial in p: no estimator is without "
            "bias.",
        ),
        s.THEOREM_1.judge(
            found.sure,
            exhibits=(*sure, "constants"),
            note=f"The regret that is surely there is {passed}. The paper gives zeta and theta no form; they are "
            "collected from the end of its appendix. The powers of T contradict any zeta and theta.",
        ),
        s.THEOREM_2.judge(
            found.sure,
            exhibits=sure,
            note="The paper takes the largest zeta log T + theta over all arms, among them the best one, whose gap is "
            "0, and divides by the gap. It must mean the others, and is judged as if it said so.",
        ),
        s.CVAR.judge(
            found.printed,
            exhibits=("printed-cvar",),
            note="The printed formula is right where no single reward has a probability of its own, as in the paper's "
            "simulated arms, and wrong for coins.",
        ),
        s.PRODUCT.judge(
            found.intervals,
            exhibits=("products",),
            note="The left side is that the worse arm a is pulled at all steps s of the interval M_j,t; a factor on "
            "the right is that it wins the duel at step s. The paper argues that given an arm's rewards its "
            "sub-samples are independent. They are, but the better arm is not pulled in between: all duels see the "
            "same few observations of it. Against a constant, who loses one loses all. This is the step at which the "
            "proof of Theorem 1 fails.",
        ),
        s.LEMMA_1.judge(
            found.lemma_1,
            exhibits=(),
            note="The proof is right: log(x + 1) - log x is less than 1 / x, and log x is less than x.",
        ),
        s.LEMMA_2.judge(
            found.betas,
            exhibits=("betas",),
            note="These are numbers for three ratios, not a proof. beta does not grow for ever, because the sum begins "
            "later for larger T; where it begins beyond T, beta is 0. That is little help to Theorem 1: beta bounds a "
            "sum of the products that are no probabilities.",
        ),
        s.GAMMA.judge(
            changes["biased"],
            exhibits=("gamma",),
            elsewhere={"the variance divided by n - 1, without bias": (changes["unbiased"],)},
            note="The largest change is (1 + rho) / n with the variance divided by n - 1, and (1 + rho (1 - 1/n)) / n "
            "with that divided by n, as in the appendix; with two observations the latter is "
            f"{listed([f'{number(change / 2)} for rho = {rho:g}' for rho, change in small.items()])}, which is the "
            "only case in which the printed number is right. So gamma is 1 + rho, not 1 + rho/2.",
        ),
    )
