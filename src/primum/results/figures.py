"""Pictures of a simulation: what is drawn of its pulls, and what is said beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.figures import Curves, Grid, Line, Reference, Shares, ranges, style
from primum.problem import Problem
from primum.results.intervals import mean_band, median_band
from primum.results.measures import BEST_ARM, REGRET, REWARD, WORST_ARM, Measure, worst
from primum.results.reference_lines import always, bounds_on_regret
from primum.text import counted, in_words

Array = np.ndarray[Any, Any]

Picture = Curves | Grid | Shares

MEASURES = {"regret": REGRET, "best-arm": BEST_ARM, "worst-arm": WORST_ARM, "reward": REWARD}
WHOLE = {  # what is shown without a choice of statistic
    "final": "all replications",
    "choices": "shares that add up to one",
}
FIGURES = (*MEASURES, *WHOLE, "arms")
STATISTICS = {  # what is drawn of the replications, and how it is told
    "mean": (mean_band, "average", "its 95 % interval at each step"),
    "median": (median_band, "median", "from the 5 % to the 95 % quantile at each step"),
}
MOST_ARMS = 8  # so many colours there are
MOST_NAMED = 5  # of those left out
FEW = 10  # fewer replications give a rough picture
BEGINNING = 0.05  # of the steps: there, shares jump, which would press the rest of a picture together
LEVELS = 200  # parts of the replications that a distribution is drawn by


class Pictures:
    """Pictures of the pulls `pulls[policy, replication, step, arm]`, without the policies that are `hidden`."""

    def __init__(
        self, problem: Problem, labels: Sequence[str], steps: Array, pulls: Array, hidden: Collection[str] = ()
    ) -> None:
        self.problem, self.labels, self.steps, self.pulls = problem, labels, steps, pulls
        for name in hidden:
            if name not in labels:
                raise UnknownNameError("policy in these results", name, labels, ("hidden",))
        self.shown = [i for i, label in enumerate(labels) if label not in hidden]
        if not self.shown:
            raise ParameterError(f"hidden must leave one policy to draw, got all {len(labels)} of them")

    def draw(self, kind: str, statistic: str, log: bool, bounds: bool) -> Picture:
        """The picture of a kind."""
        self._check(kind, statistic, bounds)
        if kind in MEASURES:
            return self._curves(kind, statistic, log, bounds)
        if kind == "final":
            return self._final(log)
        return self._choices(log) if kind == "choices" else self._arms(statistic, log)

    def _check(self, kind: str, statistic: str, bounds: bool) -> None:
        if kind not in FIGURES:
            raise UnknownNameError("figure", kind, FIGURES)
        if statistic not in STATISTICS:
            raise UnknownNameError("statistic", statistic, STATISTICS)
        replications = self.pulls.shape[1]
        if len(self.steps) < 2 or not replications:
            raise PrimumError(
                f"a figure needs two recorded steps and one replication at least, got {len(self.steps)} and "
                f"{replications}; leave out `steps` in the simulation to record about 200"
            )
        if kind in WHOLE and statistic != "mean":
            raise ParameterError(
                f"the figure {kind!r} shows {WHOLE[kind]}, so its statistic must be 'mean', got {statistic!r}"
            )
        if bounds and kind != "regret":
            raise ParameterError(f"bounds are bounds on regret: the figure must be 'regret', got {kind!r}")

    def _measured(self, measure: Measure, since: int = 0) -> Array:
        """The measure for each policy that is shown."""
        return measure.of(self.problem, self.steps[since:], [self.pulls[i][:, since:] for i in self.shown])

    def _lines(self, middles: Array, lows: Array, highs: Array) -> tuple[Line, ...]:
        numbers = zip(self.shown, middles, lows, highs, strict=True)
        return tuple(Line(self.labels[i], middle, low, high, colour=i) for i, middle, low, high in numbers)

    def _curves(self, kind: str, statistic: str, log: bool, bounds: bool) -> Curves:
        measure, band = MEASURES[kind], STATISTICS[statistic][0]
        bands = np.stack([band(one) for one in self._measured(measure)], axis=1)
        title, subtitle, y_label = self._words(kind)
        return Curves(
            title=title,
            subtitle=self._told(statistic, subtitle),
            y_label=y_label,
            x=self.steps,
            # the interval of a mean knows no bounds
            lines=self._lines(*np.clip(bands, *measure.bounds(self.problem, self.steps))),
            log=log,
            share=measure in (BEST_ARM, WORST_ARM),
            references=self._references(kind, bounds),
            framed=kind == "reward",
        )

    def _words(self, kind: str) -> tuple[str, str, str]:
        """Title, what the subtitle adds, and the label of the vertical axis."""
        if kind == "regret":
            return f"Accumulated regret {self._value}", "", "Accumulated regret"
        if kind == "best-arm":
            return f"Best arm {self._value}", "", "Share of pulls of the best arm so far"
        if kind == "worst-arm":
            none = "" if worst(self.problem).any() else "; all arms are equally good, so none of them is worst"
            return f"Worst arm {self._value}", none, "Share of pulls of the worst arm so far"
        exact = "; what the arms chosen give on average, without the luck of single rewards"
        return "Expected reward per step", exact, "Expected reward per step so far"

    def _references(self, kind: str, bounds: bool) -> tuple[Reference, ...]:
        if kind == "reward":
            return always(self.problem, self.steps)
        return bounds_on_regret(self.problem, self.steps) if bounds else ()

    def _final(self, log: bool) -> Curves:
        """Quantiles, which are regrets that occurred: so atoms stay flat, and a few bad replications stand out."""
        regret = np.sort(self._measured(REGRET, -1)[:, :, 0])
        parts = np.arange(LEVELS + 1)
        ranks = -(-parts * regret.shape[1] // LEVELS)  # rounded up, without the rounding errors of floating shares
        middles = regret[:, np.maximum(ranks - 1, 0)]
        last = f"{self.steps[-1]:,} steps"
        return Curves(
            title=f"Regret after {last} {self._value}",
            subtitle=self._over("", " of each policy, from the least regret to the largest"),
            y_label=f"Accumulated regret after {last}",
            x=100 * parts / LEVELS,
            x_label="Share of replications with at most this regret (%)",
            lines=self._lines(middles, *np.full((2, *middles.shape), np.nan)),
            log_y=log,
        )

    def _choices(self, log: bool) -> Shares:
        return Shares(
            title=f"Share of pulls of each arm {self._value}",
            subtitle=self._over("average of "),
            steps=self.steps,
            arms=self._arm_names,
            panels={self.labels[i]: self.pulls[i].mean(axis=0) / self.steps[:, None] for i in self.shown},
            apart=self._apart(),
            log=log,
        )

    def _arms(self, statistic: str, log: bool) -> Grid:
        arms, band = self._apart(), STATISTICS[statistic][0]
        bands = np.stack([band(self.pulls[i][:, :, list(arms)]) for i in self.shown], axis=1)
        bands = np.clip(bands / self.steps[:, None], 0, 1)  # middle, low and high x policy x step x arm
        since = 0 if log else int(np.searchsorted(self.steps, BEGINNING * self.steps[-1]))
        top = ranges.from_zero(bands[:, :, since:])[1]
        top = top if top < 0.5 else 1.0  # so that the picture of large shares is whole
        leaving = "; the first steps leave the picture" if np.nanmax(bands) > top else ""
        panels = [
            Curves(
                title=self._arm_names[arm],
                subtitle="",
                y_label="Share of pulls so far",
                x=self.steps,
                lines=self._lines(*bands[..., place]),
                log=log,
                share=True,
                top=top,
            )
            for place, arm in enumerate(arms)
        ]
        title = f"Share of pulls by policy, arm by arm {self._value}"
        return Grid(title, self._told(statistic, leaving + self._left_out(arms)), tuple(panels))

    def _apart(self) -> tuple[int, ...]:
        """The arms drawn for themselves, best ones first and of the others the most pulled, whatever is hidden."""
        final, worse = self.pulls[:, :, -1].sum(axis=(0, 1)), ~self.problem.best
        chosen = np.lexsort((-final, worse))[:MOST_ARMS]
        return tuple(sorted(chosen.tolist(), key=lambda arm: (worse[arm], arm)))

    def _left_out(self, arms: Collection[int]) -> str:
        names = [style.short(name) for arm, name in enumerate(self._arm_names) if arm not in arms]
        told = ", ".join(names[:MOST_NAMED]) + ", …" * (len(names) > MOST_NAMED)
        return f"; {counted(len(names), 'rarely pulled arm')} left out: {told}" if names else ""

    @property
    def _arm_names(self) -> tuple[str, ...]:
        return tuple(
            f"{name} (best)" if best else name for name, best in zip(self.problem.names, self.problem.best, strict=True)
        )

    @property
    def _value(self) -> str:
        return f"(value: {in_words(self.problem.value)})"

    def _told(self, statistic: str, more: str) -> str:
        """Which statistic it is, of how many replications, and what its band is."""
        _, name, band = STATISTICS[statistic]
        return self._over(f"{name} of ", f"; band: {band if self.pulls.shape[1] > 1 else 'none'}{more}")

    def _over(self, before: str, after: str = "") -> str:
        """The number of replications in a sentence, with a warning if they are few."""
        count = self.pulls.shape[1]
        rough, only = ("rough: ", "only ") if count < FEW else ("", "")
        return f"{rough}{before}{only}{counted(count, 'replication')}{after}"
