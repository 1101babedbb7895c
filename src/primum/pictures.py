"""Pictures of a simulation: what is drawn of its pulls, and what is said beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.figures import Curves, Grid, Line, Reference, Shares
from primum.intervals import mean_band, median_band
from primum.measures import BEST_ARM, REGRET, REWARD, WORST_ARM, Measure, worst
from primum.problem import Problem
from primum.references import always, bounds_on_regret
from primum.wording import counted, in_words

Array = np.ndarray[Any, Any]

Picture = Curves | Grid | Shares

MEASURES = {"regret": REGRET, "best-arm": BEST_ARM, "worst-arm": WORST_ARM, "reward": REWARD}
WHOLE = {  # what is shown without a choice of statistic
    "final": "all replications",
    "choices": "shares that add up to one",
    "arms": "shares that add up to one",
}
FIGURES = (*MEASURES, *WHOLE)
STATISTICS = ("mean", "median")
MOST_ARMS = 8  # so many colours there are
LEVELS = 200  # parts of the replications that a distribution is drawn by


class Pictures:
    """Pictures of the pulls `pulls[policy, replication, step, arm]`, without the policies that are `hidden`."""

    def __init__(
        self, problem: Problem, labels: Sequence[str], steps: Array, pulls: Array, hidden: Collection[str] = ()
    ) -> None:
        self.problem, self.labels, self.steps, self.pulls = problem, labels, steps, pulls
        for name in hidden:
            if name not in labels:
                raise UnknownNameError("policy in these results", name, labels)
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
        return self._choices(log) if kind == "choices" else self._arms(log)

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
        share = MEASURES[kind] in (BEST_ARM, WORST_ARM)
        band = mean_band if statistic == "mean" else median_band
        bands = np.stack([band(one) for one in self._measured(MEASURES[kind])], axis=1)
        title, subtitle, y_label = self._words(kind)
        between = "95 % interval of the mean" if statistic == "mean" else "from the 5 % to the 95 % quantile"
        if self.pulls.shape[1] < 2:
            between = "none"
        references = self._references(kind, bounds)
        return Curves(
            title=title,
            subtitle=f"{statistic} of {self._replications}; band: {between}{subtitle}",
            y_label=y_label,
            x=self.steps,
            lines=self._lines(*(np.clip(bands, 0, 1) if share else bands)),
            log=log,
            share=share,
            references=references,
            framed=kind == "reward",
        )

    def _words(self, kind: str) -> tuple[str, str, str]:
        """Title, what the subtitle adds, and the label of the vertical axis."""
        by = f"by {in_words(self.problem.value)}"
        if kind == "regret":
            return f"Accumulated regret {by}", "", "Accumulated regret"
        if kind == "best-arm":
            return f"Best arm {by}", "", "Share of pulls of the best arm so far"
        if kind == "worst-arm":
            none = "" if worst(self.problem).any() else "; all arms are equally good, so none of them is worst"
            return f"Worst arm {by}", none, "Share of pulls of the worst arm so far"
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
            title=f"Regret after {last} by {in_words(self.problem.value)}",
            subtitle=f"{self._replications} of each policy, from the least regret to the largest",
            y_label=f"Accumulated regret after {last}",
            x=100 * parts / LEVELS,
            x_label="Share of replications with at most this regret (%)",
            lines=self._lines(middles, *np.full((2, *middles.shape), np.nan)),
            log_y=log,
        )

    def _choices(self, log: bool) -> Shares:
        return Shares(
            title="Share of pulls of each arm",
            subtitle=f"mean of {self._replications}; best by {in_words(self.problem.value)}",
            steps=self.steps,
            arms=self._arm_names,
            panels={self.labels[i]: share for i, share in zip(self.shown, self._shares(), strict=True)},
            apart=self._most_pulled(),
            log=log,
        )

    def _arms(self, log: bool) -> Grid:
        arms, shares = self._most_pulled(), self._shares()
        out = len(self._arm_names) - len(arms)
        left_out = f"; the {counted(out, 'least pulled arm')} of {out + len(arms):,} left out" if out else ""
        nothing = np.full(shares.shape[:2], np.nan)
        panels = [
            Curves(
                title=self._arm_names[arm],
                subtitle="",
                y_label="Share of pulls so far",
                x=self.steps,
                lines=self._lines(shares[:, :, arm], nothing, nothing),
                log=log,
                share=True,
            )
            for arm in arms
        ]
        words = f"mean of {self._replications}; best by {in_words(self.problem.value)}{left_out}"
        return Grid("Share of pulls by policy, arm by arm", words, tuple(panels))

    def _shares(self) -> Array:
        """Mean share of the pulls so far: policy x step x arm."""
        return np.stack([self.pulls[i].mean(axis=0) for i in self.shown]) / self.steps[:, None]

    def _most_pulled(self) -> tuple[int, ...]:
        """The arms that are drawn for themselves: the same ones, whichever policies are hidden."""
        final = self.pulls[:, :, -1].sum(axis=(0, 1))
        return tuple(sorted(np.argsort(-final, kind="stable")[:MOST_ARMS].tolist()))

    @property
    def _arm_names(self) -> tuple[str, ...]:
        return tuple(
            f"{name} (best)" if best else name for name, best in zip(self.problem.names, self.problem.best, strict=True)
        )

    @property
    def _replications(self) -> str:
        return counted(self.pulls.shape[1], "replication")
