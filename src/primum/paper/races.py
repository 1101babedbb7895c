"""BESA+ against BESA on a constant arm and a uniform one: what the paper claims of it, and the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from primum.paper.claims import Claim, Part
from primum.paper.showing import difference, triple
from primum.results.intervals import paired_share_band, share_band
from primum.results.results import STUCK
from primum.theory.growth import Growth, growth

Array = np.ndarray[Any, Any]

REWARDS = (0.4, 0.3, 0.2)  # r of Figures 1, 2 and 3

ALMOST_LINEAR = 0.9  # index of growth: 1 is a line, 0 a logarithm
LOGARITHMIC = 0.1
RARE = 0.01  # of the runs
LEARNT = 0.95  # of the runs
NEAR = 0.02  # a probability is r to within this
NEGLIGIBLE = 0.1  # of the least growth that is possible


@dataclass(frozen=True)
class Race:
    """BESA+ and BESA on one r: how often each replication had pulled the uniform arm, the better one, by each step."""

    r: float
    steps: Array
    pulls: Mapping[str, Array]
    _growths: dict[str, Growth] = field(default_factory=dict, compare=False)

    @property
    def gap(self) -> float:
        return 0.5 - self.r

    def regret(self, policy: str) -> Array:
        """Accumulated regret, replication x step."""
        return self.gap * (self.steps - self.pulls[policy])

    def stuck(self, policy: str) -> Array:
        """Which replications are stuck by each step, replication x step."""
        return np.asarray(self.pulls[policy] < STUCK / 2 * self.steps)

    def growth(self, policy: str) -> Growth:
        """The index of growth of the mean regret."""
        if policy not in self._growths:
            self._growths[policy] = growth(self.regret(policy), self.steps)
        return self._growths[policy]

    def cut(self, replications: int | None = None, until: float = 1.0) -> Race:
        """The first replications only, or only the first part of the steps."""
        kept = np.searchsorted(self.steps, until * self.steps[-1] * (1 + 1e-9))
        pulls = {policy: counts[:replications, :kept] for policy, counts in self.pulls.items()}
        return Race(self.r, self.steps[:kept], pulls)


def _each(
    says: str, races: Mapping[float, Race], policy: str, at_least: float = -np.inf, at_most: float = np.inf
) -> tuple[Part, ...]:
    """A part about the index of growth for each r."""
    found = {r: race.growth(policy) for r, race in races.items()}
    return tuple(Part(f"r = {r}: {says}", f.index, f.low, f.high, at_least, at_most) for r, f in found.items())


def _admissible(races: Mapping[float, Race]) -> tuple[Part, ...]:
    return _each("index of growth of BESA's mean regret", races, "besa", at_most=LOGARITHMIC)


def _never_again(races: Mapping[float, Race]) -> tuple[Part, ...]:
    parts = []
    for r, race in races.items():
        share = share_band(race.pulls["besa"][:, -1] == 1)
        says = f"r = {r}: share of runs in which BESA tried the better arm once only, less r"
        parts.append(Part(says, *triple(share - r), at_least=-NEAR, at_most=NEAR))
    return tuple(parts)


def _evades(races: Mapping[float, Race]) -> tuple[Part, ...]:
    parts = []
    for r, race in races.items():
        stuck = race.stuck("besa-plus")
        earlier = np.searchsorted(race.steps, race.steps[-1] / 10)
        parts.append(
            Part(f"r = {r}: share of runs that are stuck at the end", *triple(share_band(stuck[:, -1])), at_most=RARE)
        )
        change = paired_share_band(stuck[:, -1], stuck[:, earlier])
        parts.append(
            Part(f"r = {r}: that share less the share at a tenth of the horizon", *triple(change), at_most=0.0)
        )
    return tuple(parts)


def _negligible(forced: Mapping[str, float], at_most: float) -> tuple[Part, ...]:
    return tuple(Part.exact(says, cost, at_most=at_most) for says, cost in forced.items())


def _almost_linear(races: Mapping[float, Race]) -> tuple[Part, ...]:
    return _each("index of growth of BESA's mean regret", races, "besa", at_least=ALMOST_LINEAR)


def _learns(races: Mapping[float, Race]) -> tuple[Part, ...]:
    parts = []
    for r, race in races.items():
        late = np.searchsorted(race.steps, 0.9 * race.steps[-1])
        pulls = race.pulls["besa-plus"]
        prefers = pulls[:, -1] - pulls[:, late] > (race.steps[-1] - race.steps[late]) / 2
        says = f"r = {r}: share of runs in which BESA+ prefers the better arm in the last tenth of the steps"
        parts.append(Part(says, *triple(share_band(prefers)), at_least=LEARNT))
    return tuple(parts)


def _logarithmic(races: Mapping[float, Race]) -> tuple[Part, ...]:
    return _each("index of growth of BESA+'s mean regret", races, "besa-plus", at_most=LOGARITHMIC)


def _faster(races: Mapping[float, Race]) -> tuple[Part, ...]:
    return tuple(
        Part(
            f"r = {r}: final regret of BESA+ less that of BESA",
            *difference(race.regret("besa-plus")[:, -1], race.regret("besa")[:, -1]),
            at_most=0.0,
        )
        for r, race in races.items()
    )


def _harder(races: Mapping[float, Race]) -> tuple[Part, ...]:
    parts = []
    ordered = sorted(races)
    for nearer, further in zip(ordered[1:], ordered, strict=False):
        final = [races[r].regret("besa-plus")[:, -1] for r in (nearer, further)]
        stuck = [races[r].stuck("besa-plus")[:, -1] for r in (nearer, further)]
        parts.append(
            Part(f"final regret of BESA+ at r = {nearer} less at r = {further}", *difference(*final), at_least=0.0)
        )
        says = f"share of stuck runs of BESA+ at r = {nearer} less at r = {further}"
        parts.append(Part(says, *triple(paired_share_band(*stuck)), at_least=0.0))
    return tuple(parts)


ADMISSIBLE = Claim(
    1,
    "Section 2",
    "Several algorithms have been shown to produce admissible policies, including UCB1, Thompson sampling and BESA",
    "BESA's regret is logarithmic (it is admissible)",
    f"On the paper's example, for each r, the index of growth of BESA's mean regret is at most {LOGARITHMIC}.",
    _admissible,
)
NEVER_AGAIN = Claim(
    7,
    "Section 4, before Theorem 1",
    "there exists a probability of r that the BESA algorithm is going to constantly choose the first arm",
    "With probability r, BESA tries the better arm once and never again",
    f"For each r, the share of such runs is r to within {NEAR}.",
    _never_again,
)
EVADES = Claim(
    8,
    "Section 4, before Theorem 1",
    "BESA+ evades this problem by letting the second arm be selected enough times such that it eventually becomes "
    "distinguishable from the first arm",
    "BESA+ is not stuck on the worse arm",
    f"For each r, at most {RARE:.0%} of the runs are stuck at the end (the better arm got less than a tenth of the "
    "pulls), and fewer than at a tenth of the horizon.",
    _evades,
)
FLOOR = Claim(
    9,
    "Section 4, below Algorithm 1",
    "this change in the algorithm is negligible in terms of establishing the total expected regret, as we cannot "
    "achieve any better bound than log(T)",
    "The floor log t does not change the order of the regret",
    "The pulls of an arm that the floor forces by the end are at most log T + 1. Whether that is little beside what a "
    f"good policy needs is looked at too: at most {NEGLIGIBLE:.0%} of the least growth that is possible for any policy "
    "that is good on all problems (Burnetas and Katehakis).",
    _negligible,
)
LINEAR = Claim(
    12,
    "Section 5.1, Figures 1 to 3",
    "BESA has an almost a linear regret behavior",
    "BESA's regret is almost linear",
    f"For each r, the index of growth of BESA's mean regret is at least {ALMOST_LINEAR} (1 is a line).",
    _almost_linear,
)
LEARNS = Claim(
    13,
    "Section 5.1, Figures 1 to 3",
    "BESA+ can learn the optimal arm within the given time horizon",
    "BESA+ learns the better arm within the horizon",
    f"For each r, in at least {LEARNT:.0%} of the runs most pulls of the last tenth of the steps go to the better arm.",
    _learns,
)
BOUNDED = Claim(
    14,
    "Section 5.1, Figures 1 to 3",
    "its expected accumulated regret is upper bounded by a log function",
    "BESA+'s mean regret is bounded by a logarithm",
    f"For each r, the index of growth of BESA+'s mean regret is at most {LOGARITHMIC} (0 is a logarithm).",
    _logarithmic,
)
FASTER = Claim(
    15,
    "Section 5.1, Figures 1 to 3",
    "It is also easy to notice that BESA+ has a faster convergence rate compared with BESA.",
    "BESA+ has less regret than BESA",
    "For each r, the final regret of BESA+ less that of BESA, paired by replication, is below 0.",
    _faster,
)
HARDER = Claim(
    16,
    "Section 5.1, Figures 1 to 3",
    "As r gets closer to 0.5, the problem becomes harder.",
    "The problem gets harder as r nears 0.5",
    "From r = 0.2 to 0.3 and from 0.3 to 0.4, the final regret of BESA+ and its share of stuck runs go up.",
    _harder,
)
CLAIMS = (ADMISSIBLE, NEVER_AGAIN, EVADES, FLOOR, LINEAR, LEARNS, BOUNDED, FASTER, HARDER)
