"""The figure of a frontier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from primum.figures import FrontierFigure, Group

if TYPE_CHECKING:
    from primum.trials.frontiers.many_designs import Frontier


def draw(found: Frontier) -> FrontierFigure:
    """A group of points for each policy, and the ceiling."""
    groups: dict[str, list[int]] = {}
    for i, each in enumerate(found.points):
        looks = " with looks" if each.design.looks else ""
        groups.setdefault(f"{each.design.policy.display_name}{looks}", []).append(i)
    dominated = np.array(found.dominated())
    share, power = (np.array([getattr(each, name) for each in found.points]) for name in ("share", "power"))
    names = [each.name for each in found.points]
    made = [
        Group(label, share[at], power[at], dominated[at], tuple(names[i] for i in at)) for label, at in groups.items()
    ]
    exact = all(each.is_exact for each in found.points)
    how = "exact" if exact else f"{found.replications:,} simulated trials each; seed {found.seed}"
    limit = None
    if found.ceiling is not None:
        heights = np.linspace(min(power.min(), found.ceiling.largest_power), found.ceiling.largest_power, 101)
        limit = found.ceiling.at(heights), heights
    return FrontierFigure(
        "What designs give their patients, and what they find out",
        f"{found.scenario.display_name}; {found.points[0].design.patients:,} patients; {how}; pale: another design is "
        "better in both",
        "Share of patients on the best arm",
        "Power of a valid test",
        tuple(made),
        limit,
        (float(share[0]), float(power[0])),
    )
