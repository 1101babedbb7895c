"""Designs and scenarios in words."""

from __future__ import annotations

import inspect
import re

import numpy as np

from primum.kernels.blocks import MOST_ROUNDS
from primum.plugins.registry import Plugin
from primum.text import counted, listed
from primum.trials.design import Design
from primum.trials.scenario import Scenario
from primum.values import Mean

SIDES = {
    "greater": "one-sided: an arm is better than the control",
    "less": "one-sided: an arm is worse than the control",
    "two-sided": "two-sided: an arm differs from the control",
}
ADJUSTMENTS = {"none": "no adjustment", "bonferroni": "Bonferroni's adjustment", "holm": "Holm's adjustment"}
ESTIMATORS = {
    "naive": "Difference in means between each arm and the control; adaptive allocation can bias it.",
    "inverse-probability": "Outcomes weighted by the inverse of their allocation probabilities.",
    "adaptively-weighted": "Augmented inverse probability weighting with adaptive weights.",
}


def design_in_words(design: Design) -> dict[str, str]:
    """Each part of a design."""
    parts = {
        "Arms": f"{', '.join(design.arms)}; the first is the control",
        "Patients": f"{design.patients:,}" + (" at most" if design.looks else ""),
        "Allocation": _with_summary(design.policy),
    }
    if not isinstance(design.value, Mean):
        parts["Learns by"] = _with_summary(design.value)
    parts |= {
        "Burn-in": _burn_in(design),
        "Coin": _coin(design),
        "Blocks": _blocks(design),
        "Accrual": _with_summary(design.accrual),
        "Delay": _delay(design),
        "Looks": _looks(design),
        "Analysis": _analysis(design),
        "Estimator": ESTIMATORS[design.estimator],
        "Interval": design.analysis.interval_title(design),
    }
    return parts


def _with_summary(plugin: Plugin) -> str:
    first = re.split(r"\n\s*\n", inspect.getdoc(type(plugin)) or "")[0]
    return f"{plugin.display_name}. {' '.join(first.replace('`', '').split())}".rstrip(" .") + "."


def _burn_in(design: Design) -> str:
    if not design.burn_in:
        return "None"
    sizes = [f"{rounds * len(design.arms):,}" for rounds in range(1, min(design.burn_in, MOST_ROUNDS) + 1)]
    first = f"The first {design.forced:,} patients"
    return f"{first}, {design.burn_in:,} on each arm, in permuted blocks of {listed(sizes, 'or')}"


def _coin(design: Design) -> str:
    coins = design.coins()[design.forced :]
    if not coins.any():
        return "None: the rule allocates all others"
    share = f"{coins[0]:.4g}" if coins[0] == coins[-1] else f"{coins[0]:.4g} at first and {coins[-1]:.4g} at last"
    return f"With probability {share} a patient is allocated at random, whatever the rule says"


def _blocks(design: Design) -> str:
    if design.blocks == 1:
        return "None: the rule sees new outcomes before every patient"
    if isinstance(design.blocks, int):
        return f"The rule sees new outcomes after every {design.blocks:,} patients"
    return f"The rule sees new outcomes after {listed([f'{n:,}' for n in design.blocks])} patients"


def _delay(design: Design) -> str:
    delay = design.delay
    if delay is None or delay.patients == 0:
        return "None: an outcome is known before the next patient is allocated"
    if delay.patients > 0:
        return f"An outcome is known after {counted(delay.patients, 'further patient')}"
    return _with_summary(delay)


def _looks(design: Design) -> str:
    if design.stopping is None:
        return "None: the trial enrols all patients"
    counts = listed([f"{number:,}" for number in design.monitoring.interim])
    what = "patients enrolled" if design.looks_count == "patients" else "known outcomes"
    final = ", and at the end" if design.monitoring.has_final else ""
    return f"At {counts} {what}{final}. {_with_summary(design.stopping)}"


def _analysis(design: Design) -> str:
    analysis = design.analysis
    if analysis is not design.test:
        return f"{analysis.title}: what the stopping rule declares, at a look or at the end"
    critical = float(getattr(analysis, "critical", 0.0))
    # which null hypotheses it was calibrated on is no part of a design
    level = (
        f"critical value {critical:.4g}, whose level is known only under the null hypotheses that it was calibrated on"
        if critical
        else f"level {analysis.alpha:g}"
    )
    several = f", {ADJUSTMENTS[analysis.adjustment]} for several arms" if len(design.arms) > 2 else ""
    return f"{analysis.title}; {SIDES[analysis.sided]}; {level}{several}"


def scenario_in_words(scenario: Scenario, design: Design) -> list[str]:
    """The outcome distribution of each arm, the drift, and the difference between the best arm and the worst."""
    values = scenario.true_values(design.value, design.patients)
    drift = "none" if scenario.drift is None else scenario.drift.display_name
    spread = float(np.ptp(values))
    return [*(arm.display_name for arm in scenario.arms), drift, f"{spread:.4g}" if spread > 1e-9 else "none"]
