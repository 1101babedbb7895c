"""Trials simulated from the recorded patients: the paper's Figure 9, with other reward scales and other rho."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import Curves, Forest, Panels
from primum.policies import Besa, BesaPlus, ExpExp, MvLcb, Policy, Thompson, Ucb1
from primum.problem import Problem
from primum.results import Results
from primum.results.intervals import mean_band
from primum.rewards import veterans_lung_cancer
from primum.runs import Experiment
from primum.runs.environments import VeteransLungCancer
from primum.text import counted, listed
from primum.values import MeanVariance
from reproduction.chapters.lines import mean_lines, row
from reproduction.chapters.lung_cancer import rules
from reproduction.chapters.lung_cancer.survival import critical_rho, each, equal_at, patients, unit
from reproduction.claims import CLAIMS
from reproduction.judgement import Judgement
from reproduction.report import Figure, Table
from reproduction.report.numbers import number, percent, with_interval
from reproduction.scale import Scale

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray, Dataset

SEED = 20190304
RHOS = (0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0)
CATEGORY_RANGE = 9.0  # from 1 to 10, where it is 1 from 0 to 1
REPETITIONS = (10, 200)  # the paper gives no number for this figure, 10 for Figures 4 and 5, 200 for Figures 1 to 3
POLICIES: tuple[type[Policy], ...] = (BesaPlus, Besa, Ucb1, Thompson, MvLcb, ExpExp)
TITLES = [policy.title for policy in POLICIES]
NAMES = {title: title for title in TITLES}
OTHER_RHO = {rho: f"figure-9-rho-{rho:g}" for rho in RHOS}  # names of experiments


def experiments(scale: Scale) -> dict[str, Experiment]:
    """All simulations of the chapter.

    BESA, UCB1 and Thompson sampling estimate the mean alone and decide alike whatever rho is. As all experiments have
    the same seed, their replications with another rho are those of Figure 9 and need not be simulated again.
    """
    common: dict[str, Any] = {
        "horizon": scale.clinical_horizon,
        "replications": scale.clinical_replications,
        "seed": SEED,
        "value": MeanVariance(rho=1.0),
        "policies": [policy.name for policy in POLICIES],
        "arms_from": VeteransLungCancer(scale="unit"),
    }
    rescaled = {"replications": scale.rescaled_replications}

    def using_rho(rho: float) -> dict[str, Any]:
        return {"value": MeanVariance(rho=rho), "policies": [BesaPlus(), MvLcb(rho=rho), ExpExp(rho=rho)]}

    changed: dict[str, tuple[str, dict[str, Any]]] = {"figure-9": ("", {})}
    for horizon in shorter_horizons(scale):
        policies = [MvLcb(rho=1.0), ExpExp(rho=1.0)]
        words = f": the policies that use the horizon, for {horizon} patients"
        changed[f"figure-9-horizon-{horizon}"] = words, {"policies": policies, "horizon": horizon}
    changed |= {
        "figure-9-tenths": (": rewards in tenths", rescaled | {"arms_from": VeteransLungCancer(scale="tenths")}),
        "figure-9-categories": (
            ": rewards from 1 to 10, as rewards from 0 to 1 with rho = 9",
            rescaled | using_rho(CATEGORY_RANGE),
        ),
        "figure-9-days": (": rewards in 1000 days", rescaled | {"arms_from": VeteransLungCancer(scale="days")}),
    }
    last = {"replications": scale.rho_replications, "steps": "last"}
    changed |= {name: (f": rho = {rho:g}", last | using_rho(rho)) for rho, name in OTHER_RHO.items()}
    title = "Figure 9, two treatments of lung cancer"
    return {
        name: Experiment(**common | {"title": f"{title}{words}"} | fields) for name, (words, fields) in changed.items()
    }


def shorter_horizons(scale: Scale) -> tuple[int, ...]:
    """The shorter horizons at which the claim is examined too."""
    return scale.clinical_horizon // 10, 3 * scale.clinical_horizon // 10


def merged(problem: Problem, *results: Results, factor: float = 1.0) -> Dataset:
    """Policies of several results on the replications and steps that these have in common, by title.

    A policy that occurs more than once is taken from the first of them. `worse` counts the patients so far on the worse
    treatment, `first_share` is the fraction on treatment 1, and `regret` is in units of `factor` times the gap. The
    gap and the number of the better treatment are attributes.
    """
    import xarray

    titled = [one.pulls.assign_coords(policy=[policy.title for policy in one.policies]) for one in results]
    pulls = xarray.concat(titled, "policy", join="inner", coords="minimal", compat="override")
    pulls = pulls.drop_duplicates("policy").sel(policy=TITLES)
    gap = factor * float(problem.gaps.max())
    worse = pulls.isel(arm=np.flatnonzero(~problem.best)).sum("arm")
    measures = {
        "worse": worse,
        "regret": gap * worse,
        "better_share": 1 - worse / pulls.step,
        "first_share": pulls.isel(arm=0, drop=True) / pulls.step,
    }
    return xarray.Dataset(measures, attrs={"gap": gap, "better": int(np.argmin(problem.gaps)) + 1})


class Evidence:
    """The results of the chapter's simulations on named axes, as `merged` gives them."""

    def __init__(self, results: Mapping[str, Results], scale: Scale) -> None:
        figure_9 = results["figure-9"]
        self.results = figure_9
        self.main = merged(figure_9.problem, figure_9)
        self.horizon = int(self.main.step[-1])
        self.horizons = {
            horizon: merged(figure_9.problem, results[f"figure-9-horizon-{horizon}"], figure_9)
            for horizon in shorter_horizons(scale)
        }
        categories, tenths, days = (results[f"figure-9-{name}"] for name in ("categories", "tenths", "days"))
        self.scales = {
            "in tenths": merged(tenths.problem, tenths),
            "from 1 to 10": merged(categories.problem, categories, figure_9, factor=CATEGORY_RANGE),
            "in 1000 days": merged(days.problem, days),
        }
        arms = veterans_lung_cancer()
        self.rhos = {
            rho: merged(Problem(arms, MeanVariance(rho=rho)), results[name], figure_9)
            for rho, name in OTHER_RHO.items()
        }

    def judgement(self) -> Judgement:
        """Claim 25."""
        regret = _last(self.main.regret)
        conditions = {f"after {horizon:,} patients": _last(one.regret) for horizon, one in self.horizons.items()}
        conditions |= {f"rewards {name}": _last(one.regret) for name, one in self.scales.items()}
        conditions |= {
            f"the first {count} replications": regret.isel(replication=slice(count))
            for count in REPETITIONS
            if count < regret.sizes["replication"]
        }
        return CLAIMS[25].judge(
            rules.lower_regret(regret),
            evidence=("figure-9", "figure-9-differences", "table-9", "figure-9-scales"),
            replications=regret.sizes["replication"],
            seed=SEED,
            note="BESA, UCB1 and Thompson sampling estimate the mean, by which the other treatment is better: the more "
            "they learn, the higher their regret here. MV-LCB and ExpExp, which use the horizon, were simulated again "
            "for the shorter horizons.",
            other_conditions={name: rules.lower_regret(other) for name, other in conditions.items()},
        )

    def figures(self) -> tuple[Figure | Table, ...]:
        """Figure 9, its numbers, the other scales and the other rho."""
        figure_9 = self._figure_9(), self._differences(), self._table_9()
        return *figure_9, self._scales(), self._differences_by_scale(), self._by_rho(), self._table_of_rho()

    def _figure_9(self) -> Figure:
        trial, horizon, gap = self.main, self.horizon, self.main.attrs["gap"]
        worse, other = _by_title(_last(trial.worse)), 3 - trial.attrs["better"]
        order = sorted(worse, key=lambda title: float(worse[title].mean()))
        told = listed([f"{title} {with_interval(mean_band(worse[title]))}" for title in order])
        return Figure(
            "figure-9",
            "Figure 9: regret by mean minus variance",
            f"Each step treats one patient. A patient on the worse treatment, here treatment {other}, costs {gap:.4f}, "
            f"so regret counts these patients. The mean numbers, of {horizon:,} patients, on the worse treatment are: "
            f"{told}. Uniformly random choice would give it to {horizon // 2:,}.\n\n"
            f"BESA, UCB1 and Thompson sampling look for the higher mean, which is that of treatment {other}: they come "
            "to prefer the treatment that is worse by this value. MV-LCB estimates the right value, but its confidence "
            f"width, six times the square root of log T / n, is large compared with a gap of {gap:.4f}: it gave the "
            f"worse treatment to {percent(worse[MvLcb.title].mean() / horizon)} of the patients. ExpExp tries both "
            "treatments equally often at first and then keeps one; in "
            f"{percent((worse[ExpExp.title] > horizon / 2).mean())} of the replications it kept the wrong one.",
            Panels(
                "Two treatments of lung cancer, rho = 1, category rescaled to [0, 1]",
                f"mean of {_replications(trial)}; band: 95 % interval",
                (
                    _curves("Regret", trial.regret),
                    _curves("Regret, logarithmic", trial.regret, log=True, log_y=True),
                    _curves("Better treatment", trial.better_share, "Fraction of patients", share=True),
                ),
            ),
            ("figure-9",),
        )

    def _differences(self) -> Figure:
        every = {**self.horizons, self.horizon: self.main}
        named = {f"after {horizon:,} patients": _last(trial.regret) for horizon, trial in every.items()}
        return Figure(
            "figure-9-differences",
            "Figure 9: BESA+ against each of the others",
            "Both policies of a pair meet the same patients in the same replication, which makes the difference more "
            "precise than either regret. Left of 0, BESA+ is better. MV-LCB and ExpExp use the horizon and were "
            "simulated for each; the others were read off at that patient.",
            _against_others(
                f"paired difference in cumulative regret, 95 % interval, {_replications(self.main)}",
                "Difference in cumulative regret",
                named,
            ),
            ("figure-9", *(f"figure-9-horizon-{horizon}" for horizon in self.horizons)),
        )

    def _table_9(self) -> Table:
        worse = _by_title(_last(self.main.worse))
        summary = dict(zip(TITLES, self.results.summary().to_dict("records"), strict=True))
        rows = tuple(
            (
                title,
                with_interval([final[f"regret_{end}"] for end in ("mean", "low", "high")]),
                number(final["regret_median"]),
                f"{number(final['regret_5'])} to {number(final['regret_95'])}",
                with_interval(mean_band(worse[title])),
                with_interval([final[f"stuck_{end}"] for end in ("share", "low", "high")]),
            )
            for title, final in summary.items()
        )
        own, other = (percent(summary[policy.title]["stuck_share"], 1) for policy in (BesaPlus, Besa))
        return Table(
            "table-9",
            f"Figure 9 after {self.horizon:,} patients",
            f"{_replications(self.main)}. Mean with its 95 % interval; the range contains 90 % of the replications. A "
            "replication is stuck if the better treatment got less than a tenth of the patients: the trial settled on "
            f"the wrong treatment. That happened to BESA+ in {own} of the replications and to BESA in {other}.",
            ("Policy", "Regret", "Median", "5 % to 95 % quantile", "Patients on the worse treatment", "Stuck"),
            rows,
            ("figure-9",),
        )

    def _scales(self) -> Figure:
        relative = self.scales["from 1 to 10"].attrs["gap"] / CATEGORY_RANGE / self.main.attrs["gap"]
        return Figure(
            "figure-9-scales",
            "Figure 9 with other rewards",
            "Rewards on another scale are another problem, because the variance grows with the square of the scale: at "
            "rho = 1, categories from 1 to 10 weight the variance nine times as heavily as categories from 0 to 1, and "
            f"the treatments are {number(relative)} times as far apart relative to the range of the rewards. UCB1, "
            "Thompson sampling and MV-LCB are designed for rewards from 0 to 1. Rewards from 1 to 10 were therefore "
            "simulated as rewards from 0 to 1 with rho = 9 and regret times 9, which is the same problem; BESA+ "
            "decides alike in both, patient by patient.",
            Panels(
                "Two treatments of lung cancer, rho = 1, rewards on other scales",
                f"mean of {_replications(self.scales['in tenths'])}; band: 95 % interval",
                tuple(
                    _curves(f"{name}, gap {number(trial.attrs['gap'])}", trial.regret, log=True, log_y=True)
                    for name, trial in self.scales.items()
                ),
            ),
            ("figure-9-tenths", "figure-9-categories", "figure-9-days", "figure-9"),
        )

    def _differences_by_scale(self) -> Figure:
        named = {name: _last(trial.worse) for name, trial in {"from 0 to 1": self.main, **self.scales}.items()}
        told = listed([f"{number(_means(worse)[0])} with rewards {name}" for name, worse in named.items()])
        return Figure(
            "figure-9-scale-differences",
            "BESA+ against each of the others, by scale",
            "In numbers of patients, all scales can be compared. The mean number of patients, of "
            f"{self.horizon:,}, to whom BESA+ gives the worse treatment is {told}. Left of 0, BESA+ spares patients "
            "the worse treatment.",
            _against_others(
                "paired difference in patients on the worse treatment, 95 % interval; by reward scale",
                f"Difference in patients, of {self.horizon:,}",
                named,
            ),
            ("figure-9", "figure-9-tenths", "figure-9-categories", "figure-9-days"),
        )

    def _by_rho(self) -> Figure:
        import xarray

        critical, test = critical_rho(*each(unit)), patients()[1]
        trial = self.rhos[0.25]
        gap = trial.attrs["gap"]
        missed = (len(test.short) / len(test.days)) ** 10
        leaders: dict[str, list[str]] = {}
        for rho, one in self.rhos.items():
            lowest = str(_last(one.regret).mean("replication").idxmin("policy").item())
            leaders.setdefault(lowest, []).append(f"{rho:g}")
        told = [f"{title} has the lowest mean regret at rho = {listed(rhos)}" for title, rhos in leaders.items()]

        def panel(title: str, y_label: str, measure: str, **more: Any) -> Curves:
            last = [_last(one[measure]) for one in self.rhos.values()]
            across = xarray.concat(last, "rho", coords="minimal", compat="override", join="exact")
            more |= {"x_label": "rho, the weight of the variance", "marks": (equal_at(critical),)}
            return Curves(title, "", y_label, np.array(RHOS), mean_lines(across, NAMES, low=0.0), log=True, **more)

        return Figure(
            "figure-9-rho",
            "Regret for other rho",
            f"Left of rho = {critical:.3f} treatment 2 is better, right of it treatment 1. Near it the treatments are "
            f"almost equally good and every choice costs little: at rho = 0.25 the gap is {gap:.5f}, and "
            f"{self.horizon:,} patients on the worse treatment cost {gap * self.horizon:.2f}. BESA, UCB1 and Thompson "
            "sampling do not use rho; their lines in the right panel are flat, and their regret only follows the gap. "
            "A policy that learns what rho asks for has to rise in the right panel where it passes the mark.\n\n"
            f"{'; '.join(told)}. Treatment 2 owes its higher mean to few of its patients, and a sample of ten contains "
            f"none of them with probability {percent(missed)}. Then its mean looks lower than it is. That helps a "
            "policy which trusts small samples where treatment 1 is better, and harms it where treatment 2 is.",
            Panels(
                f"Two treatments of lung cancer after {self.horizon:,} patients",
                f"category rescaled to [0, 1]; {_replications(trial)} for each rho; band: 95 % interval of the mean",
                (
                    panel("Cumulative regret", "Cumulative regret", "regret", log_y=True),
                    panel("Patients on treatment 1", "Fraction of patients", "first_share", share=True),
                ),
            ),
            (*OTHER_RHO.values(), "figure-9"),
        )

    def _table_of_rho(self) -> Table:
        rows = [
            (f"{rho:g}", str(one.attrs["better"]), number(one.attrs["gap"]), *map(number, _means(_last(one.worse))))
            for rho, one in self.rhos.items()
        ]
        return Table(
            "table-9-rho",
            f"Patients, of {self.horizon:,}, on the worse treatment for other rho",
            f"Mean of {_replications(self.rhos[0.0])}. At rho = 0 the value is the mean, which BESA, UCB1 and Thompson "
            "sampling are designed for.",
            ("rho", "Better treatment", "Gap", *TITLES),
            tuple(rows),
            (*OTHER_RHO.values(), "figure-9"),
        )


def _last(samples: DataArray) -> DataArray:
    return samples.isel(step=-1, drop=True)


def _means(samples: DataArray) -> list[float]:
    """The mean of each policy over replications."""
    means: list[float] = samples.mean("replication").sel(policy=TITLES).values.tolist()
    return means


def _by_title(samples: DataArray) -> dict[str, Any]:
    """The replications of each policy."""
    return {title: samples.sel(policy=title).values for title in TITLES}


def _curves(
    title: str, samples: DataArray, y_label: str = "Cumulative regret", share: bool = False, **more: Any
) -> Curves:
    lines = mean_lines(samples, NAMES, low=0.0, high=1.0 if share else np.inf)
    return Curves(title, "", y_label, samples.step.values, lines, share=share, x_label="Patient", **more)


def _against_others(subtitle: str, x_label: str, named: Mapping[str, DataArray]) -> Forest:
    """BESA+ minus each of the others under several conditions, those of one policy together."""
    bands = {group: rules.besa_plus_minus(samples) for group, samples in named.items()}
    rows = tuple(row(title, one[title], group) for title in TITLES[1:] for group, one in bands.items())
    return Forest("BESA+ minus each of the others", subtitle, x_label, rows, reference=0.0)


def _replications(trial: Dataset) -> str:
    return counted(trial.sizes["replication"], "replication")
