"""The summary of results: a pandas table that also writes itself for a paper."""

from __future__ import annotations

from typing import Any

from primum.errors import PrimumError
from primum.results.formats import latex
from primum.results.formats.tables import WideTable
from primum.text import counted

# of the LaTeX table: heading, middle, low and high, and the unit
NUMBERS = (
    (rf"Mean regret ({latex.INTERVAL})", ("regret_mean", "regret_low", "regret_high"), 1),
    (r"Median regret (5\,\% to 95\,\% quantile)", ("regret_median", "regret_5", "regret_95"), 1),
    (
        rf"Pulls of the best arm, \% ({latex.INTERVAL})",
        ("best_arm_share", "best_arm_low", "best_arm_high"),
        100,
    ),
    (rf"Stuck, \% ({latex.INTERVAL})", ("stuck_share", "stuck_low", "stuck_high"), 100),
)
NEEDED = ("title", "step", "replications", *(name for _, names, _ in NUMBERS for name in names))
DERIVED = ("policy", "regret_", "best_arm_", "worst_arm_", "reward", "stuck_")  # what other columns begin with


class Summary(WideTable):
    """The data frame that `Results.summary` and `StudyResults.table` return; so are parts of it."""

    _aside = (
        (
            *("title", "step", "replications", "regret_5", "regret_25", "regret_75", "regret_95"),
            *("best_arm_low", "best_arm_high", "worst_arm_share", "worst_arm_low", "worst_arm_high"),
            *("reward", "reward_low", "reward_high", "stuck_low", "stuck_high"),
        ),
        ("best_arm_share",),
        ("regret_median",),
    )

    def to_latex(self) -> str:  # type: ignore[override]  # pandas' own writes every column, with its name in code
        """A table for a paper, with titles of policies, headings with units, and intervals; it needs booktabs.

        What a study varies comes first. ``pandas.DataFrame(table).to_latex()`` writes all columns as they are.
        """
        if missing := [name for name in NEEDED if name not in self]:
            raise PrimumError(
                f"to_latex needs the columns of a summary, and {', '.join(missing)} is missing; "
                "pandas.DataFrame(table).to_latex() writes any table"
            )
        if not len(self):
            raise PrimumError("to_latex needs a row at least, got an empty table")
        varied = [name for name in self if name not in NEEDED and not str(name).startswith(DERIVED)]
        columns = {_heading(name): [_text(one) for one in self[name]] for name in varied}
        columns["Policy"] = [latex.escaped(str(title)) for title in self["title"]]
        for name, noun in (("step", "Steps"), ("replications", "Replications")):
            if self[name].nunique() > 1:
                columns[noun] = [f"${number}$" for number in self[name]]
        for heading, names, unit in NUMBERS:
            columns[heading] = latex.estimates(*([unit * float(one) for one in self[name]] for name in names))
        parts = (("after ", "step", "step"), ("", "replications", "replication"))
        same = [
            f"{how}{counted(int(self[name].iloc[0]), one)}" for how, name, one in parts if self[name].nunique() == 1
        ]
        return latex.tabular(columns, len(varied) + 1, "; ".join(same or ["at the last step"]))


def _heading(name: Any) -> str:
    return latex.escaped(str(name).replace("_", " ").capitalize())


def _text(given: Any) -> str:
    return (
        f"${given:g}$" if isinstance(given, int | float) and not isinstance(given, bool) else latex.escaped(str(given))
    )
