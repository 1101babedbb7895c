"""Figures of a table of the arena."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from primum.arena.suite import OTHER_VALUES
from primum.arena.table import Table
from primum.experiments.study_figures import profile
from primum.figures import Curves, HeatMap
from primum.text import counted

PROFILED_FAMILIES = 3  # of values, those with most pairs, have profiles of their own
MEASURES = {"geometric_mean": "Geometric mean of the ratios to the best policy", "worst": "Largest ratio to the best"}


@dataclass(frozen=True)
class Figure:
    """A picture with the name of its files and a caption."""

    name: str
    caption: str
    picture: HeatMap | Curves


def figures(table: Table, horizon: int) -> list[Figure]:
    """All figures of a table at a horizon, in the order of the report."""
    return list(_figures(table, horizon))


def _figures(table: Table, horizon: int) -> Iterator[Figure]:
    said = "Every policy on every pair; a dot says that the policy does not fit, or was too slow to be played."
    yield Figure("ratios", said, all_ratios(table, horizon))
    said = (
        "A line that is high on the left is often best; one that reaches 1 early has no bad case. A pair that a policy "
        "does not fit counts as beyond every factor."
    )
    if any(policy.is_general for policy in table.policies.values()):
        yield Figure("profile", f"Policies for every value. {said}", profile_of(table, horizon, None))
    for number, family in enumerate(largest_families(table), 1):
        caption = f"Value: {family}. Policies made for it are included."
        yield Figure(f"profile-{number}", caption, profile_of(table, horizon, family))
    classes = {title: table.of_class(title) for title in table.classes}
    families = {family: table.of_family(family) for family in table.families}
    for column, text in MEASURES.items():
        for name, words, scopes in (("class", "class of problems", classes), ("value", "value", families)):
            caption = f"{text}, by {words}, over the pairs that the policy fits."
            yield Figure(f"{column.replace('_', '-')}-by-{name}", caption, by_scope(table, horizon, scopes, column))
    for number, title in enumerate(table.classes, 1):
        caption = f"{title}: mean regret relative to the best policy."
        yield Figure(f"class-{number}", caption, of_class(table, horizon, title))


def order(table: Table, horizon: int) -> list[str]:
    """The policies: those for every value first, each group by its geometric mean over all pairs that it fits."""
    found = table.summary(horizon).sort_values("is_general", ascending=False, kind="stable")
    return list(found["policy"])


def largest_families(table: Table) -> list[str]:
    """The families of values with most pairs, without that of all other values."""
    families = [family for family in table.families if family != OTHER_VALUES]
    return sorted(families, key=lambda family: -len(table.of_family(family)))[:PROFILED_FAMILIES]


def all_ratios(table: Table, horizon: int) -> HeatMap:
    """Ratios to the best of all policies on all pairs."""
    return _map(table, horizon, list(table.pairs), order(table, horizon), "Mean regret relative to the best policy")


def of_class(table: Table, horizon: int, title: str) -> HeatMap:
    """Ratios to the best in a class, the policies in their order there."""
    names = table.of_class(title)
    return _map(table, horizon, names, list(table.summary(horizon, names)["policy"]), title)


def _map(table: Table, horizon: int, names: Sequence[str], labels: Sequence[str], title: str) -> HeatMap:
    ratios = table.ratios(horizon, names).loc[list(labels)]
    return _heat_map(
        table, title, horizon, labels, [table.pairs[str(name)].title for name in ratios], ratios.to_numpy(), "Pair"
    )


def by_scope(table: Table, horizon: int, scopes: Mapping[str, Sequence[str]], column: str) -> HeatMap:
    """A measure of the summary for some groups of pairs."""
    labels = order(table, horizon)
    numbers = np.stack(
        [
            table.summary(horizon, names).set_index("policy")[column].reindex(labels).to_numpy()
            for names in scopes.values()
        ],
        axis=1,
    )
    titles = [f"{title} ({len(names)})" for title, names in scopes.items()]
    return _heat_map(table, MEASURES[column], horizon, labels, titles, numbers, "Pairs (their number)")


def _heat_map(
    table: Table,
    title: str,
    horizon: int,
    labels: Sequence[str],
    columns: Sequence[str],
    numbers: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    x_label: str,
) -> HeatMap:
    return HeatMap(
        title=title,
        subtitle=f"{_about(table, horizon)}; dot: the policy does not fit",
        x_label=x_label,
        y_label="Policy",
        label="Ratio to the best policy",
        rows=tuple(table.policies[label].title for label in labels),
        columns=tuple(columns),
        numbers=numbers,
        infinite="infinite: the best policy has no regret",
    )


def profile_of(table: Table, horizon: int, family: str | None) -> Curves:
    """The performance profile of general policies on all pairs, or of all that fit those of a family of values."""
    names = list(table.pairs) if family is None else table.of_family(family)
    ratios = table.ratios(horizon, names)
    if family is None:
        ratios = ratios[[table.policies[label].is_general for label in ratios.index]]
    where = f"{counted(ratios.shape[1], 'pair')}{f', value: {family}' if family else ''}"
    return profile(
        "Performance profile: how often each policy is close to the best",
        f"{where}; {_about(table, horizon)}",
        "Share of pairs within the factor",
        [table.policies[label].title for label in ratios.index],
        ratios.to_numpy(),
    )


def _about(table: Table, horizon: int) -> str:
    counts = [cell.replications for cell in table.cells if cell.horizon == horizon]
    few, many = min(counts), max(counts)
    replications = counted(many, "replication") if few == many else f"{few:,} to {many:,} replications"
    return f"after {horizon:,} steps; mean of {replications}"
