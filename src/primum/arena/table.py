"""The table of the arena: the regret of each policy on each pair, and the measures derived from it."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import PrimumError
from primum.plugins.registry import find
from primum.results import provenance
from primum.results.intervals import mean_band, share_band
from primum.results.ratios import relative
from primum.text import counted, listed

if TYPE_CHECKING:
    from pandas import DataFrame

Array = np.ndarray[Any, Any]
FORMAT = "primum-arena-2"
KEPT = "table.json"
NORMAL_QUANTILE = 1.959963984540054  # 97.5 %
STUCK_OFTEN = 0.1  # a larger fraction of stuck replications
FIRST_REPLICATIONS = 20  # whose mean regret is kept too, because it is quickly played again


@dataclass(frozen=True)
class Cell:
    """A policy on a pair at a horizon; `error` is the standard error of the mean regret."""

    pair: str
    policy: str
    horizon: int
    replications: int
    regret: float  # the mean at the last step
    error: float
    stuck: int  # replications in which the best arms got less than a fifth of their pulls under uniform choice
    first: float  # mean regret of the first replications, at most `FIRST_REPLICATIONS`
    microseconds: float | None = None  # of processor time per step, the drawing of rewards included


@dataclass(frozen=True)
class PairRow:
    """What the table says about a pair."""

    title: str
    problem_class: str
    family: str
    value: str
    tuned: tuple[str, ...] = ()  # names of the policies whose constants were chosen by how they do on it


@dataclass(frozen=True)
class PolicyRow:
    """What the table says about a policy."""

    title: str
    is_general: bool  # made for every value
    is_consistent: bool = False  # one of `roster.CONSISTENT`


@dataclass(frozen=True)
class Table:
    """Cells, with the pairs and policies by name, the seed, and the versions and the fingerprint that played them.

    The fingerprint is that of our code without plug-ins; see `Results`.
    """

    cells: tuple[Cell, ...]
    pairs: Mapping[str, PairRow]
    policies: Mapping[str, PolicyRow]
    seed: int
    versions: Mapping[str, str]
    fingerprint: str = provenance.UNKNOWN

    @property
    def horizons(self) -> list[int]:
        """All horizons, the shortest first."""
        return sorted({cell.horizon for cell in self.cells})

    @property
    def classes(self) -> list[str]:
        """The titles of the classes of pairs, in order."""
        return list(dict.fromkeys(pair.problem_class for pair in self.pairs.values()))

    @property
    def families(self) -> list[str]:
        """The families of values, in order."""
        return list(dict.fromkeys(pair.family for pair in self.pairs.values()))

    def of_class(self, title: str) -> list[str]:
        """The names of the pairs of a class."""
        return [name for name, pair in self.pairs.items() if pair.problem_class == title]

    def of_family(self, family: str) -> list[str]:
        """The names of the pairs whose value is of a family."""
        return [name for name, pair in self.pairs.items() if pair.family == family]

    @property
    def untuned(self) -> list[str]:
        """The names of the pairs that no policy was tuned on."""
        return [name for name, pair in self.pairs.items() if not pair.tuned]

    def halves(self, horizon: int) -> dict[str, list[str]]:
        """The pairs played at a horizon that no policy was tuned on, then the others, by words for them."""
        played = set(self.at(horizon)["pair"])
        untuned = [name for name in self.untuned if name in played]
        tuned = [name for name in self.pairs if name in played and self.pairs[name].tuned]
        titles = [find("policies", name).title for name in self.tuned]
        halves = {
            f"{counted(len(untuned), 'pair')} that no policy was tuned on": untuned,
            f"{counted(len(tuned), 'pair')} that {listed(titles, 'or')} was tuned on": tuned,
        }
        return {title: names for title, names in halves.items() if names}

    @property
    def tuned(self) -> list[str]:
        """The names of the policies that were tuned on some of the pairs."""
        return list(dict.fromkeys(policy for pair in self.pairs.values() for policy in pair.tuned))

    @cached_property
    def _frame(self) -> DataFrame:
        """A row for each cell, with the ratio to the best policy and the variance of its logarithm."""
        from pandas import DataFrame

        frame = DataFrame([vars(cell) for cell in self.cells])
        best = frame.loc[frame.groupby(["horizon", "pair"])["regret"].idxmin()].set_index(["horizon", "pair"])
        found = best.loc[list(zip(frame["horizon"], frame["pair"], strict=True))]
        is_best = frame["policy"].to_numpy() == found["policy"].to_numpy()
        frame["ratio"] = relative(frame["regret"].to_numpy(), found["regret"].to_numpy())
        variance = _squared(frame["error"], frame["regret"]) + _squared(found["error"], found["regret"])
        frame["log_variance"] = np.where(is_best, 0.0, variance)
        frame["is_best"] = is_best
        is_consistent = [self.policies[policy].is_consistent for policy in frame["policy"]]
        consistent = frame.assign(regret=np.where(is_consistent, frame["regret"], np.nan))
        reference = consistent.groupby(["horizon", "pair"])["regret"].transform("min")
        frame["consistent_ratio"] = relative(frame["regret"].to_numpy(), reference.to_numpy())
        return frame

    def frame(self) -> DataFrame:
        """A row for each policy, pair and horizon.

        - ``tuned``: the names of the policies that were tuned on the pair.
        - ``regret_mean``, ``regret_low``, ``regret_high``: mean cumulative regret over replications and its 95 %
          interval (normal).
        - ``ratio``, ``ratio_low``, ``ratio_high``: mean regret divided by the lowest of the table on that pair, and its
          95 % interval (normal for the logarithm, the two means taken as independent). Nothing is added to either
          mean: where the best policy has no regret at all, the ratios of the others are infinite.
        - ``consistent_ratio``: the same relative to the best consistent policy; NaN where none fits.
        - ``stuck_share``, ``stuck_low``, ``stuck_high``: fraction of replications in which the best arms got less than
          a fifth of what uniformly random choice would give them, and its 95 % interval (Wilson).
        - ``microseconds_per_step``: processor time, the drawing of rewards included.
        """
        from pandas import DataFrame

        rows = []
        for row in self._frame.to_dict("records"):
            pair, half = self.pairs[row["pair"]], NORMAL_QUANTILE * row["error"]
            spread = math.exp(NORMAL_QUANTILE * math.sqrt(row["log_variance"]))
            hits = np.arange(row["replications"]) < row["stuck"]
            rows.append(
                {
                    "pair": row["pair"],
                    "class": pair.problem_class,
                    "value": pair.value,
                    "tuned": ", ".join(pair.tuned),
                    "policy": row["policy"],
                    "title": self.policies[row["policy"]].title,
                    "horizon": row["horizon"],
                    "replications": row["replications"],
                    "regret_mean": row["regret"],
                    "regret_low": max(0.0, row["regret"] - half),
                    "regret_high": row["regret"] + half,
                    "ratio": row["ratio"],
                    "ratio_low": row["ratio"] / spread,
                    "ratio_high": row["ratio"] * spread,
                    "consistent_ratio": row["consistent_ratio"],
                    **dict(zip(("stuck_share", "stuck_low", "stuck_high"), share_band(hits).tolist(), strict=True)),
                    "microseconds_per_step": row["microseconds"],
                }
            )
        return DataFrame(rows)

    def ratios(self, horizon: int, pairs: Collection[str] | None = None) -> DataFrame:
        """Mean regret relative to the best, policy x pair; NaN where a policy does not fit.

        Policies are sorted by `summary`.
        """
        names = [name for name in self.pairs if pairs is None or name in pairs]
        frame = self.at(horizon, names)
        columns = [name for name in names if name in set(frame["pair"])]
        wide = frame.pivot(index="policy", columns="pair", values="ratio")
        return wide.loc[list(self.summary(horizon, names)["policy"]), columns]

    def summary(self, horizon: int, pairs: Collection[str] | None = None) -> DataFrame:
        """A row for each policy at a horizon, over the pairs that it fits; the smallest geometric mean first.

        Columns are ``policy``, ``title``, ``is_general`` (made for every value), ``pairs`` (their number), and:

        - ``geometric_mean`` of the ratios to the best, with its 95 % interval over pairs (``*_low``, ``*_high``), by
          `geometric_band`. That the best policy is the one with the lowest mean of the same replications makes ratios
          slightly too large.
        - ``consistent_mean``: the same relative to the best consistent policy, over the pairs that one of them fits.
        - ``worst``, ``worst_at``: the largest ratio and its pair; ``best_in``: pairs in which it is the best.
        - ``stuck``, ``most_stuck``: the mean and the largest fraction of stuck replications over the pairs;
          ``often_stuck``: pairs in which the fraction is above 10 %.
        - ``microseconds``: the median processor time per step, NaN where it was not measured.
        """
        from pandas import DataFrame

        rows = []
        for policy, mine in self.at(horizon, pairs).groupby("policy", sort=False):
            about = self.policies[str(policy)]
            stuck = mine["stuck"] / mine["replications"]
            row = {
                "policy": str(policy),
                "title": about.title,
                "is_general": about.is_general,
                "pairs": len(mine),
                **_banded("geometric_mean", mine["ratio"]),
                **_banded("consistent_mean", mine["consistent_ratio"].dropna()),
                "worst": float(mine["ratio"].max()),
                "worst_at": str(mine["pair"].iloc[int(mine["ratio"].argmax())]),
                "best_in": int(mine["is_best"].sum()),
                "stuck": float(stuck.mean()),
                "most_stuck": float(stuck.max()),
                "often_stuck": int((stuck > STUCK_OFTEN).sum()),
                "microseconds": float(mine["microseconds"].astype(float).median()),
            }
            rows.append(row)
        return DataFrame(rows).sort_values("geometric_mean", kind="stable", ignore_index=True)

    def at(self, horizon: int, pairs: Collection[str] | None = None) -> DataFrame:
        """The cells at a horizon, of some pairs."""
        if horizon not in self.horizons:
            raise PrimumError(f"the table has the horizons {self.horizons}, got {horizon}")
        frame = self._frame[self._frame["horizon"] == horizon]
        return frame if pairs is None else frame[frame["pair"].isin(list(pairs))]

    def beside(self, other: Table) -> Table:
        """The cells of both tables, of the horizons and pairs that this one has; where both have a cell, this one's.

        If not all cells are of this table, the versions and fingerprints are those of both.
        """
        if self.seed != other.seed:
            raise PrimumError(f"tables go side by side if their seeds are the same, got {self.seed} and {other.seed}")
        mine = {(cell.pair, cell.policy, cell.horizon): cell for cell in self.cells}
        places = {(cell.pair, cell.horizon) for cell in self.cells}
        theirs = {
            (cell.pair, cell.policy, cell.horizon): cell for cell in other.cells if (cell.pair, cell.horizon) in places
        }
        both = theirs | mine
        versions, fingerprint = self.versions, self.fingerprint
        if len(both) > len(mine):
            versions = {
                name: provenance.together(each.get(name, provenance.UNKNOWN) for each in (versions, other.versions))
                for name in {**versions, **other.versions}
            }
            fingerprint = provenance.together((fingerprint, other.fingerprint))
        return replace(
            self,
            cells=tuple(both.values()),
            policies={**other.policies, **self.policies},
            versions=versions,
            fingerprint=fingerprint,
        )

    def to_json(self) -> str:
        """A text that `from_json` reads as an equal table; numbers have eight digits."""
        names = [*vars(self.cells[0])]
        about = {
            "format": FORMAT,
            "seed": self.seed,
            "versions": dict(self.versions),
            "fingerprint": self.fingerprint,
            "pairs": {name: vars(pair) for name, pair in self.pairs.items()},
            "policies": {label: vars(policy) for label, policy in self.policies.items()},
            "columns": names,
        }
        head = json.dumps(about, indent=1, ensure_ascii=False).removesuffix("\n}")
        rows = [json.dumps([_rounded(getattr(cell, name)) for name in names]) for cell in self.cells]
        return head + ',\n "cells": [\n' + ",\n".join(rows) + "\n ]\n}\n"

    @classmethod
    def from_json(cls, text: str, source: str = "the table") -> Table:
        """The table that `to_json` wrote; `source` names it in errors."""
        try:
            about = json.loads(text)
            if about["format"] != FORMAT:
                raise ValueError(f"its format is {about['format']!r}, not {FORMAT!r}")
            return cls(
                tuple(Cell(**dict(zip(about["columns"], row, strict=True))) for row in about["cells"]),
                {name: PairRow(**pair | {"tuned": tuple(pair["tuned"])}) for name, pair in about["pairs"].items()},
                {label: PolicyRow(**policy) for label, policy in about["policies"].items()},
                about["seed"],
                about["versions"],
                about.get("fingerprint", provenance.UNKNOWN),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise PrimumError(f"{source} is not a table of the arena: {error}") from None


def kept() -> Table:
    """The public table: every policy of the roster on every pair, as the repository keeps it."""
    return Table.from_json(resources.files("primum.arena").joinpath(KEPT).read_text(encoding="utf-8"), KEPT)


def geometric_band(ratios: Array) -> Array:
    """The geometric mean of ratios, one for each pair, and its 95 % interval over pairs: Student t for the logarithm.

    It is that of the mean over all pairs of which these are a random sample. What the ratios owe to their replications
    is part of how they scatter, so it is included. With one pair, or a ratio of 0 or infinity, there is none (NaN).

    >>> geometric_band(np.array([0.5, 1.0, 2.0])).round(3)
    array([1.   , 0.179, 5.595])
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logs = np.log(ratios)
        if not np.isfinite(logs).all():
            return np.array([np.exp(logs.mean()), np.nan, np.nan])
        return np.exp(mean_band(logs))


def _banded(name: str, ratios: Any) -> dict[str, float]:
    """The columns of the geometric mean."""
    band = geometric_band(np.asarray(ratios, np.float64)).tolist()
    return dict(zip((name, f"{name}_low", f"{name}_high"), band, strict=True))


def _rounded(part: Any) -> Any:
    return float(f"{part:.8g}") if isinstance(part, float) else part


def _squared(error: Any, mean: Any) -> Array:
    """The squared relative error; 0 if all regrets are."""
    error, mean = np.asarray(error, np.float64), np.asarray(mean, np.float64)
    relative: Array = np.divide(error, mean, out=np.zeros_like(mean), where=mean > 0)
    return relative**2
