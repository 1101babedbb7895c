"""The figures and tables of the chapter on definitions and theorems."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from primum.figures import Curves, Panels, Reference
from primum.theory import Theorem1
from primum.values import CVaR, MeanStd, MeanVariance
from reproduction.chapters.definitions.evidence import (
    ALPHA,
    Beta,
    Evidence,
    LowerBound,
    PrintedCVaR,
    SharedDuels,
    smallest_bias,
)
from reproduction.chapters.lines import plain_line
from reproduction.claims import REWARDS, ROUNDING_ERROR
from reproduction.report import Figure, Table
from reproduction.report.numbers import number

GAPS = (1.0, 0.5, 0.3, 0.2, 0.1)
DASHED, DOTTED = (4.0, 2.0), (1.0, 2.0)
NOT_JUDGED = (
    (
        "Section 2",
        "Both BESA and Thompson sampling were shown to have comparable performance with Softmax and epsilon-greedy",
        "no measure of comparable performance is given; the table of ranks shows all four",
    ),
    ("Section 2", "Maillard's algorithm seems time-consuming", "a matter of implementation"),
    (
        "Section 4, proof of Theorem 2",
        "the best arm plays at most ceil(log k) matches",
        "true with the logarithm to base 2, not with the natural one that the rest of the paper uses",
    ),
    ("Section 5.1", "a direct illustration of our theoretical result", "an interpretation"),
    ("Section 5.5", "the web application, and that it is new", "software, and a statement about all other software"),
    (
        "Appendix A",
        "with probability higher than 1 - 2 delta; the exponent j Delta^2 / (2 gamma^2)",
        "errors that change constants and can be corrected; docs/theory.md lists them",
    ),
)


def figures(found: Evidence) -> tuple[Figure | Table, ...]:
    """All figures and tables of the chapter."""
    return (
        _lower_bounds(found.lower_bounds),
        _exponents(found.lower_bounds),
        _constants(),
        _changes(found),
        _gamma(found),
        _behaviours(found),
        _shared_duels(found.shared_duels),
        _printed_cvars(found.printed_cvars),
        _betas(found.betas),
        Table(
            "not-judged",
            "Not judged: other statements of the paper",
            "Other statements of the paper, and why there is no verdict on them.",
            ("place", "statement", "why it is not judged"),
            NOT_JUDGED,
        ),
    )


def _lower_bounds(bounds: Mapping[float, LowerBound]) -> Figure:
    panels = []
    for r, one in bounds.items():
        shown = one.log_horizons <= 1.15 * (one.violation or one.log_horizons[-1])
        passed = "" if one.violation is None else f": exceeded at e^{one.violation}"
        named = {"Lower bound on the regret": one.log_regret, "Bound of Theorem 1": one.log_claimed}
        lines = tuple(plain_line(name, np.exp(log[shown])) for name, log in named.items())
        about = f"r = {r}{passed}", "regret on logarithmic axes", "Regret", one.log_horizons[shown].astype(np.float64)
        panels.append(Curves(*about, lines, x_label="log T", log_y=True, legend="Bound"))
    return Figure(
        "sure-regret",
        "An exact lower bound on the regret exceeds the bound of Theorem 1",
        "The horizontal axis is the natural logarithm of the horizon. A line that rises steadily is a power of T. The "
        "bound of the theorem is almost level, because its constant theta is so large; eventually every power of T "
        "exceeds every logarithm. The horizons are far beyond any trial: the theorem is refuted, not the use of the "
        "algorithm.",
        Panels("A lower bound above an upper bound", "BESA+ on constant r against uniform, exact", tuple(panels)),
    )


def _exponents(bounds: Mapping[float, LowerBound]) -> Table:
    rows = tuple(
        (
            f"{r}",
            f"{one.rate:.4f}",
            f"{one.exponent():.3f}",
            f"{one.exponent(200, 400):.3f}",
            f"{1 - one.rate:.3f}",
            "none" if one.violation is None else f"e^{one.violation} = 10^{one.violation / math.log(10):.1f}",
        )
        for r, one in bounds.items()
    )
    return Table(
        "sure-exponents",
        "The power of T by which the regret grows at least",
        "The slope of the lower bound on logarithmic axes; it tends to 1 - I(r), where I is the Cramér rate of the "
        "uniform distribution. A logarithm has a slope that tends to 0.",
        ("r", "I(r)", "slope, T = e^40 to e^80", "e^200 to e^400", "1 - I(r)", "exceeds the theorem's bound at T ="),
        rows,
    )


def _constants() -> Table:
    horizon = 10**6
    rows = []
    for gap in GAPS:
        claim = Theorem1(gap, 1.0)
        bound = claim.at(horizon)
        cells = (f"{x:.3g}" for x in (claim.zeta, claim.theta, float(np.exp(bound.log_bound))))
        rows.append((f"{gap}", *cells, number(gap * horizon), "nothing" if bound.is_trivial else "something"))
    return Table(
        "constants",
        "The bound of Theorem 1 in numbers",
        f"zeta and theta for gamma = 1, the bound after {horizon:,} steps, and the trivial bound: the gap at every "
        "step. Where the trivial bound is smaller, the theorem says nothing.",
        ("gap", "zeta", "theta", f"bound, T = {horizon:,}", "trivial bound", "the theorem adds"),
        tuple(rows),
    )


def _gamma(found: Evidence) -> Figure:
    drawn = {
        "variance / (n - 1), unbiased": found.changes[1.0, "unbiased"],
        "variance / n, biased": found.changes[1.0, "biased"],
    }
    sizes = len(found.changes[1.0, "biased"])
    return _by_size(
        "gamma",
        "How much one of n observations can change mean minus variance",
        "n times the largest change of the estimate, with rho = 1. The level that no curve exceeds is gamma: "
        "1 + rho, not 1 + rho/2.",
        ("The largest change by one observation, and the paper's bound", "mean minus variance"),
        drawn,
        legend="Estimator",
        references=(
            Reference("1 + rho/2, as printed", "1.5", np.full(sizes, 1.5), DASHED),
            Reference("1 + rho", "2", np.full(sizes, 2.0), DOTTED),
        ),
    )


def _changes(found: Evidence) -> Figure:
    drawn = {
        "Mean minus variance": found.mean_variance.changes,
        "Mean minus std": found.mean_std.changes,
        f"CVaR {100 * ALPHA:g} %": found.cvar.changes,
    }
    return _by_size(
        "changes",
        "How much one of n observations can change an estimate",
        "n times the largest change, with rho = 1. A well-behaved value needs a level that its curve never exceeds: "
        "gamma. For the mean minus the standard deviation there is none.",
        ("The largest change by one observation", "the estimate"),
        drawn,
        log_y=True,
        legend="Value",
    )


def _by_size(
    name: str, title: str, text: str, picture: tuple[str, str], drawn: Mapping[str, Mapping[int, float]], **more: Any
) -> Figure:
    """n times the largest change, against n; `picture` has its title and says what changes."""
    sizes = sorted(next(iter(drawn.values())))
    lines = tuple(plain_line(label, np.array([changes[n] for n in sizes])) for label, changes in drawn.items())
    heading, subtitle = picture[0], f"n times the largest change of {picture[1]}, rewards in [0, 1]"
    axes: dict[str, Any] = {"log": True, "x_label": "Observations n"}
    return Figure(
        name,
        title,
        text,
        Curves(heading, subtitle, "n x largest change", np.array(sizes, np.float64), lines, **axes, **more),
    )


def _behaviours(found: Evidence) -> Table:
    named = {
        "mean minus variance": (MeanVariance(1.0), found.mean_variance),
        "mean minus standard deviation": (MeanStd(1.0), found.mean_std),
        f"CVaR {100 * ALPHA:g} %": (CVaR(ALPHA), found.cvar),
    }
    rows = []
    for name, (value, behaviour) in named.items():
        biases = (smallest_bias(value, n) for n in (5, 50))
        shown = (f"{bias:.2g}" if bias > ROUNDING_ERROR else "0" for bias in biases)
        rows.append((name, *shown, *(number(behaviour.changes[n]) for n in (2, 10, 100, 400))))
    return Table(
        "well-behaved",
        "Which values are well-behaved",
        "The smallest possible bias of any estimator from n Bernoulli trials: none does better for every success "
        "probability. Where it is 0, there may be an unbiased estimator, and for mean minus variance there is one. And "
        "n times the largest change by one of n observations, which must be bounded.",
        ("value", "smallest possible bias, 5 trials", "50 trials", "n x largest change, n = 2", "10", "100", "400"),
        tuple(rows),
    )


def _shared_duels(found: tuple[SharedDuels, ...]) -> Table:
    rows = tuple(
        (f"{one.observations}", f"{one.duels:,}", f"{one.single:.3f}", f"10^{one.duels * math.log10(one.single):.1f}")
        for one in found
    )
    return Table(
        "products",
        "Losing all duels of an interval",
        f"Constant {REWARDS[0]} against uniform. The better arm loses all duels of the interval with the same "
        "probability as one of them; the appendix multiplies the probabilities.",
        ("observations of the better arm", "duels", "probability of losing them all", "the appendix's product"),
        rows,
    )


def _printed_cvars(found: Mapping[str, PrintedCVaR]) -> Table:
    rows = tuple(
        (
            "mixture of four normals" if name == "mixture" else name,
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
        f"{100 * ALPHA:g} % of outcomes.",
        ("arm", "P(X < v)", "E[X | X < v]", "mean of the worst outcomes"),
        rows,
    )


def _betas(found: Mapping[float, tuple[Beta, ...]]) -> Table:
    rows = tuple(
        (f"{ratio:g}", f"{one.horizon:,}", number(one.beta), number(one.per_log), number(one.printed))
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
