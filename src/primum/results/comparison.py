"""A paired comparison of two policies in one simulation."""

from __future__ import annotations

from dataclasses import dataclass

from primum.results.formats import latex
from primum.results.formats.page import paragraph
from primum.text import counted


@dataclass(frozen=True)
class Comparison:
    """A paired difference in cumulative regret, a minus b, with its 95 % interval (Student t) over replications.

    >>> print(Comparison("BESA+", "UCB1", -12.3, -13.6, -11.0, replications=500, step=2000))
    BESA+ has 12.3 [11, 13.6] lower regret than UCB1 after 2000 steps (mean, 95 % interval, 500 paired replications)
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    replications: int
    step: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero; False if there is no interval."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        more = self.difference > 0
        size, low, high = (self.difference, self.low, self.high) if more else (-self.difference, -self.high, -self.low)
        return (
            f"{self.a} has {size + 0.0:.3g} [{low + 0.0:.3g}, {high + 0.0:.3g}] {'higher' if more else 'lower'} regret "
            f"than {self.b} after {self.step} steps (mean, 95 % interval, {self.replications} paired replications)"
            + ("" if self.is_clear else ": no clear difference")
        )

    def to_latex(self) -> str:
        """A table of one row for a paper; it needs booktabs."""
        columns = {
            "Policies": [latex.escaped(f"{self.a} minus {self.b}")],
            rf"Difference in mean regret ({latex.INTERVAL})": latex.estimates(
                [self.difference], [self.low], [self.high]
            ),
        }
        comment = f"after {counted(self.step, 'step')}; {counted(self.replications, 'paired replication')}"
        return latex.tabular(columns, 1, comment)

    def _repr_html_(self) -> str:
        return paragraph(str(self))
