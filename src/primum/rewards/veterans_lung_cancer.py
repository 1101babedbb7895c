"""The clinical data of the paper."""

from __future__ import annotations

import csv
from collections.abc import Callable

from primum.errors import UnknownNameError
from primum.rewards.empirical import Empirical

_SCALES: dict[str, Callable[[int, int], float]] = {  # category and days -> reward
    "unit": lambda category, days: (category - 1) / 9,
    "tenths": lambda category, days: category / 10,
    "categories": lambda category, days: category,
    "days": lambda category, days: days / 1000,
}


def veterans_lung_cancer(scale: str = "unit") -> dict[str, Empirical]:
    """The two arms of the Veterans' Administration lung cancer trial, "standard" (69 men) and "test" (68 men).

    Survival falls into ten categories of 100 days, c = floor(days / 100) + 1, as in Aboutalebi, Precup, Schuster 2019
    (arXiv:1903.01026), who say neither how wide the categories are nor how they are scaled; with these, the test arm
    has the larger mean and the larger variance, as they report. The reward is, by `scale`:

    - ``unit``: (c - 1) / 9, in [0, 1];
    - ``tenths``: c / 10;
    - ``categories``: c, from 1 to 10;
    - ``days``: days / 1000, without categories.

    That 9 of 137 men were censored is ignored, as in the paper. Data: Kalbfleisch, Prentice, The Statistical Analysis
    of Failure Time Data (Wiley 1980), distributed by StatLib.

    >>> {name: round(arm.mean, 6) for name, arm in veterans_lung_cancer().items()}
    {'standard': 0.086957, 'test': 0.093137}
    """
    if scale not in _SCALES:
        raise UnknownNameError("scale", scale, _SCALES)
    reward = _SCALES[scale]
    return {
        name: Empirical(tuple(reward(days // 100 + 1, days) for days, _ in patients))
        for name, patients in recorded_patients().items()
    }


def recorded_patients() -> dict[str, list[tuple[int, bool]]]:
    """The patients of the trial by treatment: days, and whether the patient died then (otherwise censored).

    >>> recorded_patients()["standard"][0]
    (72, True)
    """
    from importlib import resources  # takes 5 ms

    arms: dict[str, list[tuple[int, bool]]] = {"standard": [], "test": []}
    with resources.files("primum.rewards").joinpath("data", "veteran.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            arms["standard" if row["treatment"] == "1" else "test"].append((int(row["time"]), row["status"] == "1"))
    return arms
