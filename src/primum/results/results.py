"""Results of a simulation: pulls on named axes, and everything derived from them."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import PrimumError, UnknownNameError, shortened
from primum.plugins.registry import Plugin
from primum.policies.policy import Policy, from_specs
from primum.problem import Problem
from primum.results import provenance
from primum.results.comparison import Comparison
from primum.results.formats.netcdf import pack, unpack
from primum.results.intervals import mean_band, quantiles, share_band
from primum.results.joining import check_alike, replications_of, requested_of
from primum.results.learned_values import in_words, other_value
from primum.results.measures import BEST_ARM, REGRET, REWARD, WORST_ARM, Measure, stuck
from primum.results.validation import check
from primum.store import fingerprints
from primum.store.files import read, writable, write
from primum.text import counted

if TYPE_CHECKING:  # at run time they are imported where they are used: together they take a second
    from pandas import DataFrame
    from xarray import DataArray, Dataset

    from primum.figures.drawing import Size
    from primum.results.figures import Figure
    from primum.results.summary import Summary
    from primum.results.verdict import Verdict

Array = np.ndarray[Any, Any]

SHARES = (0.5, 0.05, 0.25, 0.75, 0.95)


class Results:
    """Pulls of every arm at the recorded steps, for every policy and replication, and everything derived from them.

    `pulls[policy, replication, step, arm]` counts the pulls up to and including the step. `replications` are the
    numbers of those that were completed, fewer than `requested` if the run was stopped. Two results are equal if they
    describe the same run and hold the same pulls, whatever made them.

    `versions` and `fingerprint` say what made them. The fingerprint is that of the code that simulates, of your own
    plug-ins that take part, and of the versions; comments, docstrings and formatting do not count. It is "unknown" in
    results of Primum 0.1, and where the source of a plug-in cannot be found.
    """

    def __init__(
        self,
        problem: Problem,
        policies: Sequence[Policy],
        horizon: int,
        seed: int,
        steps: Any,
        replications: Any,
        pulls: Any,
        versions: dict[str, str] | None = None,
        *,
        requested: int | None = None,
        fingerprint: str = provenance.UNKNOWN,
    ) -> None:
        self.problem, self.policies = problem, tuple(policies)
        self.horizon, self.seed = int(horizon), int(seed)
        self.steps, self.replications = _frozen(steps, np.int64), _frozen(replications, np.int64)
        self.requested = len(self.replications) if requested is None else int(requested)
        self.versions = dict(fingerprints.versions() if versions is None else versions)
        self.fingerprint = provenance.fingerprint(self.plugins) if versions is None else fingerprint
        self._pulls = _frozen(pulls, np.int32)
        shape = (len(self.policies), len(self.replications), len(self.steps), len(problem.names))
        if self._pulls.shape != shape:
            raise PrimumError(
                f"pulls must have the shape policy x replication x step x arm {shape}, got {self._pulls.shape}"
            )

    @property
    def plugins(self) -> list[Plugin]:
        """The plug-ins that take part: arms, value, policies, and values that policies learn instead."""
        value = self.problem.value
        others = [other_value(policy, value) for policy in self.policies]
        return [*self.problem.arms.values(), value, *self.policies, *(other for other in others if other is not None)]

    @property
    def labels(self) -> list[str]:
        """The names of the policies, in order."""
        return [policy.label for policy in self.policies]

    @property
    def titles(self) -> list[str]:
        """The names of the policies for people, in order; labels where two would be the same."""
        return titles(self.policies)

    @property
    def learns(self) -> list[str]:
        """The value that each policy learns where that is not the value of the problem: ``the mean``, else empty."""
        return [in_words(other_value(policy, self.problem.value)) for policy in self.policies]

    @property
    def pulls(self) -> DataArray:
        """Pulls of each arm up to and including each recorded step: policy x replication x step x arm."""
        return self._named(self._pulls, "pulls", "pulls of the arm so far")

    @property
    def regret(self) -> DataArray:
        """Cumulative regret, the gaps of the arms weighted by their pulls: policy x replication x step."""
        return self._measured(REGRET)

    @property
    def best_arm_share(self) -> DataArray:
        """Share of the pulls so far that went to a best arm: policy x replication x step."""
        return self._measured(BEST_ARM)

    @property
    def worst_arm_share(self) -> DataArray:
        """Share of the pulls so far that went to an arm of the largest gap, 0 if all arms are equally good."""
        return self._measured(WORST_ARM)

    @property
    def stuck(self) -> DataArray:
        """Whether the best arms together have got less than a fifth of what uniformly random choice gives them.

        Policy x replication x step; of two arms, the better one has less than a tenth of the pulls so far.
        """
        shares = BEST_ARM.of(self.problem, self.steps, self._pulls)
        return self._named(stuck(self.problem, shares), "stuck", "the best arms have got few pulls so far")

    def _named(self, array: Array, name: str, text: str) -> DataArray:
        from xarray import DataArray

        axes = {"policy": self.labels, "replication": self.replications, "step": self.steps, "arm": self.problem.names}
        dims = list(axes)[: array.ndim]
        attributes = {"long_name": text} | self._made_by
        return DataArray(array, {dim: axes[dim] for dim in dims}, dims, name=name, attrs=attributes)

    @property
    def _made_by(self) -> dict[str, str]:
        return provenance.marks(self.versions, self.fingerprint)

    def _measured(self, measure: Measure) -> DataArray:
        return self._named(measure.of(self.problem, self.steps, self._pulls), measure.name, measure.text)

    def _final(self, measure: Measure) -> Array:
        """The measure at the last recorded step: policy x replication."""
        return measure.of(self.problem, self.steps[-1:], self._pulls[:, :, -1:])[:, :, 0]

    def summary(self) -> Summary:
        """One row for each policy, at the last recorded step; the index is ``policy``, the policy as spec text.

        - ``title``: the policy as people write it.
        - ``step``, ``replications``: the last recorded step, and the number of replications.
        - ``regret_mean``, ``regret_low``, ``regret_high``: mean cumulative regret over replications and its 95 %
          interval (Student t); the interval of a single replication is NaN.
        - ``regret_median``, ``regret_5``, ``regret_25``, ``regret_75``, ``regret_95``: median and quantiles (percent)
          of the regret over replications.
        - ``best_arm_share``, ``best_arm_low``, ``best_arm_high``: mean share of pulls that went to a best arm, and
          its 95 % interval (Student t, clipped to [0, 1]).
        - ``worst_arm_share``, ``worst_arm_low``, ``worst_arm_high``: likewise for the arms of the largest gap.
        - ``reward``, ``reward_low``, ``reward_high``: mean expected reward per step of the arms chosen, likewise.
        - ``stuck_share``, ``stuck_low``, ``stuck_high``: fraction of replications in which the best arms together got
          less than a fifth of what they would get if arms were chosen uniformly at random (of two arms, the better one
          less than a tenth of the pulls), and its 95 % interval (Wilson).

        It is a pandas data frame that prints the columns that fit a screen, and `to_string` prints all; its `to_latex`
        writes a table for a paper. Its `attrs`, and two more columns of a CSV file that Primum writes, have
        ``primum_version`` and ``fingerprint``.

        >>> from primum import policies, rewards, simulate, values
        >>> problem = Problem({"a": rewards.Bernoulli(0.2), "b": rewards.Bernoulli(0.8)}, values.Mean())
        >>> players = [policies.Ucb1(), policies.BesaPlus(floor=5)]
        >>> simulate(problem, players, horizon=100, replications=20, seed=1, progress=False).summary().round(1)
                            regret_mean  regret_low  regret_high  regret_median  best_arm_share  stuck_share
        policy
        ucb1                        6.3         5.6          6.9            6.0             0.9          0.0
        besa-plus(floor=5)         14.4        14.4         14.4           14.4             0.8          0.0
        [17 more columns; to_string() shows all]
        """
        from primum.results.summary import Summary

        rows = []
        finals = (self._final(measure) for measure in (REGRET, BEST_ARM, WORST_ARM, REWARD))
        for label, title, regret, share, worst, reward in zip(self.labels, self.titles, *finals, strict=True):
            row = {"policy": label, "title": title, "step": int(self.steps[-1]), "replications": len(regret)}
            row |= _columns(("regret_mean", "regret_low", "regret_high"), mean_band(regret))
            row |= _columns(
                ("regret_median", "regret_5", "regret_25", "regret_75", "regret_95"), quantiles(regret, SHARES)
            )
            row |= _columns(("best_arm_share", "best_arm_low", "best_arm_high"), np.clip(mean_band(share), 0, 1))
            row |= _columns(("worst_arm_share", "worst_arm_low", "worst_arm_high"), np.clip(mean_band(worst), 0, 1))
            row |= _columns(("reward", "reward_low", "reward_high"), mean_band(reward))
            row |= _columns(("stuck_share", "stuck_low", "stuck_high"), share_band(stuck(self.problem, share)))
            rows.append(row)
        table = Summary(rows).set_index("policy")
        table.attrs.update(self._made_by)
        return table

    def compare(self, a: str | Plugin, b: str | Plugin) -> Comparison:
        """The difference in final regret between two policies, paired: both met the same rewards of each arm."""
        first, second = str(a), str(b)
        for name in (first, second):
            if name not in self.labels:
                raise UnknownNameError("policy in these results", name, self.labels)
        places = [self.labels.index(name) for name in (first, second)]
        difference, low, high = map(float, mean_band(np.subtract(*self._final(REGRET)[places])))
        a, b = (self.titles[place] for place in places)
        return Comparison(a, b, difference, low, high, len(self.replications), int(self.steps[-1]))

    def verdict(self) -> Verdict:
        """The results in a few sentences: the policy with the lowest regret, if it can be told, and what to beware of.

        A policy is named as the one with the lowest regret only if paired comparisons with all others support it: each
        at level 1 - 0.05 / (K - 1) for K policies, so that the policy with the lowest expected regret is ranked below
        another one in at most 5 % of simulations. Otherwise the policies that cannot be told apart from the lowest are
        named. Warnings follow, at most two: policies that learn another value by which other arms are best, policies
        with a higher regret than uniformly random choice, and policies with many replications stuck (see `summary`).

        It prints as these sentences; its `best`, `alike` and `warnings` are for programs.

        >>> from primum import rewards, simulate, values
        >>> problem = Problem({"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.9)}, values.Mean())
        >>> found = simulate(problem, ["ucb1", "besa-plus"], horizon=200, replications=50, seed=1, progress=False)
        >>> found.verdict()
        BESA+ (3.56, 95 % interval 2.68 to 4.44) has the lowest regret.
        >>> found.verdict().best
        'besa-plus'
        """
        from primum.results.verdict import Verdict

        return Verdict.of(self)

    def figure(
        self,
        kind: str = "regret",
        *,
        backend: str | None = None,
        ax: Any = None,
        static: bool = False,
        statistic: str = "mean",
        log: bool = False,
        bounds: bool = False,
        labels: Mapping[str, str] | None = None,
        size: Size = None,
        title: bool | str = True,
        legend: str | None = None,
    ) -> Any:
        """A Plotly figure, or with ``backend="matplotlib"`` a Matplotlib one to `savefig`.

        `log` gives a logarithmic axis of steps. `static` is the earlier word for the Matplotlib backend.

        - ``regret``: cumulative regret over steps, the mean over replications with its 95 % interval, or with
          ``statistic="median"`` the median and the range from the 5 % to the 95 % quantile. With `bounds`, in grey:
          the paper's bound for BESA+ and, for the mean, the asymptotic lower bound; see `primum.theory`.
        - ``best-arm``: the share of pulls of a best arm, likewise.
        - ``worst-arm``: the share of pulls of an arm with the largest gap, likewise.
        - ``reward``: the reward per step that the arms chosen so far give on average, likewise. In grey: the mean of
          a best arm under the value, and the largest mean if that is of another arm.
        - ``final``: the regret at the last step of all replications, from the smallest to the largest; `log` gives a
          logarithmic axis of regret.
        - ``choices``: the mean share of pulls of each arm, one panel for each policy.
        - ``arms``: the share of pulls of each arm, one panel for each arm, with bands as above; at most eight
          arms are shown, the best ones first and then the most pulled.

        For a paper, in both forms: `labels` gives other names: of a policy by its label, of an arm by its name, or of
        anything by its text in the figure: ``{"besa-plus": "BESA+ (ours)", "Step": "Patient"}``. `size` is
        ``"column"`` (3.5 inches wide) or ``"page"`` (7 inches), with the height that the figure needs, or width and
        height in inches; a Matplotlib figure then has fonts of 8 and 7 points. `title` is another one in place of
        title and subtitle, or with False none. `legend` is ``"below"`` or ``"beside"`` the axes; by default, a
        Matplotlib figure chooses by its length.

        `ax` takes Matplotlib axes of your own, as ``plt.subplots()`` makes them: a figure of one panel is drawn there,
        in your fonts, and the figure that has the axes is returned.

        >>> import matplotlib.pyplot as plt
        >>> from primum import rewards, simulate, values
        >>> problem = Problem({"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.9)}, values.Mean())
        >>> results = simulate(problem, ["ucb1"], horizon=200, replications=20, seed=1, progress=False)
        >>> figure, axes = plt.subplots(1, 2)
        >>> results.figure("regret", ax=axes[0], title=False) is figure
        True
        >>> results.figure("final", ax=axes[1], title="The unlucky ones") is figure
        True
        >>> plt.close(figure)
        """
        from primum.figures.drawing import drawn

        picture = self.picture(kind, statistic=statistic, log=log, bounds=bounds)
        given: dict[str, Any] = {"backend": backend, "ax": ax, "is_static": static}
        return drawn(picture, **given, labels=labels, size=size, title=title, legend=legend)

    def picture(
        self,
        kind: str = "regret",
        *,
        statistic: str = "mean",
        log: bool = False,
        bounds: bool = False,
        hidden: Collection[str] = (),
    ) -> Figure:
        """The figure that `figure` draws, with `title`, `subtitle`, and the methods `data`, `static` and `interactive`.

        The policies whose labels are `hidden` are left out, and the others keep their colours and dashes. In Plotly
        figures, the `legendgroup` of a policy's curve is its position in these results.
        """
        from primum.results.figures import ResultsFigures

        return ResultsFigures(self, hidden).draw(kind, statistic, log, bounds)

    def to_dataset(self) -> Dataset:
        """An xarray dataset of `pulls`, `regret`, `best_arm_share`, `worst_arm_share` and `stuck`.

        Beside the axes policy, replication, step and arm it has the `title` of each policy and the `gap` of each arm.
        Its `attrs` have the `spec` of the run and the `versions`, both as JSON, `seed`, `primum_version` and
        `fingerprint`.

        >>> from primum import rewards, simulate, values
        >>> problem = Problem({"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.9)}, values.Mean())
        >>> data = simulate(problem, ["ucb1"], horizon=200, replications=5, seed=7, progress=False).to_dataset()
        >>> dict(data.sizes), data.attrs["seed"]
        ({'policy': 1, 'replication': 5, 'step': 135, 'arm': 2}, 7)
        >>> data.pulls.isel(step=-1).sum("arm").values
        array([[200, 200, 200, 200, 200]])
        """
        from primum.results.formats.exports import dataset

        return dataset(self)

    def to_dataframe(self, *, arms: bool = False) -> DataFrame:
        """A long pandas data frame: a row for each policy, replication and recorded step.

        - ``policy``, ``title``: the policy as spec text, and as people write it, both categories in the order of the
          results.
        - ``replication``, ``step``: its number, and the recorded step.
        - ``regret``, ``best_arm_share``, ``worst_arm_share``, ``stuck``: cumulative regret, shares of the pulls and
          whether the replication is stuck, up to and including the step.

        With `arms`, a row for each arm too, with ``arm``, its ``gap`` and its ``pulls`` so far in place of the
        measures; pulls times gap is the arm's part of the regret. All policies met the same rewards of each arm in a
        replication, so differences between policies are best taken within replications. `attrs` are those of
        `to_dataset`.

        >>> from primum import rewards, simulate, values
        >>> problem = Problem({"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.9)}, values.Mean())
        >>> results = simulate(problem, ["ucb1"], horizon=200, replications=2, seed=1, steps="last", progress=False)
        >>> results.to_dataframe().drop(columns="title")
          policy  replication  step  regret  best_arm_share  worst_arm_share  stuck
        0   ucb1            0   200    11.0           0.890            0.110  False
        1   ucb1            1   200    10.5           0.895            0.105  False
        >>> results.to_dataframe(arms=True).drop(columns="title")
          policy  replication  step     arm  gap  pulls
        0   ucb1            0   200    sure  0.5     22
        1   ucb1            0   200  gamble  0.0    178
        2   ucb1            1   200    sure  0.5     21
        3   ucb1            1   200  gamble  0.0    179
        """
        from primum.results.formats.exports import frame

        return frame(self, arms)

    def spec(self) -> dict[str, Any]:
        """Plain data that describes the run, except its steps and replications."""
        return {
            "problem": self.problem.spec(),
            "policies": [policy.spec() for policy in self.policies],
            "horizon": self.horizon,
            "seed": self.seed,
            "requested": self.requested,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a netCDF file, at once or not at all; it holds the pulls with their axes, and the spec as JSON."""
        writable(path)  # before the work of packing
        write(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """The bytes that `save` writes; equal results made by equal versions give equal bytes."""
        try:
            made_by = {"versions": self.versions, "fingerprint": self.fingerprint}
            names = [policy.given_name for policy in self.policies]
            return pack(self.pulls, {"spec": self.spec()} | ({"names": names} if any(names) else {}) | made_by)
        except ValueError as error:
            raise PrimumError(f"these results cannot be saved: {error}") from error  # a name that netCDF cannot hold

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Results:
        """Read what `save` wrote."""
        return cls.from_bytes(read(path), str(path))

    @classmethod
    def from_bytes(cls, content: bytes, source: str = "the content") -> Results:
        """The results that `to_bytes` gave; `source` names them in errors."""
        pulls, about = unpack(content, source)
        try:
            spec, about["fingerprint"] = about["spec"], about.get("fingerprint", provenance.UNKNOWN)
            problem = Problem.from_spec(spec["problem"])
            policies = from_specs(spec["policies"], about.get("names") or [""] * len(spec["policies"]))
            check(pulls, about, [policy.label for policy in policies], problem.names)
            arrays = pulls["step"].values, pulls["replication"].values, pulls.values
            given = problem, policies, spec["horizon"], spec["seed"], *arrays, about["versions"]
            return cls(*given, requested=spec["requested"], fingerprint=about["fingerprint"])
        except UnknownNameError as error:
            raise PrimumError(f"{source}: {error}; if it is your own, import its module before loading") from error
        except Exception as error:  # data of any kind, and plug-ins of other authors, which may raise anything
            reason = shortened(str(error) if isinstance(error, PrimumError) else f"{type(error).__name__}: {error}")
            raise PrimumError(f"{source} does not fit this version of Primum: {reason}") from error

    @classmethod
    def joined(cls, parts: Sequence[Results], *, requested: int | None = None) -> Results:
        """Parts of one run, each with other replications or with other policies, as a whole.

        `requested` is the number of replications requested of the whole run. By default, each replication that was
        requested counts once, whether in one part or in several; a part that was stopped is taken to have been
        requested from its first replication on. Where the parts were computed with different versions of a package, or
        by different code, a warning says so; `versions` and `fingerprint` list all of them:
        ``{"numpy": "2.4.1, 2.4.6", ...}``.

        >>> from functools import partial
        >>> from primum import policies, rewards, simulate, values
        >>> problem = Problem({"a": rewards.Bernoulli(0.2), "b": rewards.Bernoulli(0.8)}, values.Mean())
        >>> run = partial(simulate, problem, [policies.Ucb1()], horizon=50, seed=1, progress=False)
        >>> Results.joined([run(replications=range(3)), run(replications=range(3, 9))]) == run(replications=9)
        True

        Policies join where problem, horizon, seed, steps and replications are the same. The whole equals a run of all
        of them, in which they meet the same rewards of each arm, so `compare` pairs their replications.

        >>> other = simulate(problem, [policies.Besa()], horizon=50, replications=9, seed=1, progress=False)
        >>> Results.joined([run(replications=9), other]).labels
        ['ucb1', 'besa']
        """
        if not parts:
            raise PrimumError("there are no results to join")
        check_alike(parts)
        by_policies: dict[str, list[Results]] = {}
        for part in parts:
            by_policies.setdefault(json.dumps(part.spec()["policies"]), []).append(part)
        runs = list(by_policies.values())
        versions, fingerprint = provenance.joined(parts, "joined results")
        first = parts[0]
        return cls(
            first.problem,
            [policy for run in runs for policy in run[0].policies],
            first.horizon,
            first.seed,
            first.steps,
            replications_of(runs),
            np.concatenate([np.concatenate([part._pulls for part in run], axis=1) for run in runs]),
            versions,
            requested=max(map(requested_of, runs)) if requested is None else requested,
            fingerprint=fingerprint,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Results):
            return NotImplemented
        # as text, because the order of arms counts
        return json.dumps(self.spec()) == json.dumps(other.spec()) and all(
            np.array_equal(mine, theirs)
            for mine, theirs in (
                (self.steps, other.steps),
                (self.replications, other.replications),
                (self._pulls, other._pulls),
            )
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def _done(self) -> str:
        """How many replications are complete."""
        done, asked = len(self.replications), self.requested
        return f"{done}" if done == asked else f"{done} of {asked}"

    def __repr__(self) -> str:
        return (
            f"<Results: {', '.join(self.labels)}; {counted(len(self.problem.names), 'arm')} by {self.problem.value}; "
            f"horizon {self.horizon}; {self._done} replications; seed {self.seed}; "
            f"{provenance.described(self._made_by)}>"
        )

    def _repr_html_(self) -> str:
        from primum.results.formats.page import section

        settings = {
            "arms": ", ".join(self.problem.names),
            "value": self.problem.value.display_name,
            "replications": self._done,
            "seed": f"{self.seed}",
            "made by": provenance.described(self._made_by),
        }
        table = self.summary()._repr_html_() if len(self.replications) else None
        return section(f"Results after {counted(self.horizon, 'step')}", settings, table or "")


def titles(policies: Sequence[Plugin]) -> list[str]:
    """The names of policies for people; labels where two would be the same."""
    shown = [policy.display_name for policy in policies]
    times = Counter(shown)
    return [title if times[title] == 1 else policy.label for title, policy in zip(shown, policies, strict=True)]


def _frozen(array: Any, dtype: type) -> Array:
    view: Array = np.asarray(array, dtype).view()
    view.flags.writeable = False
    return view


def _columns(names: Sequence[str], numbers: Array) -> dict[str, float]:
    return {name: float(np.squeeze(number)) for name, number in zip(names, numbers, strict=True)}
