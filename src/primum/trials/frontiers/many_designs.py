"""frontier(): many designs in a scenario, what they give their patients, and the power of a valid test."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import PrimumError
from primum.plugins.parameters import Parameter
from primum.runs.progress import Bar, Progress
from primum.runs.simulation import LARGEST_COUNT, whole
from primum.store import Store, fingerprints
from primum.trials.design import Design
from primum.trials.exact_law.calibration import bisected, least_size
from primum.trials.frontiers.candidates import COINS, alpha_of, candidates, has_exact_law, side_of
from primum.trials.frontiers.points import FORMAT, Pairs, Point, best_arms, point
from primum.trials.optimum.curve import Ceiling, ceiling
from primum.trials.optimum.question import pairs_of
from primum.trials.scenario import Scenario
from primum.trials.sizing import SampleSize

if TYPE_CHECKING:
    from pandas import DataFrame

POWER = Parameter("", 0.0, 1.0, open_low=True, open_high=True)
CEILING_POWERS = 3  # for which the ceiling is computed, from the lowest power of the designs to the highest
LEAST_POWER = 0.05  # of these


@dataclass(frozen=True)
class Frontier:
    """What designs do in a scenario: a `Point` for each, the given design first.

    Exact numbers are averages over the pairs of the `prior`. `ceiling` is the share that no design of any kind can
    exceed, by power, for two arms with outcomes 0 and 1; None where that is not known. `failed` are designs without a
    point, with the reason.
    """

    points: tuple[Point, ...]
    scenario: Scenario
    prior: Pairs = ()
    ceiling: Ceiling | None = None
    failed: dict[str, str] = field(default_factory=dict)
    replications: int = 0
    seed: int = 0

    def dominated(self) -> list[bool]:
        """Whether another design gives at least as much of both, and more of one, for each point."""
        numbers = np.array([[each.share, each.power] for each in self.points])
        return [bool(((numbers >= own).all(axis=1) & (numbers > own).any(axis=1)).any()) for own in numbers]

    def most_helped(self, power: float) -> Point:
        """The design with the largest share on the best arm among those with this power."""
        power = POWER.check("power", power)
        enough = [each for each in self.points if each.power >= power]
        if not enough:
            best = max(self.points, key=lambda each: each.power)
            raise PrimumError(f"no design has a power of {power:g}; {best.name} has the largest, {best.power:.4f}")
        return max(enough, key=lambda each: each.share)

    def cheapest(self, power: float, *, progress: bool = True) -> SampleSize:
        """The smallest number of patients with this power, over the designs that no other dominates.

        Each is given as many patients as it needs, with a valid test at that size, but no more than five times those of
        the given design.
        """
        power = POWER.check("power", power)
        shown = [each for each, worse in zip(self.points, self.dominated(), strict=True) if not worse]
        shown.sort(key=lambda each: (each.power, each.share), reverse=True)
        most, best = 5 * shown[0].design.patients, None
        with Bar(len(shown), progress) as bar:
            bar.say("sizing designs")
            for done, each in enumerate(shown):
                found = self._sized(each, power, most)
                if found is not None:
                    best, most = found, int(found) - 1
                bar.update(done + 1)
        if best is None:
            raise PrimumError(
                f"no design has a power of {power:g} with {5 * self.points[0].design.patients:,} patients"
            )
        return best

    def _sized(self, found: Point, power: float, most: int) -> SampleSize | None:
        """The number of patients that a design needs; None if that is more than `most`."""

        def resized(patients: int) -> Point:
            design = found.design.resized(patients)
            return point(design, self.scenario, self.prior, self.replications, self.seed, None)

        least = max(least_size(found.design), len(found.design.arms) * max(1, found.design.burn_in))
        if least > most:
            return None
        patients = bisected(lambda patients: resized(patients).power >= power, least, most)
        if patients is None:
            return None
        reached = resized(patients)
        return SampleSize.of(reached.design, reached.power, reached.power_error)

    def table(self) -> DataFrame:
        """A row for each design, the one with the largest power first."""
        from pandas import DataFrame

        rows = [
            {
                "design": each.name,
                "share": each.share,
                "share_error": each.share_error,
                "power": each.power,
                "power_error": each.power_error,
                "test": each.design.test.display_name,
                "type_1": each.type_1,
                "dominated": worse,
            }
            for each, worse in zip(self.points, self.dominated(), strict=True)
        ]
        return DataFrame(rows).sort_values(["power", "share"], ascending=False, ignore_index=True)

    def picture(self) -> Any:
        """The figure as data, with `static()` for Matplotlib and `interactive()` for Plotly."""
        from primum.trials.frontiers.picture import draw

        return draw(self)

    def figure(self, *, interactive: bool = False) -> Any:
        """The share on the best arm against power, a point for each design: Matplotlib, or Plotly if `interactive`."""
        picture = self.picture()
        return picture.interactive() if interactive else picture.static()

    def __repr__(self) -> str:
        best = len(self.points) - sum(self.dominated())
        return f"<Frontier: {len(self.points)} designs, {best} not dominated; {self.scenario.display_name}>"


def frontier(
    design: Design,
    scenario: Any,
    *,
    policies: Iterable[Any] | None = None,
    coins: Sequence[float] = COINS,
    burn_ins: Sequence[int] | None = None,
    looks: Sequence[Sequence[float]] = ((),),
    prior: Sequence[tuple[float, float]] | None = None,
    with_ceiling: bool = True,
    replications: int = 1_000,
    seed: int = 0,
    store: Store | str | os.PathLike[str] | None = None,
    progress: bool | Progress = True,
) -> Frontier:
    """What many designs give their patients, and what they find out, with the best that is possible.

    They are the `design` with each of the `policies`, `coins`, `burn_ins` (patients of each arm) and `looks` (fractions
    of the patients at which a group sequential test may stop it, after which all others get the winner). Left out are
    those that would be the same. Unless policies are given, there are the usual ones, and equal randomisation that
    stops early. Each design has a test that holds its level although allocation adapts, with the level and the
    alternative of the design's own test.

    For two arms with outcomes 0 and 1 and no drift all is exact, and there is the ceiling: the share that no design
    can exceed at that level and power. It belongs to the success probabilities of the scenario, so it holds for
    designs that were made for these alone and are of no use elsewhere. With a `prior`, pairs of success probabilities
    as for `optimal`, shares, powers and the ceiling are averages over its pairs. Otherwise `replications` trials of
    each design are simulated on the same patients. With a `store`, or its folder, what was computed is kept, so that
    a run that was interrupted goes on.

    >>> from primum import rewards, trials
    >>> test = trials.ConditionalExact(sided="greater")
    >>> design = trials.Design(arms=["control", "new"], patients=40, policy="thompson", analysis=test)
    >>> effect = [rewards.Bernoulli(0.3), rewards.Bernoulli(0.7)]
    >>> found = frontier(design, effect, policies=["thompson"], coins=[0, 0.5], burn_ins=[0], with_ceiling=False)
    >>> [(each.name, round(each.share, 3), round(each.power, 3)) for each in found.points]
    [('Thompson sampling', 0.837, 0.492), ('Thompson sampling, coin 0.5', 0.674, 0.773)]
    """
    truth = Scenario.of(scenario).ordered(design.arms)
    best_arms(design, truth)
    count = whole("replications", replications, 2, LARGEST_COUNT)
    kept = store if store is None or isinstance(store, Store) else Store(store)
    found, failed = list[Point](), dict[str, str]()
    is_exact = has_exact_law(design, truth)
    pairs: Pairs = _pairs(prior, truth) if is_exact else ()
    every = candidates(design, truth, policies, coins, burn_ins, looks)
    with Bar(len(every), progress) if isinstance(progress, bool) else progress as bar:
        bar.say("computing designs")
        for done, each in enumerate(every):
            try:
                found.append(point(each, truth, pairs, count, seed, kept))
            except PrimumError as error:
                failed[each.display_name] = str(error)
            bar.update(done + 1)
    if not found:
        raise PrimumError(f"no design has a point: {next(iter(failed.values()))}")
    limit = _ceiling(design, pairs, found, kept, progress) if with_ceiling and is_exact else None
    return Frontier(tuple(found), truth, pairs, limit, failed, count, seed)


def _pairs(prior: Any, truth: Scenario) -> tuple[tuple[float, float], ...]:
    """The lower and the higher success probability of each pair: those of the scenario, unless a prior is given."""
    p0, p1 = map(float, truth.probabilities)
    return pairs_of(prior, "greater") if prior is not None else ((p0, p1),)


def _ceiling(
    design: Design, prior: Pairs, found: list[Point], store: Store | None, progress: bool | Progress
) -> Ceiling:
    """The ceiling over the powers of the designs; from the store if it is there."""
    low, high = (max(LEAST_POWER, extreme(each.power for each in found)) for extreme in (min, max))
    question: dict[str, Any] = {
        "patients": design.patients,
        "alpha": alpha_of(design),
        "power": np.linspace(low, high, CEILING_POWERS).tolist(),
        "prior": prior,
        "sided": side_of(design),
    }
    key = {"what": FORMAT, "ceiling": question, "fingerprint": fingerprints.results(set(), fingerprints.TRIAL_PATHS)}
    kept = store.get(key) if store is not None else None
    if kept is not None:
        power, bound, largest, lines = json.loads(kept)
        return Ceiling(np.array(power), np.array(bound), largest, np.array(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a single pair is meant here
        made = ceiling(**question, progress=progress)
    if store is not None:
        parts = [made.power.tolist(), made.bound.tolist(), made.largest_power, made.lines.tolist()]
        store.put(key, json.dumps(parts).encode())
    return made
