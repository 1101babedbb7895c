"""Trials simulated from the recorded patients: the paper's Figure 9, on other scales and for other rho."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from primum.experiments import Experiment
from primum.experiments.environments import Scale as Rewards
from primum.experiments.environments import VeteransLungCancer
from primum.figures import Curves, Forest, Line, Mark, Panels, Row
from primum.paper.chapter import Figure, Table
from primum.paper.claims import Claim, Judgement, Part
from primum.paper.patients import critical_rho, patients, unit
from primum.paper.scale import Scale
from primum.paper.showing import difference, differences, lines, number, with_interval
from primum.paper.trials import BESA_PLUS, NAMES, RIVALS, Trials
from primum.problem import Problem
from primum.results import Results
from primum.results.intervals import mean_band
from primum.rewards import veterans_lung_cancer
from primum.text import listed
from primum.values import MeanVariance

Array = np.ndarray[Any, Any]

SEED = 20190304
RHOS = (0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0)
CATEGORIES = 9.0  # categories from 1 to 10 are this many times as long as from 0 to 1
REPETITIONS = (10, 200)  # the paper gives no number for this figure, and ten for Figures 4 and 5


def experiments(scale: Scale) -> dict[str, Experiment]:
    """All simulations of the chapter.

    BESA, UCB1 and Thompson sampling look at the mean alone and decide alike whatever rho is. As all runs have the same
    seed, their part of a run with another rho is that of Figure 9, which needs no repetition.
    """

    def trials(
        title: str, policies: list[Any], runs: int, rewards: Rewards = "unit", rho: float = 1.0, **more: Any
    ) -> Experiment:
        return Experiment(
            title=title,
            horizon=more.pop("horizon", scale.clinical_horizon),
            replications=runs,
            seed=SEED,
            value=MeanVariance(rho=rho),
            policies=policies,
            arms_from=VeteransLungCancer(scale=rewards),
            **more,
        )

    def aware(rho: float) -> list[Any]:
        return [{"name": "mv-lcb", "rho": rho}, {"name": "exp-exp", "rho": rho}]

    every = list(NAMES)
    title = "Figure 9, two treatments of lung cancer"
    found = {"figure-9": trials(title, every, scale.clinical)}
    for horizon in shorter(scale):
        found[f"figure-9-horizon-{horizon}"] = trials(
            f"{title}: the policies that know the horizon, for {horizon} patients",
            aware(1.0),
            scale.clinical,
            horizon=horizon,
        )
    found["figure-9-tenths"] = trials(f"{title}: rewards in tenths", every, scale.scales, "tenths")
    found["figure-9-categories"] = trials(
        f"{title}: rewards from 1 to 10, as rewards from 0 to 1 with rho = 9",
        ["besa-plus", *aware(CATEGORIES)],
        scale.scales,
        rho=CATEGORIES,
    )
    found["figure-9-days"] = trials(f"{title}: rewards in 1000 days", every, scale.scales, "days")
    for rho in RHOS:
        found[_named(rho)] = trials(
            f"{title}: rho = {rho:g}", ["besa-plus", *aware(rho)], scale.sweep, rho=rho, steps="last"
        )
    return found


def shorter(scale: Scale) -> tuple[int, ...]:
    """The shorter horizons at which the claim is looked at too."""
    return scale.clinical_horizon // 10, 3 * scale.clinical_horizon // 10


def _named(rho: float) -> str:
    return f"figure-9-rho-{rho:g}"


def _better(regret: Mapping[str, Array]) -> tuple[Part, ...]:
    return tuple(
        Part(f"regret of {BESA_PLUS} less that of {name}", *difference(regret[BESA_PLUS], regret[name]), at_most=0)
        for name in RIVALS
    )


CLAIM = Claim(
    25,
    "Section 5.4, Figure 9",
    "BESA+ has relatively better performance than all the other ones",
    "On the clinical data, BESA+ is better than all the others",
    "For each of the five other policies: the 95 % interval of the paired difference in accumulated regret at the "
    "horizon, BESA+ less the other, is below zero (rho = 1, category from 0 to 1).",
    _better,
)


class Evidence:
    """The results of the chapter's simulations, put together."""

    def __init__(self, results: Mapping[str, Results], scale: Scale) -> None:
        figure_9 = results["figure-9"]
        self.seed, self.summary = figure_9.seed, figure_9.summary()
        self.main = Trials.of(figure_9.problem, figure_9)
        self.horizons = {
            horizon: Trials.of(figure_9.problem, results[f"figure-9-horizon-{horizon}"], figure_9)
            for horizon in shorter(scale)
        }
        categories, tenths, days = (results[f"figure-9-{name}"] for name in ("categories", "tenths", "days"))
        self.scales = {
            "rewards in tenths": Trials.of(tenths.problem, tenths),
            "rewards from 1 to 10": Trials.of(categories.problem, categories, figure_9, factor=CATEGORIES),
            "rewards in 1000 days": Trials.of(days.problem, days),
        }
        arms = veterans_lung_cancer()
        self.rhos = {
            rho: Trials.of(Problem(arms, MeanVariance(rho=rho)), results[_named(rho)], figure_9) for rho in RHOS
        }

    def judgement(self) -> Judgement:
        """Claim 25."""
        elsewhere = {f"after {horizon:,} patients": (trials.final(),) for horizon, trials in self.horizons.items()}
        elsewhere |= {name: (trials.final(),) for name, trials in self.scales.items()}
        for runs in REPETITIONS:
            if runs < self.main.runs:
                elsewhere[f"the first {runs} replications"] = (self.main.final(runs),)
        return CLAIM.judge(
            self.main.final(),
            exhibits=("figure-9", "figure-9-differences", "table-9", "figure-9-scales"),
            runs=self.main.runs,
            seed=self.seed,
            note="BESA, UCB1 and Thompson sampling look at the mean, by which the other treatment is the better one: "
            "the more they learn, the more they lose here. At the shorter horizons, MV-LCB and ExpExp, which know the "
            "horizon, were run anew.",
            elsewhere=elsewhere,
        )

    def exhibits(self) -> Iterator[Figure | Table]:
        """Figure 9, its numbers, the other scales and the other rho."""
        yield self._figure_9()
        yield self._differences()
        yield self._table_9()
        yield self._scales()
        yield self._differences_by_scale()
        yield self._by_rho()
        yield self._table_of_rho()

    def _figure_9(self) -> Figure:
        trials, horizon = self.main, int(self.main.steps[-1])
        worse, other = trials.last(trials.worse()), 3 - trials.better
        order = sorted(worse, key=lambda name: float(worse[name].mean()))
        told = listed([f"{name} {with_interval(*mean_band(worse[name]))}" for name in order])
        return Figure(
            "figure-9",
            "Figure 9: regret by mean less variance",
            f"Each step treats one patient. A patient on the worse treatment, here treatment {other}, costs "
            f"{trials.gap:.4f}, so regret counts these patients. Of {horizon:,} patients, the worse treatment gets on "
            f"average, in order: {told}. Random choice would give it to {horizon // 2:,}.\n\n"
            f"BESA, UCB1 and Thompson sampling look for the higher mean, which is that of treatment {other}: "
            "what they come to prefer is the worse one by this measure. MV-LCB looks for the right thing, but its "
            "allowance for chance, six times the square root of log T / n, is large beside a gap of "
            f"{trials.gap:.4f}: it gave the worse treatment to {worse['MV-LCB'].mean() / horizon:.0%} of the patients. "
            "ExpExp tries both treatments equally often at first and then keeps one; in "
            f"{(worse['ExpExp'] > horizon / 2).mean():.0%} of the replications it kept the wrong one.",
            _over_steps(trials, "Two treatments of lung cancer, rho = 1, category from 0 to 1"),
            ("figure-9",),
        )

    def _differences(self) -> Figure:
        every = {**self.horizons, int(self.main.steps[-1]): self.main}
        named = {f"after {horizon:,} patients": trials.final() for horizon, trials in every.items()}
        return Figure(
            "figure-9-differences",
            "Figure 9: BESA+ against each of the others",
            "Both policies of a pair meet the same patients in the same replication, which makes the difference more "
            "certain than either regret. Left of zero BESA+ is better. MV-LCB and ExpExp know the horizon and were run "
            "anew for each; the others were read at that patient.",
            Forest(
                "BESA+ less each of the others",
                f"paired difference in accumulated regret, 95 % interval, {_runs(self.main)}",
                "Difference in accumulated regret",
                _by_rival(named),
                reference=0.0,
            ),
            ("figure-9", *(f"figure-9-horizon-{horizon}" for horizon in self.horizons)),
        )

    def _table_9(self) -> Table:
        worse = self.main.last(self.main.worse())
        rows = []
        for row in self.summary.to_dict("records"):
            name = NAMES[row["policy"]]
            rows.append(
                (
                    name,
                    with_interval(row["regret_mean"], row["regret_low"], row["regret_high"]),
                    number(row["regret_median"]),
                    f"{number(row['regret_5'])} to {number(row['regret_95'])}",
                    with_interval(*mean_band(worse[name])),
                    with_interval(row["stuck_share"], row["stuck_low"], row["stuck_high"]),
                )
            )
        stuck = dict(zip((NAMES[name] for name in self.summary["policy"]), self.summary["stuck_share"], strict=True))
        return Table(
            "table-9",
            f"Figure 9 after {self.main.steps[-1]:,} patients",
            f"{_runs(self.main)}. Mean with its 95 % interval; the range holds nine of ten replications. A replication "
            "is stuck if the better treatment got less than a tenth of the patients: the trial settled on the wrong "
            f"treatment. That happened to BESA+ in {stuck[BESA_PLUS]:.1%} of the replications and to BESA in "
            f"{stuck['BESA']:.1%}.",
            ("Policy", "Regret", "Median", "5 % to 95 %", "Patients on the worse treatment", "Stuck"),
            tuple(rows),
            ("figure-9",),
        )

    def _scales(self) -> Figure:
        panels = tuple(
            _regret_curves(trials, f"{name.removeprefix('rewards ')}, gap {number(trials.gap)}", log=True)
            for name, trials in self.scales.items()
        )
        return Figure(
            "figure-9-scales",
            "Figure 9 with other rewards",
            "Rewards on another scale are another problem, because the variance grows with the square of the scale: "
            "at rho = 1, categories from 1 to 10 weigh the variance nine times as heavily as categories from 0 to 1, "
            "and the treatments are "
            f"{number(self.scales['rewards from 1 to 10'].gap / CATEGORIES / self.main.gap)} times as far apart, "
            "measured by the range of the rewards. UCB1, Thompson sampling and MV-LCB are made for rewards from 0 to "
            "1. So rewards from 1 to 10 were simulated as rewards from 0 to 1 with rho = 9 and regret times 9, which "
            "is the same problem; BESA+ decides alike in both, patient by patient.",
            Panels(
                "Two treatments of lung cancer, rho = 1, rewards on other scales",
                f"mean of {_runs(self.scales['rewards in tenths'])}; band: 95 % interval",
                panels,
            ),
            ("figure-9-tenths", "figure-9-categories", "figure-9-days", "figure-9"),
        )

    def _differences_by_scale(self) -> Figure:
        every = {"rewards from 0 to 1": self.main, **self.scales}
        named = {name.removeprefix("rewards "): trials.last(trials.worse()) for name, trials in every.items()}
        told = listed([f"{number(worse[BESA_PLUS].mean())} with rewards {name}" for name, worse in named.items()])
        return Figure(
            "figure-9-scale-differences",
            "BESA+ against each of the others, by scale",
            "In patients, all scales can be compared. BESA+ gives the worse treatment on average to so many of "
            f"{self.main.steps[-1]:,} patients: {told}. Left of zero BESA+ spares patients the worse treatment.",
            Forest(
                "BESA+ less each of the others",
                "paired difference in patients on the worse treatment, 95 % interval; by rewards",
                f"Difference in patients, of {self.main.steps[-1]:,}",
                _by_rival(named),
                reference=0.0,
            ),
            ("figure-9", "figure-9-tenths", "figure-9-categories", "figure-9-days"),
        )

    def _by_rho(self) -> Figure:
        one, two = (unit(arm.days) for arm in patients())
        critical = critical_rho(one, two)
        regret = _across([trials.final() for trials in self.rhos.values()])
        first = _across(
            [
                trials.last({name: pulls[..., 0] / trials.steps for name, pulls in trials.pulls.items()})
                for trials in self.rhos.values()
            ]
        )
        marks = (Mark(critical, f"equal at {critical:.3f}"),)
        trials = self.rhos[0.25]
        test = patients()[1]
        lacking = (len(test.short) / len(test.days)) ** 10
        return Figure(
            "figure-9-rho",
            "Regret for other rho",
            f"To the left of rho = {critical:.3f} treatment 2 is the better one, to the right treatment 1. Near it the "
            "treatments are almost equally good and little is lost whatever one does: at rho = 0.25 the gap is "
            f"{trials.gap:.5f}, and {trials.steps[-1]:,} patients on the worse treatment cost "
            f"{trials.gap * trials.steps[-1]:.2f}. BESA, UCB1 and Thompson sampling do not know rho; their lines in "
            "the right panel are flat, and their regret only follows the gap. A policy that learns what rho asks "
            "for has to climb in the right panel where it passes the mark.\n\n"
            f"{self._leaders()} Treatment 2 owes its higher mean to few of its patients, and a sample of ten has none "
            f"of them with probability {lacking:.0%}. Then it looks worse by the mean than it is. That helps a policy "
            "which trusts small samples where treatment 1 is the better one, and hurts it where it is not.",
            Panels(
                f"Two treatments of lung cancer after {trials.steps[-1]:,} patients",
                f"category from 0 to 1; {_runs(trials)} for each rho; band: 95 % interval of the mean",
                (
                    _over_rho("Accumulated regret", "Accumulated regret", regret, marks, log_y=True),
                    _over_rho("Patients on treatment 1", "Share of patients", first, marks, share=True),
                ),
            ),
            (*map(_named, RHOS), "figure-9"),
        )

    def _leaders(self) -> str:
        """Who has the least mean regret at which rho."""
        leaders: dict[str, list[str]] = {}
        for rho, trials in self.rhos.items():
            means = {name: float(sample.mean()) for name, sample in trials.final().items()}
            leaders.setdefault(min(means, key=means.__getitem__), []).append(f"{rho:g}")
        told = [f"{name} at rho = {listed(rhos)}" for name, rhos in leaders.items()]
        return f"The least mean regret has {'; '.join(told)}."

    def _table_of_rho(self) -> Table:
        rows = []
        for rho, trials in self.rhos.items():
            worse = (number(sample.mean()) for sample in trials.last(trials.worse()).values())
            rows.append((f"{rho:g}", str(trials.better), number(trials.gap), *worse))
        return Table(
            "table-9-rho",
            f"Patients of {self.main.steps[-1]:,} on the worse treatment, for other rho",
            f"Mean of {_runs(self.rhos[0.0])}. At rho = 0 the value is the mean, for which BESA, UCB1 and Thompson "
            "sampling are made.",
            ("rho", "Better treatment", "Gap", *NAMES.values()),
            tuple(rows),
            (*map(_named, RHOS), "figure-9"),
        )


def _over_steps(trials: Trials, title: str) -> Panels:
    shares = lines(trials.shares(), low=0.0, high=1.0)
    panels = (
        _regret_curves(trials, "Regret"),
        _regret_curves(trials, "Regret, logarithmic", log=True),
        Curves("Better treatment", "", "Share of patients", trials.steps, shares, share=True, x_label="Patient"),
    )
    return Panels(title, f"mean of {_runs(trials)}; band: 95 % interval", panels)


def _regret_curves(trials: Trials, title: str, log: bool = False) -> Curves:
    regret = lines(trials.regret(), low=0.0)
    return Curves(title, "", "Accumulated regret", trials.steps, regret, log=log, x_label="Patient", log_y=log)


def _over_rho(title: str, y_label: str, drawn: tuple[Line, ...], marks: tuple[Mark, ...], **more: Any) -> Curves:
    x_label = "rho, the weight of the variance"
    return Curves(title, "", y_label, np.array(RHOS), drawn, log=True, x_label=x_label, marks=marks, **more)


def _across(samples: list[dict[str, Array]]) -> tuple[Line, ...]:
    """For each policy its samples at all rho, as one line."""
    return lines({name: np.stack([one[name] for one in samples], axis=1) for name in NAMES.values()}, low=0.0)


def _by_rival(named: Mapping[str, Mapping[str, Array]]) -> tuple[Row, ...]:
    """BESA+ less each of the others in several samples, those of one rival together."""
    rows = [row for group, samples in named.items() for row in differences(samples, group)]
    return tuple(sorted(rows, key=lambda row: RIVALS.index(row.label)))


def _runs(trials: Trials) -> str:
    return f"{trials.runs:,} replications"
