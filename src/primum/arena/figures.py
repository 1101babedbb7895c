"""Figures of a table of the arena."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from primum.arena.suite import OTHER_VALUES
from primum.arena.table import PairRow, Table
from primum.figures import Curves, HeatMap, Name
from primum.runs.studies.figures import profile
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
    for half, names in table.halves(horizon).items():
        end, where = "-tuned" if table.pairs[names[0]].tuned else "", f"The {half}."
        if any(table.policies[label].is_general for label in table.at(horizon, names)["policy"]):
            yield Figure(
                f"profile{end}", f"{where} Policies for every value. {said}", profile_of(table, horizon, names)
            )
        for number, family in enumerate(largest_families(table), 1):
            members = [name for name in names if table.pairs[name].family == family]
            if members:
                caption = f"{where} Value: {family}. Policies made for it are included."
                yield Figure(f"profile-{number}{end}", caption, profile_of(table, horizon, members, family))
        for column, text in MEASURES.items():
            for name, words, scopes in (
                ("class", "class of problems", {title: table.of_class(title) for title in table.classes}),
                ("value", "value", {family: table.of_family(family) for family in table.families}),
            ):
                caption = f"{where} {text}, by {words}, over the pairs that the policy fits."
                file = f"{column.replace('_', '-')}-by-{name}{end}"
                yield Figure(file, caption, by_scope(table, horizon, names, scopes, column))
    for number, title in enumerate(table.classes, 1):
        caption = f"{title}: mean regret relative to the best policy."
        yield Figure(f"class-{number}", caption, of_class(table, horizon, title))


def order(table: Table, horizon: int) -> list[str]:
    """The policies: those for every value first, each group by its geometric mean over the pairs without tuning."""
    halves = [list(table.summary(horizon, names)["policy"]) for names in table.halves(horizon).values()]
    found = dict.fromkeys(label for half in halves for label in half)
    return sorted(found, key=lambda label: not table.policies[label].is_general)


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
        table, title, horizon, labels, [_marked(table.pairs[str(name)]) for name in ratios], ratios.to_numpy(), "Pair"
    )


def _marked(pair: PairRow) -> str:
    return f"{pair.title}{' *' if pair.tuned else ''}"


def by_scope(
    table: Table, horizon: int, names: Sequence[str], scopes: Mapping[str, Sequence[str]], column: str
) -> HeatMap:
    """A measure of the summary for the pairs that some groups have of those named."""
    labels = order(table, horizon)
    groups = {title: [name for name in names if name in members] for title, members in scopes.items()}
    groups = {title: members for title, members in groups.items() if members}
    numbers = np.stack(
        [
            table.summary(horizon, members).set_index("policy")[column].reindex(labels).to_numpy()
            for members in groups.values()
        ],
        axis=1,
    )
    titles = [f"{title} ({len(members)})" for title, members in groups.items()]
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
        subtitle=f"{_about(table, horizon)}; dot: the policy does not fit"
        + ("; *: a policy was tuned on the pair" if any(column.endswith("*") for column in columns) else ""),
        x_label=x_label,
        y_label="Policy",
        label="Ratio to the best policy",
        rows=tuple(Name(table.policies[label].title, label) for label in labels),
        columns=tuple(columns),
        numbers=numbers,
        infinite="infinite: the best policy has no regret",
    )


def profile_of(table: Table, horizon: int, names: Sequence[str], family: str | None = None) -> Curves:
    """The performance profile of general policies on some pairs, or of all policies on those of a family of values."""
    ratios = table.ratios(horizon, names)
    if family is None:
        ratios = ratios[[table.policies[label].is_general for label in ratios.index]]
    where = f"{counted(ratios.shape[1], 'pair')}{f', value: {family}' if family else ''}"
    return profile(
        "Performance profile: how often each policy is close to the best",
        f"{where}; {_about(table, horizon)}",
        "Share of pairs within the factor",
        [Name(table.policies[label].title, str(label)) for label in ratios.index],
        ratios.to_numpy(),
    )


def _about(table: Table, horizon: int) -> str:
    counts = [cell.replications for cell in table.cells if cell.horizon == horizon]
    few, many = min(counts), max(counts)
    replications = counted(many, "replication") if few == many else f"{few:,} to {many:,} replications"
    return f"after {horizon:,} steps; mean of {replications}"
