"""The chapter on definitions and theorems: what is computed, and needs no simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from primum.experiments import Experiment
from primum.figures import Curves, Line, Panels, Reference
from primum.paper import computed, statements
from primum.paper.chapter import Chapter, Figure, Table
from primum.paper.claims import Judgement
from primum.paper.computed import Behaviour, Beta, Interval, Printed, SureRegret, Switching
from primum.paper.scale import Scale
from primum.paper.showing import listed, number
from primum.paper.statements import CLAIMS
from primum.results import Results
from primum.theory import Theorem1
from primum.values import CVaR, MeanStd, MeanVariance

__all__ = ["CLAIMS", "Evidence", "chapter", "evidence", "experiments"]

REWARDS = (0.4, 0.3, 0.2)  # r of the paper's example
GAPS = (1.0, 0.5, 0.3, 0.2, 0.1)
RATIOS = (1.0, 0.7, 0.5)  # gap / gamma
RHOS = (0.5, 1.0, 2.0)
ALPHA = 0.1
DASHED, DOTTED = (4.0, 2.0), (1.0, 2.0)


@dataclass(frozen=True)
class Evidence:
    """All that the chapter shows and judges by."""

    switching: Switching
    mean_variance: Behaviour
    deviation: Behaviour
    tail: Behaviour
    sure: Mapping[float, SureRegret]
    printed: Mapping[str, Printed]
    intervals: tuple[Interval, ...]
    lemma_1: float
    betas: Mapping[float, tuple[Beta, ...]]  # by gap / gamma
    changes: Mapping[tuple[float, str], Mapping[int, float]]


def evidence() -> Evidence:
    """Compute it; a second or two."""
    changes = {}
    for rho in RHOS:
        changes[rho, "unbiased"] = computed.largest_changes(MeanVariance(rho).of)
        changes[rho, "biased"] = computed.largest_changes(computed.biased_mean_variance(rho))
    return Evidence(
        computed.switching(),
        Behaviour(computed.bias_on_coins(MeanVariance(1.0)), changes[1.0, "unbiased"]),
        computed.behaviour(MeanStd(1.0)),
        computed.behaviour(CVaR(ALPHA)),
        {r: computed.sure_regret(r) for r in REWARDS},
        computed.printed_cvars(ALPHA),
        computed.intervals(REWARDS[0]),
        computed.lemma_1(),
        {ratio: computed.betas(ratio) for ratio in RATIOS},
        changes,
    )


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
        (
            _sure_regret(found.sure),
            _exponents(found.sure),
            _constants(),
            _changes(found),
            _gamma(found),
            _behaviours(found),
            _intervals(found.intervals),
            _printed(found.printed),
            _betas(found.betas),
            _not_judged(),
        ),
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


def _line(label: str, middle: computed.Array) -> Line:
    nothing = np.full(len(middle), np.nan)
    return Line(label, middle, nothing, nothing)


def _sure_regret(sure: Mapping[float, SureRegret]) -> Figure:
    panels = []
    for r, one in sure.items():
        shown = one.log_horizons <= 1.15 * (one.violation or one.log_horizons[-1])
        passed = "" if one.violation is None else f": passed at e^{one.violation}"
        panels.append(
            Curves(
                f"r = {r}{passed}",
                "regret on two logarithmic axes",
                "Regret",
                one.log_horizons[shown].astype(np.float64),
                (
                    _line("Regret that is surely there", np.exp(one.log_regret[shown])),
                    _line("Bound of Theorem 1", np.exp(one.log_claimed[shown])),
                ),
                x_label="log T",
                log_y=True,
                legend="What",
            )
        )
    return Figure(
        "sure-regret",
        "The regret that is surely there passes the bound of Theorem 1",
        "Left to right the horizon grows; its natural logarithm is on the axis. A line that rises steadily is a power "
        "of T. The theorem's bound is all but level, because its constant theta is so large; in the end every power "
        "of T passes every logarithm. The horizons are far beyond any trial: what is refuted is the theorem, not the "
        "use of the algorithm.",
        Panels("A lower bound above an upper bound", "BESA+ on constant r against uniform, exact", tuple(panels)),
    )


def _exponents(sure: Mapping[float, SureRegret]) -> Table:
    rows = tuple(
        (
            f"{r}",
            f"{one.rate:.4f}",
            f"{one.exponent():.3f}",
            f"{one.exponent(200, 400):.3f}",
            f"{1 - one.rate:.3f}",
            "none" if one.violation is None else f"e^{one.violation} = 10^{one.violation / math.log(10):.1f}",
        )
        for r, one in sure.items()
    )
    return Table(
        "sure-exponents",
        "By which power of T the regret surely grows",
        "The slope of the lower bound on two logarithmic axes; it tends to 1 - I(r), where I is the Cramér rate of the "
        "uniform distribution. A logarithm has a slope that tends to 0.",
        ("r", "I(r)", "slope, T = e^40 to e^80", "e^200 to e^400", "1 - I(r)", "passes the theorem's bound at T ="),
        rows,
    )


def _constants() -> Table:
    horizon = 10**6
    rows = []
    for gap in GAPS:
        claim = Theorem1(gap, 1.0)
        bound = claim.at(horizon)
        says = "nothing" if bound.is_trivial else "something"
        rows.append(
            (
                f"{gap}",
                f"{claim.zeta:.3g}",
                f"{claim.theta:.3g}",
                f"{float(np.exp(bound.log_bound)):.3g}",
                number(gap * horizon),
                says,
            )
        )
    return Table(
        "constants",
        "What Theorem 1 claims, in numbers",
        f"zeta and theta for gamma = 1, their bound after {horizon:,} steps, and the trivial bound: the gap at every "
        "step. Where the trivial one is smaller, the theorem says nothing.",
        ("gap", "zeta", "theta", f"bound, T = {horizon:,}", "trivial bound", "the theorem says"),
        tuple(rows),
    )


def _gamma(found: Evidence) -> Figure:
    kinds = {"variance / (n - 1), unbiased": "unbiased", "variance / n, biased": "biased"}
    levels = {"1 + rho/2, as printed": (1.5, DASHED), "1 + rho": (2.0, DOTTED)}
    sizes = sorted(found.changes[1.0, "biased"])
    return Figure(
        "gamma",
        "How much one of n observations can change mean less variance",
        "n times the largest change of the estimate, with rho = 1. The level that no curve passes is gamma: "
        "1 + rho, not 1 + rho/2.",
        Curves(
            "What one observation changes, and what the paper says",
            "n times the largest change of mean less variance, rewards in [0, 1]",
            "n x largest change",
            np.array(sizes, np.float64),
            tuple(
                _line(label, np.array([found.changes[1.0, kind][n] for n in sizes])) for label, kind in kinds.items()
            ),
            log=True,
            x_label="Observations n",
            legend="Estimator",
            references=tuple(
                Reference(label, f"{level:g}", np.full(len(sizes), level), dash)
                for label, (level, dash) in levels.items()
            ),
        ),
    )


def _changes(found: Evidence) -> Figure:
    drawn = {
        "Mean less variance": found.mean_variance.changes,
        "Mean less deviation": found.deviation.changes,
        f"CVaR {ALPHA:.0%}": found.tail.changes,
    }
    sizes = sorted(found.tail.changes)
    return Figure(
        "changes",
        "How much one of n observations can change an estimate",
        "n times the largest change, with rho = 1. The definition of a well-behaved value needs a level that no curve "
        "passes: that is gamma. For the mean less the standard deviation there is none.",
        Curves(
            "What one observation can change",
            "n times the largest change of the estimate, rewards in [0, 1]",
            "n x largest change",
            np.array(sizes, np.float64),
            tuple(_line(label, np.array([changes[n] for n in sizes])) for label, changes in drawn.items()),
            log=True,
            log_y=True,
            x_label="Observations n",
            legend="Value",
        ),
    )


def _behaviours(found: Evidence) -> Table:
    named = {
        "mean less variance": (MeanVariance(1.0), found.mean_variance),
        "mean less standard deviation": (MeanStd(1.0), found.deviation),
        f"CVaR {ALPHA:.0%}": (CVaR(ALPHA), found.tail),
    }
    rows = []
    for name, (value, behaviour) in named.items():
        biases = (computed.least_bias(value, n) for n in (5, 50))
        shown = (f"{bias:.2g}" if bias > statements.ROUNDING else "0" for bias in biases)
        rows.append((name, *shown, *(number(behaviour.changes[n]) for n in (2, 10, 100, 400))))
    return Table(
        "well-behaved",
        "Which values are well-behaved",
        "The smallest possible bias of any estimator from n coin tosses: none does better for every probability of "
        "success. Where it is 0, there may be an estimator without bias, and for mean less variance there is. And n "
        "times the largest change by one of n observations, which must have a bound.",
        ("value", "smallest possible bias, 5 tosses", "50 tosses", "n x largest change, n = 2", "10", "100", "400"),
        tuple(rows),
    )


def _intervals(found: tuple[Interval, ...]) -> Table:
    rows = tuple(
        (f"{one.observations}", f"{one.duels:,}", f"{one.single:.3f}", f"10^{one.duels * math.log10(one.single):.1f}")
        for one in found
    )
    return Table(
        "products",
        "Losing all duels of an interval",
        f"Constant {REWARDS[0]} against uniform. The better arm loses all duels of the interval with the same "
        "probability as one of them; the appendix multiplies.",
        ("observations of the better arm", "duels", "probability of losing them all", "the appendix's product"),
        rows,
    )


def _printed(found: Mapping[str, Printed]) -> Table:
    rows = tuple(
        (
            {"mixture": "mixture of four normals"}.get(name, name),
            number(one.probability),
            number(one.number) if math.isfinite(one.number) else "undefined",
            number(one.cvar),
        )
        for name, one in found.items()
    )
    return Table(
        "printed-cvar",
        "CVaR as printed",
        f"E[X | X < v] with v the largest b for which P(X < b) is at most {ALPHA}, and the mean of the worst "
        f"{ALPHA:.0%} of outcomes.",
        ("arm", "P(X < v)", "E[X | X < v]", "mean of the worst outcomes"),
        rows,
    )


def _betas(found: Mapping[float, tuple[Beta, ...]]) -> Table:
    rows = tuple(
        (f"{ratio:g}", f"{one.horizon:,}", number(one.beta), number(one.for_each_log), number(one.printed))
        for ratio, betas in found.items()
        for one in betas
    )
    return Table(
        "betas",
        "beta of Lemma 2",
        "For three ratios of gap and gamma: beta, beta / log T, and the bound at the end of the lemma's proof. Where "
        "the sum begins beyond T, beta is 0.",
        ("gap / gamma", "T", "beta", "beta / log T", "printed bound"),
        rows,
    )


def _not_judged() -> Table:
    return Table(
        "not-judged",
        "Not judged: other statements of the paper",
        "What the paper also says, and why there is no verdict on it here.",
        ("place", "what it says", "why it is not judged"),
        (
            (
                "Section 2",
                "Both BESA and Thompson sampling were shown to have comparable performance with Softmax and "
                "epsilon-greedy",
                "no measure of comparable is given; the table of ranks shows all four",
            ),
            (
                "Section 2",
                "Maillard's algorithm seems time-consuming",
                "a matter of implementation",
            ),
            (
                "Section 4, proof of Theorem 2",
                "the best arm plays at most ceil(log k) matches",
                "true with the logarithm to base 2, not with the natural one that the rest of the paper uses",
            ),
            (
                "Section 5.1",
                "a direct illustration of our theoretical result",
                "an interpretation",
            ),
            (
                "Section 5.5",
                "the web application, and that it is new",
                "software, and a statement about all other software",
            ),
            (
                "Appendix A",
                "with probability higher than 1 - 2 delta; the exponent j Delta^2 / (2 gamma^2)",
                "slips that change constants, and can be repaired; docs/theory.md lists them",
            ),
        ),
    )
