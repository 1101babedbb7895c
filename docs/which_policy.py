"""Write the tables, numbers and figures of the page "Which policy?" from the table in the package.

python docs/which_policy.py
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from primum import arena
from primum.arena import Table
from primum.arena.figures import figures
from primum.figures import style

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "which-policy.md"
FOLDER = ROOT / "docs" / "which-policy"
BLOCK = re.compile(r"(<!-- table: ([\w ]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
# <!-- n MEASURE | POLICY | all, a class or a family of values | HORIZON -->NUMBER<!-- /n -->
NUMBER = re.compile(r"(<!-- n (\w+) \| ([^|]+) \| ([^|]+) \| (\d+) -->).*?(<!-- /n -->)", re.DOTALL)
FIGURE = re.compile(r"\(which-policy/([\w-]+)\.png\)")
FORMATS: dict[str, Callable[[Any], str]] = {
    "geometric_mean": "{:.2f}".format,
    "worst": "{:.3g}".format,
    "stuck": "{:.1%}".format,
    "most_stuck": "{:.0%}".format,
    "microseconds": "{:.2g}".format,
    "best_in": "{}".format,
    "pairs": "{}".format,
}
SHOWN_PER_VALUE = 5  # policies, the best ones


def main() -> None:
    table = arena.kept()
    text = filled(PAGE.read_text(), table)
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    wanted = set(FIGURE.findall(text))
    for figure in figures(table, arena.main_horizon(table)):
        if figure.name in wanted:
            # 64 colours are enough, and need a third of the space
            drawn = Image.open(io.BytesIO(style.png(figure.picture.static())))
            drawn.quantize(64).save(FOLDER / f"{figure.name}.png", optimize=True)
    PAGE.write_text(text)


def filled(text: str, table: Table) -> str:
    """The page with the numbers of a table in all its places for them."""
    text = BLOCK.sub(lambda match: f"{match[1]}{TABLES[match[2]](table)}\n{match[3]}", text)
    return NUMBER.sub(lambda match: f"{match[1]}{number(table, *match.groups()[1:5])}{match[6]}", text)


def number(table: Table, measure: str, policy: str, scope: str, horizon: str) -> str:
    """A measure of a policy over all pairs, those of a class or those of a family of values."""
    names = None if scope == "all" else table.of_class(scope) or table.of_family(scope)
    found = table.summary(int(horizon), names).set_index("policy")
    return FORMATS[measure](found.loc[policy, measure])


def about(table: Table) -> str:
    cells = {horizon: [cell for cell in table.cells if cell.horizon == horizon] for horizon in table.horizons}
    lines = ["| steps | pairs | policies | replications of a policy on a pair |", "|---:|---:|---:|---:|"]
    for horizon, played in cells.items():
        counts = sorted({cell.replications for cell in played})
        pairs, policies = (len({getattr(cell, name) for cell in played}) for name in ("pair", "policy"))
        lines.append(f"| {horizon:,} | {pairs} | {policies} | {' or '.join(map(str, counts))} |")
    versions = ", ".join(f"{name} {version}" for name, version in table.versions.items())
    return "\n".join([*lines, "", f"Seed {table.seed}; {versions}."])


def general(table: Table) -> str:
    horizon = arena.main_horizon(table)
    return _summary(table, [row for row in table.summary(horizon).to_dict("records") if row["is_general"]])


def _summary(table: Table, rows: list[dict[Any, Any]]) -> str:
    lines = [
        "| policy | pairs | geometric mean | 95 % interval | worst | on the pair | stuck, mean | stuck, largest |",
        "|---|---:|---:|---:|---:|---|---:|---:|",
    ]
    for row in rows:
        interval = f"{row['geometric_mean_low']:.2f} to {row['geometric_mean_high']:.2f}"
        shown = [FORMATS[name](row[name]) for name in ("geometric_mean", "worst", "stuck", "most_stuck")]
        worst_at = table.pairs[row["worst_at"]].title
        lines.append(
            f"| {row['title']} | {row['pairs']} | {shown[0]} | {interval} | {shown[1]} | {worst_at} | {shown[2]} | "
            f"{shown[3]} |"
        )
    return "\n".join(lines)


def by_value(table: Table) -> str:
    """The best policies for each family of values, those for one value among them."""
    horizon, parts = arena.main_horizon(table), []
    for family in table.families:
        names = table.of_family(family)
        rows = table.summary(horizon, names).to_dict("records")
        whole = [row for row in rows if 2 * row["pairs"] >= len(names)]  # a mean over few of the pairs says little
        parts += [f"**{family}**, {len(names)} pairs", "", _summary(table, whole[:SHOWN_PER_VALUE]), ""]
    return "\n".join(parts).rstrip()


def by_horizon(table: Table) -> str:
    """The geometric means of general policies: on all pairs, and on those that were played for longest."""
    main, longest = arena.main_horizon(table), table.horizons[-1]
    scopes = [(horizon, list(table.pairs)) for horizon in table.horizons if horizon <= main]
    if longest > main:
        long = sorted({cell.pair for cell in table.cells if cell.horizon == longest})
        scopes += [(horizon, long) for horizon in table.horizons]
    columns = {
        f"{horizon:,} steps, {len(names)} pairs": table.summary(horizon, names).set_index("policy")["geometric_mean"]
        for horizon, names in scopes
    }
    return _by_policy(table, columns, "geometric_mean")


def stuck(table: Table) -> str:
    """The mean fraction of stuck replications of general policies, by class of problems."""
    horizon = arena.main_horizon(table)
    columns = {
        title: table.summary(horizon, table.of_class(title)).set_index("policy")["stuck"] for title in table.classes
    }
    return _by_policy(table, columns, "stuck")


def _by_policy(table: Table, columns: dict[str, Any], measure: str) -> str:
    """A row for each general policy, in the order of the main table."""
    summary = table.summary(arena.main_horizon(table))
    lines = [f"| policy | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for policy in summary["policy"][summary["is_general"]]:
        cells = [FORMATS[measure](one[policy]) if policy in one.index else "" for one in columns.values()]
        lines.append(f"| {table.policies[policy].title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def costs(table: Table) -> str:
    """Median times per step, for few arms and for many."""
    horizon = arena.main_horizon(table)
    few = [pair.name for pair in arena.pairs() if len(pair.problem.arms) <= 4]
    many = [pair.name for pair in arena.pairs() if len(pair.problem.arms) >= 20]
    found = [table.summary(horizon, names).set_index("policy")["microseconds"] for names in (few, many)]
    lines = ["| policy | 2 to 4 arms, µs | 20 arms and more, µs |", "|---|---:|---:|"]
    for policy in found[0].sort_values(kind="stable").index:
        times = [FORMATS["microseconds"](one[policy]) if policy in one.index else "" for one in found]
        lines.append(f"| {table.policies[policy].title} | {' | '.join(times)} |")
    return "\n".join(lines)


def suite(table: Table) -> str:
    lines = ["| class | pair | value | arms | why |", "|---|---|---|---:|---|"]
    for pair in arena.pairs():
        arms, value = len(pair.problem.arms), pair.problem.value.display_name
        lines.append(f"| {pair.problem_class.title} | {pair.title} | {value} | {arms} | {pair.why} |")
    return "\n".join(lines)


TABLES: dict[str, Callable[[Table], str]] = {
    "about": about,
    "general": general,
    "by value": by_value,
    "by horizon": by_horizon,
    "stuck": stuck,
    "costs": costs,
    "suite": suite,
}

if __name__ == "__main__":
    main()
