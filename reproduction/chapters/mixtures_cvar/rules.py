"""MARAB's parameter C: the part that decides whether C = 1 is the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from primum.policies import Marab
from primum.results.intervals import Array
from reproduction.chapters.environments import difference, halves, mean
from reproduction.claims import PENALTIES
from reproduction.judgement import Part, Parts

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray

ALPHA = 0.1
PAPER_PENALTY = 1.0


def marab(penalty: float) -> str:
    """The label of MARAB with this C."""
    return Marab(penalty=penalty).label


MARAB = marab(PAPER_PENALTY)


def grid_search(regret: DataArray) -> tuple[float, Array]:
    """The best C other than 1 in one half of the environments, and the regret that C = 1 adds in the other half."""
    first, second = halves(regret)
    others = (penalty for penalty in PENALTIES if penalty != PAPER_PENALTY)
    best = min(others, key=lambda penalty: float(mean(first, marab(penalty))[0]))
    return best, difference(second, MARAB, marab(best))


def best_penalty(regret: DataArray) -> Parts:
    """Claim 18."""
    other, band = grid_search(regret)
    statement = f"mean regret with C = {PAPER_PENALTY:g} minus that with the best other C, {other:g}"
    return (Part.estimate(statement, band, at_most=0),)
