"""Figures of results: the numbers drawn, and their titles and labels."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.figures import Curves, Grid, Line, Name, Reference, Shares, ranges, style
from primum.results.intervals import FEW_REPLICATIONS, mean_band, median_band
from primum.results.measures import BEST_ARM, REGRET, REWARD, WORST_ARM, Measure
from primum.results.reference_lines import always, bounds_on_regret
from primum.results.results import Results
from primum.text import counted

Array = np.ndarray[Any, Any]

Figure = Curves | Grid | Shares

MEASURES = {"regret": REGRET, "best-arm": BEST_ARM, "worst-arm": WORST_ARM, "reward": REWARD}
WITHOUT_STATISTIC = {  # figures of all replications, and why
    "final": "all replications",
    "choices": "shares that add up to one",
}
FIGURES = (*MEASURES, *WITHOUT_STATISTIC, "arms")
STATISTICS = {  # name -> the band over replications, and how the subtitle describes it
    "mean": (mean_band, "mean", "pointwise 95 % confidence interval"),
    "median": (median_band, "median", "pointwise 5 % to 95 % quantiles"),
}
ARMS_WITH_COLOUR = 8
OMITTED_ARMS_NAMED = 5
OPENING_FRACTION = 0.05  # of the steps: shares jump there and would compress the rest of the figure
QUANTILE_LEVELS = 200  # of a distribution over replications


class ResultsFigures:
    """Figures of results, without the policies that are `hidden`."""

    def __init__(self, results: Results, hidden: Collection[str] = ()) -> None:
        self.results, self.problem, self.steps = results, results.problem, results.steps
        self.pulls = results.pulls.values
        self.names = [
            Name(f"{title} (learns {other})" if other else title, label)
            for label, title, other in zip(results.labels, results.titles, results.learns, strict=True)
        ]
        for name in hidden:
            if name not in results.labels:
                raise UnknownNameError("policy in these results", name, results.labels, ("hidden",))
        self.shown = [i for i, label in enumerate(results.labels) if label not in hidden]
        if not self.shown:
            raise ParameterError(f"hidden must leave one policy to draw, got all {len(results.labels)} of them")

    def draw(self, kind: str, statistic: str, log: bool, bounds: bool) -> Figure:
        """The figure of a kind."""
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
                f"a figure needs at least two recorded steps and one replication, got {len(self.steps)} and "
                f"{replications}; leave out `steps` in the simulation to record about 200"
            )
        if kind in WITHOUT_STATISTIC and statistic != "mean":
            raise ParameterError(
                f"the figure {kind!r} shows {WITHOUT_STATISTIC[kind]}, "
                f"so its statistic must be 'mean', got {statistic!r}"
            )
        if bounds and kind != "regret":
            raise ParameterError(f"bounds are bounds on regret: the figure must be 'regret', got {kind!r}")

    def _measured(self, measure: Measure, since: int = 0) -> Array:
        """The measure for each policy that is shown."""
        return measure.of(self.problem, self.steps[since:], [self.pulls[i][:, since:] for i in self.shown])

    def _lines(self, middles: Array, lows: Array, highs: Array) -> tuple[Line, ...]:
        numbers = zip(self.shown, middles, lows, highs, strict=True)
        return tuple(Line(self.names[i], middle, low, high, colour=i) for i, middle, low, high in numbers)

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
        """Title, addition to the subtitle, and label of the vertical axis."""
        if kind == "regret":
            return f"Cumulative regret {self._value}", self._equal("regret is always 0"), "Cumulative regret"
        if kind == "best-arm":
            return f"Best arm {self._value}", "", "Share of pulls of the best arm so far"
        if kind == "worst-arm":
            return (
                f"Worst arm {self._value}",
                self._equal("there is no worst arm"),
                "Share of pulls of the worst arm so far",
            )
        exact = "; true means of the chosen arms, without the noise of single rewards"
        return "Expected reward per step", exact, "Expected reward per step so far"

    def _equal(self, so: str) -> str:
        """An addition to the subtitle if all arms are equally good."""
        return f"; all arms are equally good, so {so}" if self.problem.best.all() else ""

    def _references(self, kind: str, bounds: bool) -> tuple[Reference, ...]:
        if kind == "reward":
            return always(self.problem, self.steps)
        return bounds_on_regret(self.problem, self.steps) if bounds else ()

    def _final(self, log: bool) -> Curves:
        """Empirical quantiles: atoms stay flat, and a few bad replications stand out."""
        regret = np.sort(self._measured(REGRET, -1)[:, :, 0])
        parts = np.arange(QUANTILE_LEVELS + 1)
        ranks = -(-parts * regret.shape[1] // QUANTILE_LEVELS)  # rounded up in whole numbers
        middles = regret[:, np.maximum(ranks - 1, 0)]
        last = f"{self.steps[-1]:,} steps"
        return Curves(
            title=f"Regret after {last} {self._value}",
            subtitle=self._over(
                "", f" of each policy, from the smallest regret to the largest{self._equal('regret is always 0')}"
            ),
            y_label=f"Cumulative regret after {last}",
            x=100 * parts / QUANTILE_LEVELS,
            x_label="Percentage of replications with at most this regret",
            lines=self._lines(middles, *np.full((2, *middles.shape), np.nan)),
            log_y=log,
        )

    def _choices(self, log: bool) -> Shares:
        return Shares(
            title=f"Share of pulls of each arm {self._value}",
            subtitle=self._over("mean of "),
            steps=self.steps,
            arms=self._arm_names,
            panels={self.names[i]: self.pulls[i].mean(axis=0) / self.steps[:, None] for i in self.shown},
            apart=self._apart(),
            log=log,
        )

    def _arms(self, statistic: str, log: bool) -> Grid:
        arms, band = self._apart(), STATISTICS[statistic][0]
        bands = np.stack([band(self.pulls[i][:, :, list(arms)]) for i in self.shown], axis=1)
        bands = np.clip(bands / self.steps[:, None], 0, 1)  # middle, low and high x policy x step x arm
        since = 0 if log else int(np.searchsorted(self.steps, OPENING_FRACTION * self.steps[-1]))
        top = ranges.from_zero(bands[:, :, since:])[1]
        top = top if top < 0.5 else 1.0  # large shares are shown on the whole range
        leaving = "; the first steps exceed the axis" if np.nanmax(bands) > top else ""
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
        """The arms drawn separately, best ones first and then the most pulled, whichever policies are hidden."""
        final, worse = self.pulls[:, :, -1].sum(axis=(0, 1)), ~self.problem.best
        chosen = np.lexsort((-final, worse))[:ARMS_WITH_COLOUR]
        return tuple(sorted(chosen.tolist(), key=lambda arm: (worse[arm], arm)))

    def _left_out(self, arms: Collection[int]) -> str:
        names = [style.short(name) for arm, name in enumerate(self._arm_names) if arm not in arms]
        listed = ", ".join(names[:OMITTED_ARMS_NAMED] + (["…"] if len(names) > OMITTED_ARMS_NAMED else []))
        return f"; {counted(len(names), 'rarely pulled arm')} omitted: {listed}" if names else ""

    @property
    def _arm_names(self) -> tuple[str, ...]:
        return tuple(
            Name(f"{name} (best)" if best else name, name)
            for name, best in zip(self.problem.names, self.problem.best, strict=True)
        )

    @property
    def _value(self) -> str:
        return f"(value: {self.problem.value.display_name})"

    def _told(self, statistic: str, more: str) -> str:
        """The statistic, the number of replications, and the band."""
        _, name, band = STATISTICS[statistic]
        return self._over(f"{name} of ", f"; band: {band if self.pulls.shape[1] > 1 else 'none'}{more}")

    def _over(self, before: str, after: str = "") -> str:
        """The number of replications in a phrase, with a warning if they are few."""
        count = self.pulls.shape[1]
        rough, only = ("rough: ", "only ") if count < FEW_REPLICATIONS else ("", "")
        return f"{rough}{before}{only}{counted(count, 'replication')}{after}"
