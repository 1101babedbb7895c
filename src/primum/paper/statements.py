"""The claims of the paper that need no simulation: definitions, theorems and lemmas."""

from __future__ import annotations

from collections.abc import Mapping

from primum.paper.claims import Claim, Part
from primum.paper.computed import Behaviour, Beta, Interval, Printed, SureRegret, Switching

ROUNDING = 1e-9  # less than this is rounding
BOUNDED = 1.1  # what is bounded may grow by so much from 100 to 400 observations
FLAT = 0.05  # a power of T that is still taken for none
SAME = 0.01  # of log10


def _switching(found: Switching) -> tuple[Part, ...]:
    return (
        Part.exact("Sani's regret of alternating between two best arms", found.sani, at_least=ROUNDING),
        Part.exact("its safety-aware regret for each step", found.safety_aware, at_most=ROUNDING),
    )


def _well_behaved(found: Behaviour) -> tuple[Part, ...]:
    return (
        Part.exact("largest bias of the estimator from n coin tosses", found.bias, at_most=ROUNDING),
        Part.exact("n x largest change: 400 against 100 observations", found.growth, at_most=BOUNDED),
    )


def _well_behaved_somehow(found: Behaviour) -> tuple[Part, ...]:
    return (
        Part.exact("smallest possible bias of any estimator from n coin tosses", found.bias, at_most=ROUNDING),
        Part.exact("n x largest change: 400 against 100 observations", found.growth, at_most=BOUNDED),
    )


def _theorem_1(found: Mapping[float, SureRegret]) -> tuple[Part, ...]:
    exponents = _exponents(found)
    excesses = (
        Part.exact(f"r = {r}: largest log10 of the sure regret over the bound, T up to e^400", one.excess, at_most=0)
        for r, one in found.items()
    )
    return (*exponents, *excesses)


def _exponents(found: Mapping[float, SureRegret]) -> tuple[Part, ...]:
    return tuple(
        Part.exact(f"r = {r}: power of T that regret surely grows by", one.exponent(), at_most=FLAT)
        for r, one in found.items()
    )


def _cvar(found: Mapping[str, Printed]) -> tuple[Part, ...]:
    return (
        Part.exact("mixture of normals: printed number less CVaR", found["mixture"].error, at_most=ROUNDING),
        Part.exact("coin 0.5: probability of the condition", found["coin 0.5"].probability, at_least=ROUNDING),
        Part.exact("coin 0.95: printed number less CVaR", found["coin 0.95"].error, at_most=ROUNDING),
    )


def _product(found: tuple[Interval, ...]) -> tuple[Part, ...]:
    return tuple(
        Part.exact(
            f"{one.duels} duels with {one.observations} observations: log10 of the true probability over the product",
            one.log10_ratio,
            at_least=-SAME,
            at_most=SAME,
        )
        for one in found
    )


def _lemma_1(smallest: float) -> tuple[Part, ...]:
    return (Part.exact("smallest 1 / log x as a multiple of log(x + 1) - log x", smallest, at_least=1 + ROUNDING),)


def _lemma_2(found: Mapping[float, tuple[Beta, ...]]) -> tuple[Part, ...]:
    parts = []
    for ratio, betas in found.items():
        *earlier, last = (one.for_each_log for one in betas)
        worst = max(one.beta / one.printed for one in betas)
        growth = last / max(earlier)
        parts += [
            Part.exact(f"gap / gamma = {ratio:g}: largest beta divided by the printed bound", worst, at_most=1),
            Part.exact(
                f"gap / gamma = {ratio:g}: beta / log T at the largest T, divided by the largest before",
                growth,
                at_most=1,
            ),
        ]
    return tuple(parts)


def _gamma(found: Mapping[float, Mapping[int, float]]) -> tuple[Part, ...]:
    return tuple(
        Part.exact(f"rho = {rho:g}: n x largest change", max(changes.values()), at_most=1 + rho / 2)
        for rho, changes in found.items()
    )


TOGETHER = "Both are conditions of the definition: one that fails is enough to fail."
SOMEHOW = (
    "Some estimator from n coin tosses may be without bias, by the differences that its expectation, a polynomial in "
    "the probability, must have; and n times the largest change by one of n observations, at 400 of them, is at most "
    f"{BOUNDED} times that at 100. {TOGETHER}"
)

SWITCHING = Claim(
    3,
    "Section 2",
    "this definition is going to penalize the algorithm if it switches between optimal arms",
    "Sani's regret charges switching between equally good arms; safety-aware regret does not",
    "For a coin and a constant of equal mean-variance, alternating has a regret above 0 by the definition of Sani et "
    "al., and a safety-aware regret of 0.",
    _switching,
)
MEAN_VARIANCE = Claim(
    4,
    "Section 3, Example 1",
    "This is a well-behaved safety function if we use the following estimator for computing empirical mean and "
    "variance",
    "Mean less rho times variance is well-behaved",
    "The estimate from 2 to 6 coin tosses has no bias, by exact expectations; and n times the largest change by one of "
    f"n observations, at 400 of them, is at most {BOUNDED} times that at 100. {TOGETHER}",
    _well_behaved,
    together=True,
)
DEVIATION = Claim(
    5,
    "Section 3, after Example 1",
    "Other types of well-behaved safety function can be defined as a function of standard deviation",
    "The mean less the standard deviation is well-behaved",
    "A function of standard deviation is read as the mean less rho times the standard deviation, with rho = 1. "
    f"{SOMEHOW}",
    _well_behaved_somehow,
    together=True,
)
TAIL = Claim(
    6,
    "Section 3, after Example 1",
    "Other types of well-behaved safety function can be defined as a function of standard deviation or conditional "
    "value at risk",
    "CVaR is well-behaved",
    SOMEHOW,
    _well_behaved_somehow,
    together=True,
)
THEOREM_1 = Claim(
    10,
    "Section 4, Theorem 1",
    "the expected safety-aware regret of the Algorithm BESA+ up to time T is upper bounded as follows: R_T <= zeta "
    "log(T) + theta",
    "With two arms, BESA+'s regret is at most zeta log T + theta",
    "On the paper's example, for each r, the regret that is surely there grows by a power of T of at most "
    f"{FLAT} from T = e^40 to e^80, and is never above the number of the theorem for T up to e^400. One r for which "
    "either fails refutes the theorem.",
    _theorem_1,
    together=True,
)
THEOREM_2 = Claim(
    11,
    "Section 4, Theorem 2",
    "R_T <= (Delta_max ceil(log k) / Delta_a) [zeta log(T) + theta] + k Delta_max n",
    "With k arms, BESA+'s regret is at most a multiple of zeta log T + theta, and a constant",
    "With k = 2 it is Theorem 1 and a constant, so for each r the power of T must be at most "
    f"{FLAT} too; one r for which it is not refutes the theorem.",
    _exponents,
    together=True,
)
CVAR = Claim(
    17,
    "Section 5.2, the equation for CVaR",
    "conditional value at risk level alpha is defined as the expected values of the quantiles of reward distribution",
    "CVaR is E[X | X < v], with v the largest b for which P(X < b) is at most alpha",
    "On an arm of the paper's environment and on two coins, the printed number exists and is the mean of the worst 10 "
    "%.",
    _cvar,
)
PRODUCT = Claim(
    27,
    "Appendix A.2",
    "Pr[for all s in M_j,t: a_s = a] = the product over s in M_j,t of Pr[v_a,s of the sub-sample > v_*,s]",
    "The probability of losing all duels of an interval is the product of those of losing each",
    "On constant 0.4 against uniform, in each interval in which the better arm has the same 3 to 7 observations, the "
    f"log10 of the one over the other is from -{SAME} to {SAME}. One interval in which it is not refutes the equation.",
    _product,
    together=True,
)
LEMMA_1 = Claim(
    28,
    "Appendix A.2, Lemma 1",
    "for all x > 1 we have: log(x) + 1/log(x) > log(x+1)",
    "log x + 1 / log x is above log(x + 1) for all x > 1",
    "On a fine grid from 1 + 10^-12 to 10^12, 1 / log x is more than log(x + 1) - log x.",
    _lemma_1,
    together=True,
)
LEMMA_2 = Claim(
    29,
    "Appendix A.2, Lemma 2",
    "can be upper bounded by a harmonic series",
    "beta is of the order of log T (checked by numbers, which is no proof)",
    "beta depends on the gap and gamma by their ratio alone. For each ratio of 1, 0.7 and 0.5 and T from 10^3 to 10^7, "
    "beta is at most the printed bound, and beta / log T at the largest T is not above what it was before. One number "
    "that is refutes the lemma; all together do not prove it.",
    _lemma_2,
    together=True,
)
GAMMA = Claim(
    30,
    "Appendix B",
    "for x_i in [0, 1] we have |v(x_1, ..., x_i, ..., x_n) - v(x_1, ..., x'_i, ..., x_n)| <= 1/n + rho 1/(2n)",
    "One observation changes mean less rho times variance by at most (1 + rho/2) / n",
    "For rho = 0.5, 1 and 2, with the variance divided by n as in the appendix, n times the largest change found is at "
    "most 1 + rho/2 for every n from 2 on. One rho for which it is not refutes the inequality. The variance divided by "
    "n - 1 stands beside it and decides nothing.",
    _gamma,
    together=True,
)
CLAIMS = (
    SWITCHING,
    MEAN_VARIANCE,
    DEVIATION,
    TAIL,
    THEOREM_1,
    THEOREM_2,
    CVAR,
    PRODUCT,
    LEMMA_1,
    LEMMA_2,
    GAMMA,
)
