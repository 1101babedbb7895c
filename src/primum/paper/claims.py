"""A claim of the paper, and the one rule by which all claims are judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from primum.errors import PrimumError

HOLDS, IN_PART, FAILS, UNDECIDED = "holds", "holds in part", "fails", "undecided"


@dataclass(frozen=True)
class Part:
    """One statement that a number decides: it passes if the whole interval is where the claim needs it.

    It fails if the whole interval is elsewhere; otherwise it is open, and more replications would tell. A number that
    is computed and not estimated has an interval of no width.

    >>> Part("share of stuck runs", 0.17, 0.16, 0.18, at_most=0.01).outcome
    'fails'
    >>> Part("share of stuck runs", 0.01, 0.0, 0.02, at_most=0.01).outcome
    'open'
    """

    says: str
    middle: float
    low: float
    high: float
    at_least: float = -math.inf
    at_most: float = math.inf
    computed: bool = False

    @classmethod
    def exact(cls, says: str, number: float, *, at_least: float = -math.inf, at_most: float = math.inf) -> Part:
        """A part that a computed number decides."""
        return cls(says, number, number, number, at_least, at_most, computed=True)

    @property
    def outcome(self) -> str:
        """``passes``, ``fails`` or ``open``."""
        if self.at_least <= self.low and self.high <= self.at_most:
            return "passes"
        return "fails" if self.high < self.at_least or self.low > self.at_most else "open"

    @property
    def needs(self) -> str:
        """What the claim asks of the number, in words."""
        if self.at_least > -math.inf and self.at_most < math.inf:
            return f"from {self.at_least:.4g} to {self.at_most:.4g}"
        return f"at least {self.at_least:.4g}" if self.at_least > -math.inf else f"at most {self.at_most:.4g}"


def verdict(parts: tuple[Part, ...], together: bool = False) -> str:
    """A claim holds if every part passes, holds in part if some pass and some fail, and fails if some fail and none pass.

    While nothing fails and something is open, it is undecided. Where the parts only mean something `together`, such as
    the conditions of a definition, a single failing part refutes the claim.
    """
    outcomes = {part.outcome for part in parts}
    if "fails" not in outcomes:
        return HOLDS if outcomes == {"passes"} else UNDECIDED
    return IN_PART if "passes" in outcomes and not together else FAILS


@dataclass(frozen=True)
class Claim:
    """What the paper says, where, and the rule that was written before the run.

    `parts` turns evidence into the statements that decide. `asks` is the same in words.
    """

    number: int
    place: str
    quote: str
    short: str
    asks: str
    parts: Callable[..., tuple[Part, ...]]
    together: bool = False  # one part that fails refutes it

    def judge(
        self,
        *evidence: Any,
        exhibits: tuple[str, ...],
        runs: int = 0,
        seed: int | None = None,
        note: str = "",
        elsewhere: Mapping[str, tuple[Any, ...]] | None = None,
    ) -> Judgement:
        """Judge by the evidence; `elsewhere` has evidence under other conditions, by their names."""
        others = {name: self._checked(other, f"{name}: ") for name, other in (elsewhere or {}).items()}
        return Judgement(self, self._checked(evidence), exhibits, runs, seed, note, others)

    def _checked(self, evidence: tuple[Any, ...], condition: str = "") -> tuple[Part, ...]:
        """The parts, each of them a number with an interval: a NaN is an error in the experiment, not a verdict."""
        parts = self.parts(*evidence)
        for part in parts:
            if any(map(math.isnan, (part.middle, part.low, part.high))):
                raise PrimumError(
                    f"claim {self.number} cannot be judged: {condition}{part.says} must be a number with an interval, "
                    f"got {part.middle:g} from {part.low:g} to {part.high:g}"
                )
        return parts


@dataclass(frozen=True)
class Judgement:
    """A claim with the numbers that decide it, and where they are shown.

    `runs` counts the replications behind them (0 for what is computed) and `seed` reproduces them. `elsewhere` has the
    same parts at other horizons, scales or numbers of replications, which decide nothing.
    """

    claim: Claim
    parts: tuple[Part, ...]
    exhibits: tuple[str, ...]
    runs: int = 0
    seed: int | None = None
    note: str = ""
    elsewhere: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """``holds``, ``holds in part``, ``fails`` or ``undecided``."""
        return verdict(self.parts, self.claim.together)

    @property
    def open(self) -> int:
        """How many parts more replications could still decide."""
        return sum(part.outcome == "open" for part in self.parts)

    def plain(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        return {
            "number": self.claim.number,
            "place": self.claim.place,
            "quote": self.claim.quote,
            "claim": self.claim.short,
            "rule": self.claim.asks,
            "verdict": self.verdict,
            "parts": _plain(self.parts),
            "open_parts": self.open,
            "runs": self.runs,
            "seed": self.seed,
            "note": self.note,
            "elsewhere": {
                name: {"verdict": verdict(parts, self.claim.together), "parts": _plain(parts)}
                for name, parts in self.elsewhere.items()
            },
            "exhibits": list(self.exhibits),
        }


def _plain(parts: tuple[Part, ...]) -> list[dict[str, Any]]:
    return [
        {
            "statement": part.says,
            "effect": _number(part.middle),
            "interval": [_number(part.low), _number(part.high)],
            "needs": part.needs,
            "outcome": part.outcome,
            "computed": part.computed,
        }
        for part in parts
    ]


def _number(number: float) -> float | None:
    """JSON has no word for what is not a finite number."""
    return float(number) if math.isfinite(number) else None
