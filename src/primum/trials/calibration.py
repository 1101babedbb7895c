"""Calibration: the critical value, or the factor of boundaries, for a type I error, and what it covers."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import Parameter
from primum.problem import ROUNDING_ERROR
from primum.rewards import Bernoulli
from primum.runs.pieces import run_pieces
from primum.store import Store, opened
from primum.text import listed
from primum.trials.design import Design
from primum.trials.exact_law import exact
from primum.trials.exact_law.calibration import boundary_factor, critical_value
from primum.trials.exact_law.feasible import check
from primum.trials.operating.exact_characteristics import law_of
from primum.trials.operating.measures import Measures
from primum.trials.operating.operate import check_scenarios
from primum.trials.scenario import Scenario
from primum.trials.simulation.pieces import TrialPieces

if TYPE_CHECKING:
    from pandas import DataFrame

NULL_PROBABILITIES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


class Calibrated(float):
    """A critical value, or the factor by which boundaries grow, with the null hypotheses that it covers.

    `design` has it as its `limit`. `type_1` is the largest type I error over what it `covers`, `worst` says where that
    is, and `type_1_error` is its Monte Carlo error, 0 if it is exact. Over scenarios, `nulls` has them by name and
    `by_null` the type I error in each. Nothing is known about null hypotheses that it does not cover, a drift for
    example.
    """

    design: Design
    limit: str
    type_1: float
    type_1_error: float
    worst: str
    covers: str
    nulls: dict[str, Scenario]
    by_null: dict[str, float]

    @classmethod
    def of(cls, value: float, **about: Any) -> Calibrated:
        """The number with its attributes."""
        made = cls(value)
        made.__dict__.update(about)
        return made

    def __repr__(self) -> str:
        how = "exact" if self.type_1_error == 0 else f"standard error {self.type_1_error:.2g}"
        return f"{float(self):.5g} (type I error {self.type_1:.4f} at {self.worst}, {how}; covers {self.covers})"

    def table(self) -> DataFrame:
        """The type I error under each null hypothesis that it covers, and which of them is the worst."""
        from pandas import DataFrame

        rates = self.by_null or {self.covers: self.type_1}
        rows = {
            null: {"type I error": rate, "worst": null == self.worst or not self.by_null}
            for null, rate in rates.items()
        }
        return DataFrame.from_dict(rows, orient="index").rename_axis(f"{self.limit} {float(self):.5g}, null hypothesis")


def calibrate(
    design: Design,
    alpha: float | None = None,
    *,
    nulls: Mapping[str, Any] | None = None,
    replications: int = 20_000,
    seed: int = 0,
    store: Store | str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Calibrated:
    """The critical value whose type I error is at most alpha under each null hypothesis that the result names.

    It is compared with the statistic of the design's analysis: `critical` of a Z test, `threshold` of a posterior
    probability. For a design with `GroupSequential` it is the `factor` of its boundaries, to three decimals; stops for
    futility are not relied on, so that they may be overruled. `alpha` is the level of the design's test if it is not
    given, and `.design` of the result is the calibrated design.

    For two arms with outcomes 0 and 1 it is exact, over every common probability of success, where `exact` admits the
    design. Otherwise trials are simulated in the scenarios `nulls`, or for common probabilities from 0.01 to 0.99, and
    the largest statistic of the comparisons exceeds the result in at most alpha of the trials of each; the same seed
    gives all designs the same patients. No scenario may have an effect that the test looks for. Boundaries need the
    exact distribution: `nulls` then have a common probability of success each. The result covers what it says, and a
    drift only if `nulls` have one.

    >>> from primum import policies, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=40, policy=policies.Thompson(), analysis=trials.PooledZ(sided="greater"),
    ... )
    >>> calibrate(design, alpha=0.05, progress=False)
    2.5131 (type I error 0.0494 at p = 0.932, exact; covers outcomes 0 and 1 with every common p, no drift)
    """
    if not design.test.limit:
        raise ParameterError(
            f"{design.test.display_name} compares no statistic with a critical value, so there is none to find"
        )
    level = getattr(design.test, "alpha", None) if alpha is None else alpha
    alpha = float(Parameter("", 0.0, 1.0, open_low=True, open_high=True).check("alpha", level))
    if design.test is design.stopping:
        return _boundaries(design, alpha, nulls, progress)
    law = None if nulls is not None else law_of(design, progress=progress)
    if law is not None:
        critical = critical_value(law, alpha)
        calibrated = _with_limit(design, critical)
        largest = exact(calibrated, progress=False).largest_type_1()
        return _exactly(critical, calibrated, largest.value, largest.p)
    scenarios = _null_scenarios(design) if nulls is None else _without_effect(check_scenarios(nulls), design)
    found = measured(design, scenarios, replications, seed, store, progress)
    evidence = {name: each["evidence"].max(axis=1) for name, each in found.items()}
    critical = max(_upper_quantile(each, alpha) for each in evidence.values())
    rates = {name: float((each > critical).mean()) for name, each in evidence.items()}
    worst = max(rates, key=lambda name: rates[name])
    rate = rates[worst]
    return Calibrated.of(
        critical,
        design=_with_limit(design, critical),
        limit=design.test.limit,
        type_1=rate,
        type_1_error=max(math.sqrt(rate * (1 - rate) / replications), 1 / replications),
        worst=worst,
        covers=_covered(scenarios, is_default=nulls is None),
        nulls=scenarios,
        by_null=rates,
    )


def _boundaries(design: Design, alpha: float, nulls: Mapping[str, Any] | None, progress: bool) -> Calibrated:
    """The factor of the stopping rule's boundaries; exact."""
    assert design.stopping is not None
    try:
        check(design)
    except ParameterError as error:
        raise ParameterError(f"boundaries are calibrated exactly only, and {error.sentence}") from None
    binding = design.replace(stopping=design.stopping.binding)
    scenarios = {} if nulls is None else check_scenarios(nulls)
    p = {name: _common_probability(name, each, design) for name, each in scenarios.items()}
    at = np.array([*p.values()])
    factor, largest = boundary_factor(binding, alpha, at if p else None, progress=progress)
    calibrated = _with_limit(design, factor)
    if not p:
        return _exactly(factor, calibrated, largest.value, largest.p)
    law = exact(_with_limit(binding, factor), progress=False)
    return Calibrated.of(
        factor,
        design=calibrated,
        limit=design.stopping.limit,
        type_1=largest.value,
        type_1_error=0.0,
        worst=next(name for name, each in p.items() if each == largest.p),
        covers=_covered(scenarios),
        nulls=scenarios,
        by_null=dict(zip(p, law.type_1(at).tolist(), strict=True)),
    )


def _exactly(value: float, calibrated: Design, type_1: float, p: float) -> Calibrated:
    """A result over every common probability of success."""
    return Calibrated.of(
        value,
        design=calibrated,
        limit=calibrated.test.limit,
        type_1=type_1,
        type_1_error=0.0,
        worst=f"p = {p:.3g}",
        covers="outcomes 0 and 1 with every common p, no drift",
        nulls={},
        by_null={},
    )


def _with_limit(design: Design, value: float) -> Design:
    key = "stopping" if design.test is design.stopping else "analysis"
    return design.replace(**{key: design.test.spec() | {design.test.limit: value}})


def _covered(scenarios: Mapping[str, Scenario], *, is_default: bool = False) -> str:
    """Null hypotheses in words: those that were given with their names and outcomes."""
    if is_default:
        what = f"outcomes 0 and 1 with a common p of {listed([f'{p:g}' for p in NULL_PROBABILITIES], 'or')}"
    else:
        what = listed([f"{name} ({_outcomes(scenario)})" for name, scenario in scenarios.items()])
    drifting = [name for name, scenario in scenarios.items() if scenario.drift is not None]
    return f"{what}, drift in {listed(drifting)}" if drifting else f"{what}, no drift"


def _outcomes(scenario: Scenario) -> str:
    """A scenario in words, the outcomes of equal arms once."""
    are_equal = all(arm == scenario.arms[0] for arm in scenario.arms)
    if not are_equal:
        return scenario.display_name
    return "all arms " + scenario.replace(arms=scenario.arms[:1]).display_name


def _without_effect(scenarios: Mapping[str, Scenario], design: Design) -> dict[str, Scenario]:
    """The scenarios, none of which has an effect that the design's test looks for, if that is one of means."""
    if not design.analysis.compares_means:
        return dict(scenarios)
    for name, scenario in scenarios.items():
        ordered = scenario.ordered(design.arms)
        control, *others = (ordered.average(arm, design.patients).mean for arm in range(len(design.arms)))
        sign = {"greater": 1, "less": -1}.get(design.analysis.sided)
        for arm, mean in zip(design.arms[1:], others, strict=True):
            effect = (mean - control) * sign if sign else abs(mean - control)
            if effect > ROUNDING_ERROR * max(1.0, abs(mean), abs(control)):
                what = "differ from" if sign is None else f"be {'better' if sign > 0 else 'worse'} than"
                raise ParameterError(
                    f"under a null hypothesis no arm may {what} the control, and in {name!r} the mean of {arm!r} is "
                    f"{mean:g} and that of the control {control:g}",
                    ("nulls", name),
                )
    return dict(scenarios)


def _common_probability(name: str, scenario: Scenario, design: Design) -> float:
    truth = scenario.ordered(design.arms)
    if not truth.is_binary or truth.drift is not None or len(set(truth.probabilities.tolist())) > 1:
        raise ParameterError(
            "boundaries are calibrated exactly only, for outcomes 0 and 1 with a common probability of success and no "
            f"drift, and {name!r} is another scenario",
            ("nulls", name),
        )
    return float(truth.probabilities[0])


def _null_scenarios(design: Design) -> dict[str, Scenario]:
    low, high = design.policy.reward_bounds
    if low > 0 or high < 1:
        raise ParameterError(
            f"{design.policy.display_name} is not made for outcomes 0 and 1: give the scenarios `nulls`"
        )
    return {f"p = {p:g}": Scenario([Bernoulli(p)] * len(design.arms)) for p in NULL_PROBABILITIES}


def measured(
    design: Design, scenarios: Mapping[str, Scenario], replications: int, seed: int, store: Any, progress: bool
) -> dict[str, Measures]:
    """The measures of simulated trials in each scenario."""
    kept = opened(store)
    cells = {name: TrialPieces(design, each, seed, replications, kept) for name, each in scenarios.items()}
    if not run_pieces(cells.values(), progress=progress):
        raise KeyboardInterrupt
    return {name: cell.measures() for name, cell in cells.items()}


def _upper_quantile(evidence: Any, alpha: float) -> float:
    """The smallest number that at most a fraction alpha of the evidence exceeds."""
    ordered = np.sort(evidence)
    return float(ordered[math.ceil((1 - alpha) * len(ordered)) - 1])
