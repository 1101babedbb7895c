"""Definitions, theorems and lemmas: the parts that decide the claims, all of them exact numbers."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.chapters.definitions.evidence import Behaviour, Beta, LowerBound, PrintedCVaR, SharedDuels, Switching
from reproduction.claims import BOUNDED_FACTOR, FLAT_EXPONENT, LOG10_TOLERANCE, ROUNDING_ERROR
from reproduction.judgement import Part, Parts


def switching(found: Switching) -> Parts:
    """Claim 3."""
    return (
        Part.exact("Sani's regret of alternating between two best arms", found.sani, at_least=ROUNDING_ERROR),
        Part.exact("its safety-aware regret per step", found.safety_aware, at_most=ROUNDING_ERROR),
    )


def well_behaved(found: Behaviour, bias: str) -> Parts:
    """Claims 4, 5 and 6; `bias` says what the bias of the evidence is."""
    return (
        Part.exact(f"{bias} from n Bernoulli trials", found.bias, at_most=ROUNDING_ERROR),
        Part.exact("n x largest change: n = 400 relative to n = 100", found.growth, at_most=BOUNDED_FACTOR),
    )


def theorem_1(found: Mapping[float, LowerBound]) -> Parts:
    """Claim 10."""
    excesses = (
        Part.exact(
            f"r = {r}: largest log10 of the lower bound over the claimed bound, T up to e^400", one.excess, at_most=0
        )
        for r, one in found.items()
    )
    return (*theorem_2(found), *excesses)


def theorem_2(found: Mapping[float, LowerBound]) -> Parts:
    """Claim 11."""
    return tuple(
        Part.exact(f"r = {r}: power of T by which the lower bound grows", one.exponent(), at_most=FLAT_EXPONENT)
        for r, one in found.items()
    )


def printed_cvar(found: Mapping[str, PrintedCVaR]) -> Parts:
    """Claim 17."""
    return (
        Part.exact("mixture of normals: printed number minus CVaR", found["mixture"].error, at_most=ROUNDING_ERROR),
        Part.exact(
            "Bernoulli 0.5: probability of the condition", found["Bernoulli 0.5"].probability, at_least=ROUNDING_ERROR
        ),
        Part.exact("Bernoulli 0.95: printed number minus CVaR", found["Bernoulli 0.95"].error, at_most=ROUNDING_ERROR),
    )


def product_of_probabilities(found: tuple[SharedDuels, ...]) -> Parts:
    """Claim 27."""
    return tuple(
        Part.exact(
            f"{one.duels} duels with {one.observations} observations: log10 of the true probability over the product",
            one.log10_ratio,
            at_least=-LOG10_TOLERANCE,
            at_most=LOG10_TOLERANCE,
        )
        for one in found
    )


def lemma_1(smallest: float) -> Parts:
    """Claim 28."""
    return (
        Part.exact("smallest 1 / log x as a multiple of log(x + 1) - log x", smallest, at_least=1 + ROUNDING_ERROR),
    )


def lemma_2(found: Mapping[float, tuple[Beta, ...]]) -> Parts:
    """Claim 29."""
    parts = []
    for ratio, betas in found.items():
        *earlier, last = (one.per_log for one in betas)
        worst = max(one.beta / one.printed for one in betas)
        largest = f"gap / gamma = {ratio:g}: largest beta divided by the printed bound"
        growth = f"gap / gamma = {ratio:g}: beta / log T at the largest T, divided by its largest earlier value"
        parts += [Part.exact(largest, worst, at_most=1), Part.exact(growth, last / max(earlier), at_most=1)]
    return tuple(parts)


def bounded_differences(found: Mapping[float, Mapping[int, float]]) -> Parts:
    """Claim 30."""
    return tuple(
        Part.exact(f"rho = {rho:g}: n x largest change", max(changes.values()), at_most=1 + rho / 2)
        for rho, changes in found.items()
    )
