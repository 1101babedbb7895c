"""Write what the page "Which policy?", the page "Two keys" and README say of the table in the package, and figures.

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
from primum.arena.comparing import Compared, compare, comparisons, recommendation
from primum.arena.figures import figures
from primum.figures import style
from primum.plugins.registry import find
from primum.text import listed

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "which-policy.md"
PAGES = (PAGE, ROOT / "docs" / "two-keys.md", ROOT / "README.md")
FOLDER = ROOT / "docs" / "which-policy"
BLOCK = re.compile(r"(<!-- table: ([\w ]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
# <!-- n MEASURE | POLICY | all, untuned, tuned, a class, a family of values, or several | HORIZON -->NUMBER<!-- /n -->
NUMBER = re.compile(r"(<!-- n (\w+) \| ([^|]+) \| ([^|]+) \| (\d+) -->).*?(<!-- /n -->)", re.DOTALL)
# <!-- c POLICY | POLICY | the same | HORIZON -->COMPARISON<!-- /c -->
COMPARISON = re.compile(r"(<!-- c ([^|]+) \| ([^|]+) \| ([^|]+) \| (\d+) -->).*?(<!-- /c -->)", re.DOTALL)
FIGURE = re.compile(r"\(which-policy/([\w-]+)\.png\)")
FORMATS: dict[str, Callable[[Any], str]] = {
    "geometric_mean": "{:.2f}".format,
    "worst": "{:.3g}".format,
    "stuck": "{:.1%}".format,
    "consistent_mean": "{:.2f}".format,
    "most_stuck": "{:.0%}".format,
    "often_stuck": "{}".format,
    "microseconds": "{:.2g}".format,
    "best_in": "{}".format,
    "pairs": "{}".format,
}
SHOWN_PER_VALUE = 5  # policies, the best ones


def main() -> None:
    table = arena.kept()
    for page in PAGES:
        page.write_text(filled(page.read_text(), table))
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    wanted = set(FIGURE.findall(PAGE.read_text()))
    for figure in figures(table, arena.main_horizon(table)):
        if figure.name in wanted:
            # 64 colours are enough, and need a third of the space
            drawn = Image.open(io.BytesIO(style.png(figure.picture.static())))
            drawn.quantize(64).save(FOLDER / f"{figure.name}.png", optimize=True)


def filled(text: str, table: Table) -> str:
    """The page with what a table says in all its places for it."""
    text = BLOCK.sub(lambda match: f"{match[1]}{TABLES[match[2]](table)}\n{match[3]}", text)
    text = COMPARISON.sub(lambda match: f"{match[1]}{comparison(table, *match.groups()[1:5])}{match[6]}", text)
    return NUMBER.sub(lambda match: f"{match[1]}{number(table, *match.groups()[1:5])}{match[6]}", text)


def number(table: Table, measure: str, policy: str, scope: str, horizon: str) -> str:
    """A measure of a policy over some of the pairs."""
    found = table.summary(int(horizon), scoped(table, scope)).set_index("policy")
    return FORMATS[measure](found.loc[policy, measure])


def comparison(table: Table, a: str, b: str, scope: str, horizon: str) -> str:
    """What the interval says of two policies over some of the pairs."""
    one = compare(table, int(horizon), a, b, scoped(table, scope))
    return f"{one.conclusion} ({one.numbers})"


def scoped(table: Table, scope: str) -> list[str]:
    """The names of the pairs that words such as "Mean, untuned" mean."""
    names = list(table.pairs)
    for word in scope.split(", "):
        halves = {"all": names, "untuned": table.untuned}
        halves["tuned"] = [name for name in table.pairs if name not in table.untuned]
        members = halves.get(word) or table.of_class(word) or table.of_family(word)
        names = [name for name in names if name in members]
    return names


def about(table: Table) -> str:
    cells = {horizon: [cell for cell in table.cells if cell.horizon == horizon] for horizon in table.horizons}
    lines = ["| steps | pairs | policies | replications of a policy on a pair |", "|---:|---:|---:|---:|"]
    for horizon, played in cells.items():
        counts = sorted({cell.replications for cell in played})
        pairs, policies = (len({getattr(cell, name) for cell in played}) for name in ("pair", "policy"))
        lines.append(f"| {horizon:,} | {pairs} | {policies} | {' or '.join(map(str, counts))} |")
    versions = ", ".join(f"{name} {version}" for name, version in table.versions.items())
    return "\n".join([*lines, "", f"Seed {table.seed}; {versions}."])


def recommended(table: Table) -> str:
    first, *others = recommendation(table, arena.main_horizon(table)).sentences
    return "\n".join([f"**{first}**", "", *(f"- {sentence}" for sentence in others)])


def general(table: Table) -> str:
    horizon, parts = arena.main_horizon(table), []
    for half, names in table.halves(horizon).items():
        rows = [row for row in table.summary(horizon, names).to_dict("records") if row["is_general"]]
        parts += [f"**{half}**", "", _summary(table, rows), ""]
    return "\n".join(parts).rstrip()


def _summary(table: Table, rows: list[dict[Any, Any]]) -> str:
    lines = [
        "| policy | pairs | geometric mean | 95 % interval | to the best consistent | 95 % interval | worst | "
        "on the pair | stuck, mean | largest | above 10 % on |",
        "|---|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|",
    ]
    for row in rows:
        cells = [row["title"], row["pairs"]]
        for name in ("geometric_mean", "consistent_mean"):
            cells += [FORMATS[name](row[name]), f"{row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f}"]
        cells += [FORMATS["worst"](row["worst"]), table.pairs[row["worst_at"]].title]
        cells += [FORMATS[name](row[name]) for name in ("stuck", "most_stuck", "often_stuck")]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def compared(table: Table) -> str:
    """The policy that the recommendation is about, relative to every other one for every value."""
    horizon = arena.main_horizon(table)
    first = next(label for label, row in table.policies.items() if row.title == recommendation(table, horizon).first)
    parts = []
    for half, names in table.halves(horizon).items():
        found = [one for one in comparisons(table, horizon, first, names) if one.b in _general(table)]
        lines = [
            f"| {table.policies[first].title} relative to | ratio | 95 % interval | lower on | conclusion |",
            "|---|---:|---:|---:|---|",
            *(f"| {one.b} | {_compared(one)} | {one.conclusion} |" for one in found),
        ]
        parts += [f"**{half}**", "", *lines, ""]
    return "\n".join(parts).rstrip()


def _general(table: Table) -> set[str]:
    return {policy.title for policy in table.policies.values() if policy.is_general}


def _compared(one: Compared) -> str:
    return f"{one.ratio:.2f} | {one.interval} | {one.lower_on} of {one.pairs}"


def by_value(table: Table) -> str:
    """The best policies for each family of values, those for one value among them, by the pairs without tuning."""
    horizon, parts = arena.main_horizon(table), []
    for family in table.families:
        for half, names in table.halves(horizon).items():
            members = [name for name in names if name in table.of_family(family)]
            rows = table.summary(horizon, members).to_dict("records")
            whole = [
                row for row in rows if 2 * row["pairs"] >= len(members)
            ]  # a mean over few of the pairs says little
            parts += [f"**{family}**, {len(members)} of the {half}", "", _brief(whole[:SHOWN_PER_VALUE]), ""]
    return "\n".join(parts).rstrip()


def _brief(rows: list[dict[Any, Any]]) -> str:
    lines = [
        "| policy | pairs | geometric mean | 95 % interval | stuck, mean | largest |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        low, high = row["geometric_mean_low"], row["geometric_mean_high"]
        interval = f"{low:.2f} to {high:.2f}" if row["pairs"] > 1 else ""
        shown = [FORMATS[name](row[name]) for name in ("geometric_mean", "stuck", "most_stuck")]
        lines.append(f"| {row['title']} | {row['pairs']} | {shown[0]} | {interval} | {shown[1]} | {shown[2]} |")
    return "\n".join(lines)


def by_horizon(table: Table) -> str:
    """The geometric means of general policies: on both halves, and on the pairs that were played for longest."""
    main, longest = arena.main_horizon(table), table.horizons[-1]
    columns = {}
    for number, half in enumerate(table.halves(main).values()):
        for horizon in (horizon for horizon in table.horizons if horizon <= main):
            words = f"{horizon:,} steps, {len(half)} {('untuned', 'tuned')[number]}"
            columns[words] = table.summary(horizon, half).set_index("policy")["geometric_mean"]
    if longest > main:
        long = [name for half in table.halves(longest).values() for name in half]
        words = f"{len(long)} long, {sum(bool(table.pairs[name].tuned) for name in long)} of them tuned"
        for horizon in table.horizons:
            columns[f"{horizon:,} steps, {words}"] = table.summary(horizon, long).set_index("policy")["geometric_mean"]
    return _by_policy(table, columns, "geometric_mean")


def stuck(table: Table) -> str:
    """The mean fraction of stuck replications of general policies, by class of problems."""
    horizon = arena.main_horizon(table)
    columns = {
        title: table.summary(horizon, table.of_class(title)).set_index("policy")["stuck"] for title in table.classes
    }
    return _by_policy(table, columns, "stuck")


def _by_policy(table: Table, columns: dict[str, Any], measure: str) -> str:
    """A row for each general policy, in the order of the first main table."""
    summary = table.summary(arena.main_horizon(table), table.untuned)
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
    lines = ["| class | pair | value | arms | tuned on it | why |", "|---|---|---|---:|---|---|"]
    for pair in arena.pairs():
        arms, value = len(pair.problem.arms), pair.problem.value.display_name
        tuned = listed([find("policies", name).title for name in pair.tuned])
        lines.append(f"| {pair.problem_class.title} | {pair.title} | {value} | {arms} | {tuned} | {pair.why} |")
    return "\n".join(lines)


TABLES: dict[str, Callable[[Table], str]] = {
    "about": about,
    "recommendation": recommended,
    "general": general,
    "compared": compared,
    "by value": by_value,
    "by horizon": by_horizon,
    "stuck": stuck,
    "costs": costs,
    "suite": suite,
}

if __name__ == "__main__":
    main()
