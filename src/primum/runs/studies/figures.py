"""Figures of studies: the numbers drawn, and their titles and labels."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.figures import Categories, Curves, Grid, HeatMap, Line, Name
from primum.plugins.parameters import declared
from primum.plugins.registry import Plugin
from primum.results.figures import Figure as FigureOfResults
from primum.results.intervals import FEW_REPLICATIONS, mean_band
from primum.results.measures import REGRET
from primum.results.ranking import Ranking
from primum.runs.studies.results import StudyResults, described
from primum.text import counted, listed

Array = np.ndarray[Any, Any]

Figure = FigureOfResults | HeatMap

FIGURES = ("regret", "ratios", "profile")
LARGEST_FACTOR = 1000.0  # of a performance profile
FACTORS = 1000  # at most so many of them


class StudyFigures:
    """Figures of the results of a study."""

    def __init__(self, results: StudyResults) -> None:
        self.results, self.dims, self.parameters = results, results.dims, results.parameters
        self.varied = [name for name, along in self.dims.items() if len(along) > 1]

    def draw(self, kind: str, x: str | None, row: str | None, log: bool) -> Figure:
        """The figure of a kind."""
        x = self.check(kind, x, row, log)
        if x is not None:
            return self._regret(x, row, log)
        if kind == "regret":
            return self.results.results.picture("regret", log=log)
        ranking = self.results._ranking()
        return _ratios(ranking) if kind == "ratios" else _profile(ranking)

    def check(self, kind: str, x: str | None, row: str | None, log: bool = False) -> str | None:
        """Refuse a figure that cannot be drawn of such a study; what is on its horizontal axis, None for the steps."""
        if kind not in FIGURES:
            raise UnknownNameError("figure", kind, FIGURES)
        if kind == "regret":
            if x is None and row is None and not self.varied and not self.parameters:
                return None
            return self._checked(x, row)
        for name, given in (("x", x), ("row", row), ("log", log)):
            if given:
                raise ParameterError(f"only the figure 'regret' takes {name}, got {name}={given!r} for {kind!r}")
        return None

    def _checked(self, x: str | None, row: str | None) -> str:
        """What is on the horizontal axis."""
        if row is not None and row not in self.dims:
            raise UnknownNameError("dimension", row, self.dims, ("row",))
        known = dict.fromkeys([*self.dims, *self.parameters])
        if x is None:
            choices = [name for name in dict.fromkeys([*self.varied, *self.parameters]) if name != row]
            if len(choices) != 1:
                listing = listed([f"x={name!r}" for name in choices], "or") or "leave out row, nothing else is varied"
                raise PrimumError(f"say what is on the horizontal axis: {listing}")
            x = choices[0]
        if x not in known:
            raise UnknownNameError("dimension or parameter", x, known, ("x",))
        if x == row:
            raise ParameterError(f"x and row must be different, got {x!r} for both")
        for name in self.varied:
            if name not in (x, row):
                panels = f"draw one panel for each with row={name!r}, or " if row is None else ""
                raise PrimumError(
                    f"{name} has {len(self.dims[name])} coordinates; {panels}select one of them: "
                    f"results.select({name}={self.dims[name][0]!r})"
                )
        return x

    def _regret(self, x: str, row: str | None, log: bool) -> Curves | Grid:
        finals = _Finals(self.results, [name for name in (row, x) if name in self.dims])
        places = self._places(x, finals.policies)
        is_number = all(isinstance(place, int | float) and not isinstance(place, bool) for place in places)
        if log and not (is_number and max(places) > 0):
            raise ParameterError(f"log needs positive numbers on the horizontal axis, got {_texts(places)} for x={x!r}")
        if is_number:
            places = sorted(places)
        panels = []
        coordinates: list[tuple[Any, ...]] = [(coordinate,) for coordinate in self.dims[row]] if row else [()]
        for outer in coordinates:
            if x in self.dims:
                bands = np.stack([finals.bands[(*outer, place)] for place in places], axis=2)
                lines = [_line(title, bands[:, i], i) for i, title in enumerate(finals.titles)]
            else:
                lines = _by_parameter(x, places, finals, finals.bands[outer])
            about: dict[str, Any] = {
                "title": described({row: outer[0]}) if row else "",
                "subtitle": "",
                "y_label": finals.after,
                "lines": tuple(lines),
                "x_label": _words(x).capitalize(),
            }
            if is_number:
                panels.append(Curves(x=np.array(places, np.float64), log=log, joined=True, **about))
            else:
                panels.append(Categories(x=np.arange(len(places)), names=tuple(_texts(places)), **about))
        title = f"{finals.after} against {_words(x)}{f' by {_words(row)}' if row else ''}{self._fixed(x, row, finals)}"
        more = f"; {'band' if is_number else 'whiskers'}: "
        more += "95 % confidence interval" if max(finals.counts) > 1 else "none"
        if any(line.level for line in panels[0].lines):
            more += f"; level lines: policies without {_words(x)}"
        if row:
            more += "; each panel has its own vertical scale"
        if log and (omitted := [place for place in places if place <= 0]):
            more += f"; a logarithmic axis has no place for {_words(x)} {listed(_texts(omitted))}"
        empty = finals.counts.count(0)
        subtitle = _over([count for count in finals.counts if count]) + more + _left_out(0, empty)
        if row:
            return Grid(title, subtitle, tuple(panels), own=True)
        return dataclasses.replace(panels[0], title=title, subtitle=subtitle)

    def _places(self, x: str, policies: Sequence[Plugin]) -> list[Any]:
        if x in self.dims:
            return list(self.dims[x])
        return list(dict.fromkeys(getattr(policy, x) for policy in policies if x in declared(policy)))

    def _fixed(self, x: str, row: str | None, finals: _Finals) -> str:
        """What is the same in all experiments, for the title."""
        single = [f"{_words(name)} {along[0]}" for name, along in self.dims.items() if name not in (x, row)]
        value = [f"value: {name}" for name in finals.values if len(finals.values) == 1]
        return f" ({'; '.join(single + value)})" if single or value else ""


class _Finals:
    """The mean regret at the last step of all experiments, by their coordinates along some dimensions."""

    def __init__(self, study: StudyResults, names: Sequence[str]) -> None:
        self.bands: dict[tuple[Any, ...], Array] = {}  # mean, low and high x policy
        self.counts: list[int] = []  # replications
        self.values, steps = set(), set()
        for coordinates, results in study:
            last = results.steps[-1:]
            final = REGRET.of(results.problem, last, results.pulls.values[:, :, -1:])[:, :, 0]
            # the interval of a mean knows no bounds
            bands = np.clip(mean_band(final.T), *REGRET.bounds(results.problem, last))
            self.bands[tuple(coordinates[name] for name in names)] = bands
            self.counts.append(final.shape[1])
            self.values.add(results.problem.value.display_name)
            steps.add(int(last[0]))
        if not any(self.counts):
            raise PrimumError("there is nothing to draw: no replication of any experiment is complete")
        self.policies = results.policies
        self.titles = list(map(Name, results.titles, results.labels))
        self.after = f"Regret after {counted(steps.pop(), 'step')}" if len(steps) == 1 else "Regret at the last step"


def _by_parameter(x: str, places: Sequence[Any], finals: _Finals, bands: Array) -> list[Line]:
    """A line for the policies that are equal but for a parameter, and a level one for each that does not have it."""
    families: dict[str, list[int]] = {}
    for i, policy in enumerate(finals.policies):
        own = {x: None} if x in declared(policy) else {"title": policy.display_name}
        families.setdefault(json.dumps(policy.spec() | own), []).append(i)
    lines = []
    for members in families.values():
        first = members[0]
        if x in declared(finals.policies[first]):
            points = np.full((3, len(places)), np.nan)
            for i in members:
                points[:, places.index(getattr(finals.policies[i], x))] = bands[:, i]
            lines.append(_line(_family(finals.policies[first], x), points, first))
        else:
            points = np.repeat(bands[:, [first]], len(places), axis=1)
            lines.append(_line(finals.titles[first], points, first, level=True))
    return lines


def _line(label: str, band: Array, colour: int, *, level: bool = False) -> Line:
    middle, low, high = band
    return Line(label, middle, low, high, colour, level)


def _family(policy: Plugin, x: str) -> Name:
    """The name of policies that are equal but for a parameter."""
    default = {field.name: field.default for field in dataclasses.fields(policy)}[x]
    if default is dataclasses.MISSING:
        return Name(policy.title)
    plain = dataclasses.replace(policy, **{x: default})
    return Name(plain.display_name, plain.label)  # which leave out defaults


def _ratios(ranking: Ranking) -> HeatMap:
    order = ranking.order
    return HeatMap(
        title="Mean regret relative to the best policy of each experiment",
        subtitle=_ranked(ranking)
        + "; policies sorted by the geometric mean of their ratios"
        + _left_out(ranking.equal, ranking.empty),
        x_label="Experiment",
        y_label="Policy",
        label="Ratio to the best policy",
        rows=tuple(Name(ranking.titles[i], ranking.labels[i]) for i in order),
        columns=tuple(ranking.finals),
        numbers=ranking.ratios[order],
        infinite="infinite: the best policy has no regret",
    )


def _profile(ranking: Ranking) -> Curves:
    return profile(
        "Performance profile: how often each policy is close to the best",
        _ranked(ranking) + _left_out(ranking.equal, ranking.empty),
        "Share of experiments within the factor",
        list(map(Name, ranking.titles, ranking.labels)),
        ranking.ratios,
    )


def profile(title: str, subtitle: str, y_label: str, titles: Sequence[str], ratios: Array) -> Curves:
    """The performance profiles of policies, from the ratios to the best, policy x experiment.

    A ratio that is NaN is within no factor.
    """
    ordered = np.sort(ratios, axis=1)
    shown = ordered[ordered <= LARGEST_FACTOR]
    end = max(2.0, 1.1 * shown.max())
    factors = np.unique([1.0, *shown, end])
    if len(factors) > FACTORS:
        factors = np.geomspace(1.0, end, FACTORS)
    shares = [np.searchsorted(one, factors, side="right") / ratios.shape[1] for one in ordered]
    none = np.full(len(factors), np.nan)
    beyond = f"; factors above {LARGEST_FACTOR:,.0f} are not shown" if (ratios > LARGEST_FACTOR).any() else ""
    return Curves(
        title=title,
        subtitle=subtitle + beyond,
        y_label=y_label,
        x=factors,
        lines=tuple(Line(title, share, none, none) for title, share in zip(titles, shares, strict=True)),
        log=True,
        share=True,
        x_label="Factor of the best policy's mean regret",
        top=1.03,
        stepped=True,
    )


def _ranked(ranking: Ranking) -> str:
    return _over([final.shape[1] for final in ranking.finals.values()])


def _over(counts: Sequence[int]) -> str:
    """The numbers of replications and experiments in a phrase, with a warning if the replications are few."""
    few, many = min(counts), max(counts)
    rough, only = ("rough: ", "only ") if few < FEW_REPLICATIONS else ("", "")
    replications = counted(many, "replication") if few == many else f"{few:,} to {many:,} replications"
    of = f" in each of {counted(len(counts), 'experiment')}" if len(counts) > 1 else ""
    return f"{rough}mean of {only}{replications}{of}"


def _left_out(equal: int, empty: int) -> str:
    text = f"; {counted(equal, 'experiment')} left out: all arms are equally good" if equal else ""
    return text + (f"; {counted(empty, 'experiment')} left out: no complete replication" if empty else "")


def _words(name: str) -> str:
    return name.replace("_", " ")


def _texts(parts: Sequence[Any]) -> list[str]:
    return [part.display_name if isinstance(part, Plugin) else str(part) for part in parts]
