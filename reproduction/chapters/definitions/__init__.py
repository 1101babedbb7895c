"""Definitions and theorems: what is computed and needs no simulation."""

from __future__ import annotations

from collections.abc import Mapping

from primum.results import Results
from primum.runs import Experiment
from primum.text import listed
from reproduction.chapters.definitions import rules
from reproduction.chapters.definitions.evidence import ALPHA, RHOS, Evidence, compute
from reproduction.chapters.definitions.figures import figures
from reproduction.claims import CLAIMS, REWARDS
from reproduction.judgement import Judgement, Parts
from reproduction.report import Chapter
from reproduction.report.numbers import number
from reproduction.scale import Scale


def experiments(scale: Scale) -> dict[str, Experiment]:
    """None: everything is computed."""
    return {}


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter; it needs no results, and is the same at every scale."""
    found = compute()
    hardest = found.lower_bounds[REWARDS[0]]
    return Chapter(
        "definitions",
        "Definitions and theorems",
        "The definitions and theorems of the paper can be checked without simulation: by exact expectations, by trying "
        "all samples on a lattice, and by an exact lower bound on the regret in the paper's own example. Nothing in "
        "this chapter is estimated.\n\n"
        "The lower bound is the main point. One arm always gives r, the other a reward that is uniform on [0, 1]. "
        "While the mean of the uniform arm's rewards is below r, it loses every duel and is pulled only because of the "
        "floor log t. The regret after T steps is therefore at least (1/2 - r) (T - n) times the probability that the "
        "mean of the first j rewards is below r for all j = 2 ... n, with n = log T rounded up. That probability falls "
        f"like a power of T with a small exponent, {number(hardest.rate)} for r = {hardest.r}, so the regret grows "
        "almost linearly in T, and exceeds every logarithm.",
        figures(found),
        _judgements(found),
    )


def _judgements(found: Evidence) -> tuple[Judgement, ...]:
    bounds, behaviour = ("sure-regret", "sure-exponents"), ("changes", "well-behaved")
    means = listed([number(mean) for mean in found.switching.means])
    places = [f"T = e^{one.violation} (r = {r})" for r, one in found.lower_bounds.items() if one.violation is not None]
    exceeds = f"exceeds the bound of the theorem from {listed(places)} on" if places else "never exceeds its bound"
    changes = {kind: {rho: found.changes[rho, kind] for rho in RHOS} for kind in ("biased", "unbiased")}
    two = listed([f"{number(found.changes[rho, 'biased'][2] / 2)} for rho = {rho:g}" for rho in RHOS])
    any_estimator = "smallest possible bias of any estimator"
    judged: dict[int, tuple[Parts, tuple[str, ...], str]] = {
        3: (
            rules.switching(found.switching),
            (),
            f"The two arms have means of {means}; the rewards of both together have a larger variance than the average "
            "of the two variances, by a quarter of the squared difference.",
        ),
        4: (
            rules.well_behaved(found.mean_variance, "largest bias of the estimator"),
            behaviour,
            "The definition asks for a change of less than gamma / n. With the smallest gamma, "
            f"{number(max(found.mean_variance.changes.values()))} for rho = 1, the change is attained for every n; so "
            "the definition should read 'at most', or gamma be slightly larger.",
        ),
        5: (
            rules.well_behaved(found.mean_std, any_estimator),
            behaviour,
            "If all other observations are 1, one that changes from 1 to 0 changes the standard deviation by 1 / "
            "sqrt(n): n times that is unbounded. And for a Bernoulli arm with success probability p the standard "
            "deviation is sqrt(p (1 - p)), which is not a polynomial in p, as the expectation of every statistic is.",
        ),
        6: (
            rules.well_behaved(found.cvar, any_estimator),
            behaviour,
            f"Its differences are bounded, with gamma = 1 / alpha = {number(1 / ALPHA)}. But for a Bernoulli arm it is "
            "max(0, (p + alpha - 1) / alpha), which has a kink and is not a polynomial in p: no estimator is unbiased.",
        ),
        10: (
            rules.theorem_1(found.lower_bounds),
            (*bounds, "constants"),
            f"The lower bound on the regret {exceeds}. The paper gives no formula for zeta and theta; they are "
            "collected from the end of its appendix. The powers of T contradict any zeta and theta.",
        ),
        11: (
            rules.theorem_2(found.lower_bounds),
            bounds,
            "The paper takes the largest zeta log T + theta over all arms, including the best one, whose gap is 0, and "
            "divides by the gap. It must mean the other arms, and is judged as if it said so.",
        ),
        17: (
            rules.printed_cvar(found.printed_cvars),
            ("printed-cvar",),
            "The printed formula is right for continuous distributions, such as the paper's simulated arms, and wrong "
            "for Bernoulli arms.",
        ),
        27: (
            rules.product_of_probabilities(found.shared_duels),
            ("products",),
            "The left side is that the worse arm a is pulled at all steps s of the interval M_j,t; a factor on the "
            "right is that it wins the duel at step s. The paper argues that given an arm's rewards its sub-samples "
            "are independent. They are, but the better arm is not pulled in between: all duels see the same few "
            "observations of it. Against a constant, an arm that loses one duel loses all. This is the step at which "
            "the proof of Theorem 1 fails.",
        ),
        28: (
            rules.lemma_1(found.lemma_1),
            (),
            "The proof is right: log(x + 1) - log x is less than 1 / x, and log x is less than x.",
        ),
        29: (
            rules.lemma_2(found.betas),
            ("betas",),
            "These are numbers for three ratios, not a proof. beta does not grow indefinitely, because the sum starts "
            "later for larger T; where it starts beyond T, beta is 0. That does not help Theorem 1: beta bounds a sum "
            "of products that are not probabilities.",
        ),
        30: (
            rules.bounded_differences(changes["biased"]),
            ("gamma",),
            "The largest change is (1 + rho) / n with the variance divided by n - 1, and (1 + rho (1 - 1/n)) / n with "
            f"the variance divided by n, as in the appendix. With two observations the latter is {two}, the only case "
            "in which the printed number is right. So gamma is 1 + rho, not 1 + rho/2.",
        ),
    }
    unbiased = {"the variance divided by n - 1 (unbiased)": rules.bounded_differences(changes["unbiased"])}
    return tuple(
        CLAIMS[claim].judge(parts, evidence=shown, note=note, other_conditions=unbiased if claim == 30 else None)
        for claim, (parts, shown, note) in judged.items()
    )
