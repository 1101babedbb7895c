"""The main operating characteristics in a small table, for the terminal and for reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.trials.operating.characteristics import CHARACTERISTICS
from primum.trials.operating.figures import better_share, differs

if TYPE_CHECKING:
    from pandas import DataFrame

    from primum.trials.operating.operating_characteristics import OperatingCharacteristics

MOST_ARMS = 4  # with a column for each; of more, only the share on the best arms
MOST_DECIMALS = 6
EXACT_DECIMALS = {
    "probability": 2,
    "patients": 2,
    "outcome": 2,
    "time": 2,
    "difference": 4,
}  # of percentages, if a probability


@dataclass(frozen=True)
class Number:
    """An operating characteristic with its standard error; `is_exact` if there is no simulation behind it."""

    value: float
    error: float
    is_exact: bool
    unit: str

    @property
    def text(self) -> str:
        """The number with two digits of its error; a probability as a percentage without its sign.

        >>> Number(0.05123, 0.0021, False, "probability").text, Number(0.05, 0.0, True, "probability").text
        ('5.12', '5.00')
        """
        return "-" if math.isnan(self.value) else f"{self._scale * self.value + 0.0:,.{self._decimals}f}"

    @property
    def precision(self) -> str:
        """The standard error with its sign, or "exact".

        >>> Number(0.05123, 0.0021, False, "probability").precision
        '± 0.21'
        """
        if math.isnan(self.value):
            return ""
        return "exact" if self.is_exact else f"± {self._scale * self.error:,.{self._decimals}f}"

    @property
    def _scale(self) -> float:
        return 100.0 if self.unit == "probability" else 1.0

    @property
    def _decimals(self) -> int:
        error = self._scale * self.error
        if not error > 0:
            return EXACT_DECIMALS[self.unit]
        return min(MOST_DECIMALS, max(0, 1 - math.floor(math.log10(error))))


@dataclass(frozen=True)
class SummaryRow:
    """The main characteristics of a design in a scenario, by their titles."""

    scenario: str
    design: str
    numbers: dict[str, Number]


def summary(oc: OperatingCharacteristics) -> list[SummaryRow]:
    """The main characteristics of each design in each scenario, scenario by scenario."""
    arms = [str(arm) for arm in oc.data["arm"].values]
    rows = []
    for scenario in oc.scenarios:
        shares, share_errors = better_share(oc, scenario)
        for i, design in enumerate(oc.designs):
            at = {"design": design, "scenario": scenario}
            numbers = {"Rejects, %": number(oc, "reject", at)}
            if len(arms) > 2:
                names = {"Power, any": "power_any", "Power, all": "power_all", "Best arm chosen": "best"}
                numbers |= {f"{title}, %": number(oc, name, at) for title, name in names.items()}
            if len(arms) <= MOST_ARMS:
                numbers |= {f"Patients: {arm}": number(oc, "patients", at | {"arm": arm}) for arm in arms}
            if differs(oc, scenario):
                share = number(oc, "share", at | {"arm": arms[0]})  # all arms are exact, or none is
                best = Number(float(shares[i]), float(share_errors[i]), share.is_exact, share.unit)
            else:
                best = Number(math.nan, math.nan, False, "probability")
            numbers["On best arm, %"] = best
            if any(each.looks for each in oc.designs.values()):
                numbers["Enrolled"] = number(oc, "size", at)
            numbers |= {"Total outcome": number(oc, "outcome", at), "Gain": number(oc, "gain", at)}
            if len(arms) <= MOST_ARMS:
                for arm in arms[1:]:
                    title = "Bias" if len(arms) == 2 else f"Bias: {arm}"
                    numbers[title] = number(oc, "bias", at | {"arm": arm})
            rows.append(SummaryRow(scenario, design, numbers))
    return rows


def number(oc: OperatingCharacteristics, name: str, at: dict[str, Any]) -> Number:
    """One characteristic."""
    value, error = float(oc.data[name].sel(at)), float(oc.data[f"{name}_error"].sel(at))
    is_exact = oc.data["exact"].sel(design=at["design"], scenario=at["scenario"], characteristic=name)
    return Number(value, error, bool(is_exact), CHARACTERISTICS[name].unit)


def summary_frame(rows: list[SummaryRow]) -> DataFrame:
    """The same numbers as a data frame, unrounded, each with its standard error and whether it is exact."""
    from pandas import DataFrame

    table = []
    for row in rows:
        cells: dict[str, Any] = {"scenario": row.scenario, "design": row.design}
        for title, each in row.numbers.items():
            name = title.removesuffix(", %")
            cells |= {name: each.value, f"{name}, standard error": each.error, f"{name}, exact": each.is_exact}
        table.append(cells)
    return DataFrame(table).replace({np.nan: None})
