"""The figures and tables of the chapter on definitions and theorems."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from primum.figures import Curves, Panels, Reference
from primum.paper import computed, statements
from primum.paper.chapter import Figure, Table
from primum.paper.computed import ALPHA, Beta, Evidence, Interval, Printed, SureRegret
from primum.paper.races import REWARDS
from primum.paper.showing import line, number
from primum.theory import Theorem1
from primum.values import CVaR, MeanStd, MeanVariance

GAPS = (1.0, 0.5, 0.3, 0.2, 0.1)
DASHED, DOTTED = (4.0, 2.0), (1.0, 2.0)


def exhibits(found: Evidence) -> tuple[Figure | Table, ...]:
    """All of them, from what was computed."""
    return (
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
    )


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
                    line("Regret that is surely there", np.exp(one.log_regret[shown])),
                    line("Bound of Theorem 1", np.exp(one.log_claimed[shown])),
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
            tuple(line(label, np.array([found.changes[1.0, kind][n] for n in sizes])) for label, kind in kinds.items()),
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
            tuple(line(label, np.array([changes[n] for n in sizes])) for label, changes in drawn.items()),
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
