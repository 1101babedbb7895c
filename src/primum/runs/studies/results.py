"""Results of a study: read when they are asked for, with a dimension for each thing that is varied."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import PrimumError, UnknownNameError
from primum.plugins.parameters import declared
from primum.policies import Policy
from primum.results import Results, provenance
from primum.results.formats.exports import MEASURES
from primum.results.ranking import Ranking
from primum.results.results import titles
from primum.runs.part import physical_memory
from primum.runs.simulation import check_steps
from primum.store import fingerprints
from primum.text import counted, listed

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import DataArray, Dataset

    from primum.figures.drawing import Size
    from primum.results.summary import Summary
    from primum.runs.experiment import Experiment
    from primum.runs.studies.figures import Figure
    from primum.runs.studies.study import Study

Array = np.ndarray[Any, Any]
MOST_SHOWN = 20  # experiments, in a notebook
NOTHING_COMPLETE = "no replication of any experiment is complete"


class StudyResults:
    """The results of each experiment of a study, and tables, rankings and figures of all.

    What is in a store stays there until it is asked for, so that a study may be larger than the memory. A study that
    was stopped has the replications that are complete, in some experiments fewer than in others, or none.
    """

    def __init__(
        self,
        study: Study,
        read: Callable[[int], Results],  # the results of an experiment, by its number
        is_complete: bool,
        chosen: Mapping[str, list[int]] | None = None,
    ) -> None:
        self.study, self._read = study, read
        self.is_complete = is_complete  # False after Ctrl-C
        self._chosen = {name: list(range(len(along))) for name, along in study.dims.items()} | dict(chosen or {})

    @property
    def dims(self) -> dict[str, list[Any]]:
        """The dimensions that are varied, with their coordinates."""
        return {name: [along[i] for i in self._chosen[name]] for name, along in self.study.dims.items()}

    def select(self, **coordinates: Any) -> StudyResults:
        """The results at some coordinates of some dimensions: ``select(problem="sure", alpha=[0.1, 0.2])``."""
        chosen = dict(self._chosen)
        for name, wanted in coordinates.items():
            if name not in self.dims:
                raise UnknownNameError("dimension", name, self.dims)
            along = self.study.dims[name]
            listed = wanted if isinstance(wanted, list | tuple) else [wanted]
            for one in listed:
                if one not in self.dims[name]:
                    raise UnknownNameError(name, one, map(str, self.dims[name]))
            chosen[name] = [along.index(one) for one in listed]
        return StudyResults(self.study, self._read, self.is_complete, chosen)

    def __len__(self) -> int:
        return int(np.prod([len(places) for places in self._chosen.values()], dtype=np.int64))

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Results]]:
        """The coordinates and the results of each experiment, one after the other."""
        for number in self._numbers():
            yield self.study.coordinates(number), self._read(number)

    def _numbers(self) -> Iterator[int]:
        """The numbers of the experiments in the study."""
        sizes = [len(along) for along in self.study.dims.values()]
        for places in itertools.product(*self._chosen.values()):
            yield int(np.ravel_multi_index(places, sizes)) if sizes else 0

    @property
    def results(self) -> Results:
        """The results of the experiment, if there is only one."""
        if len(self) != 1:
            raise PrimumError(f"these are {len(self):,} experiments; select one: select({_example(self.dims)})")
        return next(iter(self))[1]

    @property
    def regret(self) -> DataArray:
        """Cumulative regret: a dimension for each thing that is varied, then policy, replication and step."""
        return self.measure("regret")

    def measure(self, name: str) -> DataArray:
        """A measure of all experiments, as in `Results`: regret, best_arm_share, worst_arm_share or stuck.

        NaN where an experiment has no such step, or a replication is not complete.
        """
        if name not in MEASURES:
            raise UnknownNameError("measure", name, MEASURES)
        return self._measures((name,), name)[name]

    def to_dataset(self) -> Dataset:
        """An xarray dataset of `regret`, `best_arm_share`, `worst_arm_share` and `stuck`, each as `measure` gives it.

        It has the `title` of each policy; its `attrs` have the `study` as TOML, `seed`, the `versions` as JSON,
        `primum_version` and `fingerprint`. Pulls are not in it, as problems need not have the same arms: they are in
        ``to_dataframe(arms=True)``.
        """
        from xarray import Dataset

        measures = self._measures(MEASURES, "dataset")
        attributes = self._attributes([measures["regret"].attrs["fingerprint"]])
        return Dataset(measures, {"title": ("policy", titles(self._policies))}, attributes)

    def to_dataframe(self, *, arms: bool = False) -> DataFrame:
        """The rows of `Results.to_dataframe` of all experiments, with their coordinates first.

        The parameters in which policies differ follow, as in `table`.

        >>> from primum import Study
        >>> arms = {"sure": "constant(value=0.4)", "gamble": "bernoulli(probability=0.9)"}
        >>> players = ["besa-plus(floor=[0, 2])"]
        >>> study = Study(arms=arms, value="mean", policies=players, grid={"horizon": [10, 50]}, replications=5, seed=7)
        >>> results = study.run(progress=False)
        >>> table, data = results.to_dataframe(), results.to_dataset()
        >>> table.columns[:6].tolist()
        ['horizon', 'policy', 'title', 'floor', 'replication', 'step']
        >>> last = table[table.step == table.horizon]
        >>> last.groupby(["horizon", "floor"])["regret"].mean().round(1).to_dict()
        {(10, 0.0): 0.8, (10, 2.0): 2.5, (50, 0.0): 1.4, (50, 2.0): 4.0}
        >>> data.regret.dims
        ('horizon', 'policy', 'replication', 'step')
        """
        import pandas

        parameters, frames, made_by, cells = self.parameters, [], [], 0
        for experiment in self._experiments:
            rows = len(experiment.policies) * experiment.replications * len(_recorded(experiment))
            cells += rows * (len(experiment.problem().names) if arms else 1)
        columns = len(self.dims) + len(parameters) + len(MEASURES) + 4
        self._check_memory(8 * columns * cells, "data frame")
        for coordinates, found in self:
            if len(found.replications):
                frame = found.to_dataframe(arms=arms)
                for place, (name, coordinate) in enumerate(coordinates.items()):
                    frame.insert(place, name, coordinate)
                for name, along in parameters.items():
                    if name not in frame:
                        each = [along[place] for place in frame["policy"].cat.codes]
                        frame.insert(len(coordinates) + 2, name, each)
                frames.append(frame)
                made_by.append(found.fingerprint)
        if not frames:
            raise PrimumError(NOTHING_COMPLETE)
        table = pandas.concat(frames, ignore_index=True)
        table.attrs.update(self._attributes(made_by))
        return table

    def _attributes(self, fingerprint_of_each: Iterable[str]) -> dict[str, Any]:
        versions = fingerprints.versions()
        return {
            "study": self.study.to_toml(),
            "seed": self.study.base["seed"],
            "versions": json.dumps(versions),
            **provenance.marks(versions, *fingerprint_of_each),
        }

    def _measures(self, names: Sequence[str], what: str) -> dict[str, DataArray]:
        """Measures of all experiments, which are read once; errors say what they are for."""
        from xarray import DataArray

        experiments, policies = self._experiments, self._policies
        recorded = {(one.horizon, str(one.steps)): _recorded(one) for one in experiments}
        steps = np.unique(np.concatenate(list(recorded.values())))
        count = max(one.replications for one in experiments)
        shape = *(len(along) for along in self.dims.values()), len(policies), count, len(steps)
        self._check_memory(8 * len(names) * np.prod(shape, dtype=np.float64), what)
        wholes = {name: np.full(shape, np.nan).reshape(len(self), *shape[-3:]) for name in names}
        made_by = []
        for number, (_, found) in enumerate(self):
            made_by.append(found.fingerprint)
            at = np.searchsorted(steps, found.steps)
            for name, whole in wholes.items():
                one = getattr(found, name).values
                whole[number, :, : len(found.replications), at] = np.moveaxis(one, 2, 0)
        coordinates: dict[str, Any] = {**self.dims, "policy": [policy.label for policy in policies]}
        coordinates |= {"replication": np.arange(count), "step": steps}
        for parameter, along in self.parameters.items():
            if parameter not in coordinates:
                coordinates[parameter] = ("policy", along)
        dims = *self.dims, "policy", "replication", "step"
        attributes = provenance.marks(fingerprints.versions(), *made_by)
        return {
            name: DataArray(whole.reshape(shape), coordinates, dims, name=name, attrs=attributes)
            for name, whole in wholes.items()
        }

    @property
    def _experiments(self) -> list[Experiment]:
        return [self.study.experiment(number) for number in self._numbers()]

    def _check_memory(self, size: float, what: str) -> None:
        if size > 0.5 * physical_memory():
            raise PrimumError(
                f"the {what} of all experiments needs {size / 1e9:.0f} GB; select some of them, or use table()"
            )

    @property
    def _policies(self) -> list[Policy]:
        return list(self.study.experiment(0).policies)

    @property
    def parameters(self) -> dict[str, list[Any]]:
        """The parameters in which policies of the same name differ: the value of each policy, or NaN if it has none."""
        policies = self._policies
        found: dict[str, list[Any]] = {}
        for parameter in dict.fromkeys(name for policy in policies for name in declared(policy)):
            having = [policy for policy in policies if parameter in declared(policy)]
            by_name: dict[str, set[Any]] = {}
            for policy in having:
                by_name.setdefault(policy.name, set()).add(getattr(policy, parameter))
            if any(len(different) > 1 for different in by_name.values()):
                found[parameter] = [getattr(policy, parameter, np.nan) for policy in policies]
        return found

    def table(self) -> Summary:
        """A row for each experiment and policy, as `Results.summary` gives it, with its coordinates first.

        Of experiments without a complete replication there is no row. It prints the columns that fit a screen; its
        `to_latex` writes a table for a paper.
        """
        import pandas

        from primum.results.summary import Summary

        parameters, frames, made_by = self.parameters, [], []
        for coordinates, found in self:
            if len(found.replications):
                summary = found.summary().reset_index()
                new = {name: part for name, part in coordinates.items() if name not in summary}  # replications is there
                for place, (name, coordinate) in enumerate(new.items()):
                    summary.insert(place, name, coordinate)
                for name, along in parameters.items():
                    if name not in summary:
                        summary.insert(len(new) + 2, name, along)
                frames.append(summary)
                made_by.append(found.fingerprint)
        if not frames:
            raise PrimumError(NOTHING_COMPLETE)
        table = Summary(pandas.concat(frames, ignore_index=True))
        table.attrs.update(provenance.marks(fingerprints.versions(), *made_by))
        return table

    def ranking(self) -> DataFrame:
        """The regret of each policy relative to the best one of each experiment: a row for each policy, best first.

        ``geometric_mean`` and ``worst`` are over the experiments, with 95 % intervals over replications (``*_low``,
        ``*_high``), and ``worst_at`` says where the largest ratio is. Experiments in which all arms are equally good
        are left out. It prints the columns that fit a screen, and `to_string` prints all.
        """
        return self._ranking().frame()

    def _ranking(self) -> Ranking:
        return Ranking.of((described(coordinates), found) for coordinates, found in self)

    def figure(
        self,
        kind: str = "regret",
        *,
        x: str | None = None,
        row: str | None = None,
        log: bool = False,
        backend: str | None = None,
        ax: Any = None,
        static: bool = False,
        labels: Mapping[str, str] | None = None,
        size: Size = None,
        title: bool | str = True,
        legend: str | None = None,
    ) -> Any:
        """A Plotly figure, or with ``backend="matplotlib"`` a Matplotlib one to `savefig`.

        - ``regret``: the regret at the last step, its mean over replications with the 95 % interval, against `x`: a
          dimension of the study, with a line for each policy, or a parameter in which policies differ, with a line for
          those that are equal otherwise and level lines for those without it. With `row`, a dimension of the study,
          one panel for each of its coordinates; `log` gives a logarithmic axis of `x`. If nothing is varied, the
          regret over steps, as in `Results.figure`.
        - ``ratios``: mean regret divided by that of the best policy, as a map of policies and experiments; the policy
          with the smallest geometric mean is at the top.
        - ``profile``: for each policy, the share of experiments in which its mean regret is within a factor of the best
          policy's (performance profiles of Dolan and Moré, Mathematical Programming 91, 2002).

        `labels`, `size`, `title`, `legend` and `ax` are as in `Results.figure`.
        """
        from primum.figures.drawing import drawn

        picture = self.picture(kind, x=x, row=row, log=log)
        given: dict[str, Any] = {"backend": backend, "ax": ax, "is_static": static}
        return drawn(picture, **given, labels=labels, size=size, title=title, legend=legend)

    def picture(
        self, kind: str = "regret", *, x: str | None = None, row: str | None = None, log: bool = False
    ) -> Figure:
        """The figure that `figure` draws, with `title`, `subtitle` and the methods `data`, `static`, `interactive`."""
        from primum.runs.studies.figures import StudyFigures

        return StudyFigures(self).draw(kind, x, row, log)

    def __repr__(self) -> str:
        varied = ", ".join(f"{len(along)} x {name}" for name, along in self.dims.items())
        return f"<StudyResults: {counted(len(self), 'experiment')}{f' ({varied})' if varied else ''}>"

    def _repr_html_(self) -> str:
        from primum.results.formats.page import paragraph, section

        settings = {name: listed(list(map(str, along))) for name, along in self.dims.items()}
        settings |= {"experiments": f"{len(self):,}", "seed": f"{self.study.base['seed']}"}
        if not self.is_complete:
            settings["state"] = "stopped before all was complete"
        if len(self) > MOST_SHOWN:  # all of them would be read
            table = paragraph("table() has a row for each experiment and policy.")
        else:
            try:
                table = self.table()._repr_html_() or ""
            except PrimumError as error:
                table = paragraph(str(error))
        return section(self.study.title or "Results of a study", settings, table)


def _recorded(experiment: Experiment) -> Any:
    """The steps that an experiment records."""
    return check_steps(experiment.steps, experiment.horizon)


def described(coordinates: Mapping[str, Any]) -> str:
    """An experiment, by its coordinates."""
    names = {"problem", "case"}
    if len(names & set(coordinates)) == 2:  # else two experiments could have the same description
        names = set()
    return ", ".join(str(part) if name in names else f"{name} {part}" for name, part in coordinates.items())


def _example(dims: Mapping[str, list[Any]]) -> str:
    return ", ".join(f"{name}={along[0]!r}" for name, along in dims.items())
