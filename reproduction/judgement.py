"""How claims are judged: numbers with intervals decide the parts of a claim, and the parts decide the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from primum.errors import PrimumError

HOLDS, IN_PART, FAILS, UNDECIDED = "holds", "holds in part", "fails", "undecided"
VERDICTS = (HOLDS, IN_PART, FAILS, UNDECIDED)


@dataclass(frozen=True)
class Part:
    """A statement about one number: it passes if the whole interval lies where the claim needs it.

    It fails if the whole interval lies elsewhere. Otherwise it is open, and more replications would decide it. An exact
    number is computed, not estimated, and its interval has no width.

    >>> Part("fraction of replications that are stuck", 0.17, 0.16, 0.18, at_most=0.01).outcome
    'fails'
    >>> Part("fraction of replications that are stuck", 0.01, 0.0, 0.02, at_most=0.01).outcome
    'open'
    """

    statement: str
    effect: float
    low: float
    high: float
    at_least: float = -math.inf
    at_most: float = math.inf
    computed: bool = False

    @classmethod
    def estimate(cls, statement: str, band: Any, *, at_least: float = -math.inf, at_most: float = math.inf) -> Part:
        """A part that an estimate with the two ends of its interval decides."""
        effect, low, high = band
        return cls(statement, float(effect), float(low), float(high), at_least, at_most)

    @classmethod
    def exact(cls, statement: str, number: float, *, at_least: float = -math.inf, at_most: float = math.inf) -> Part:
        """A part that a computed number decides."""
        return cls(statement, number, number, number, at_least, at_most, computed=True)

    @property
    def outcome(self) -> str:
        """``passes``, ``fails`` or ``open``."""
        if self.at_least <= self.low and self.high <= self.at_most:
            return "passes"
        return "fails" if self.high < self.at_least or self.low > self.at_most else "open"

    @property
    def needs(self) -> str:
        """What the claim requires of the number, in words."""
        if self.at_least > -math.inf and self.at_most < math.inf:
            return f"from {self.at_least:.4g} to {self.at_most:.4g}"
        return f"at least {self.at_least:.4g}" if self.at_least > -math.inf else f"at most {self.at_most:.4g}"

    def plain(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "statement": self.statement,
            "effect": _finite(self.effect),
            "interval": [_finite(self.low), _finite(self.high)],
            "needs": self.needs,
            "outcome": self.outcome,
            "computed": self.computed,
        }


Parts = tuple[Part, ...]


def verdict(parts: Parts, together: bool = False) -> str:
    """A claim holds if every part passes, holds in part if some pass and some fail, fails if some fail and none passes.

    While no part fails and some are open, it is undecided. Where the parts only mean something `together`, such as the
    conditions of a definition, a single part that fails refutes the claim.
    """
    outcomes = {part.outcome for part in parts}
    if "fails" not in outcomes:
        return HOLDS if outcomes == {"passes"} else UNDECIDED
    return IN_PART if "passes" in outcomes and not together else FAILS


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, where it stands, and the rule by which it is judged, fixed before the full run."""

    number: int
    place: str
    quote: str
    short: str
    rule: str
    together: bool = False  # a single part that fails refutes it

    def judge(
        self,
        parts: Parts,
        *,
        evidence: tuple[str, ...] = (),
        replications: int = 0,
        seed: int | None = None,
        note: str = "",
        other_conditions: Mapping[str, Parts] | None = None,
    ) -> Judgement:
        """The judgement by these parts; the parts under other conditions are shown and decide nothing."""
        others = dict(other_conditions or {})
        for condition, part in ((name, part) for name, these in {"": parts, **others}.items() for part in these):
            if any(map(math.isnan, (part.effect, part.low, part.high))):  # an error in the experiment, not evidence
                where = f"{condition}: {part.statement}" if condition else part.statement
                raise PrimumError(
                    f"claim {self.number} cannot be judged: {where} must be a number with an interval, got "
                    f"{part.effect:g} from {part.low:g} to {part.high:g}"
                )
        return Judgement(self, parts, evidence, replications, seed, note, others)


@dataclass(frozen=True)
class Judgement:
    """A claim with the numbers that decide it.

    `evidence` names the figures and tables that show them, `replications` counts the simulated replications behind them
    (0 for what is computed), and `seed` reproduces them.
    """

    claim: Claim
    parts: Parts
    evidence: tuple[str, ...] = ()
    replications: int = 0
    seed: int | None = None
    note: str = ""
    other_conditions: Mapping[str, Parts] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """``holds``, ``holds in part``, ``fails`` or ``undecided``."""
        return verdict(self.parts, self.claim.together)

    @property
    def verdicts_elsewhere(self) -> dict[str, str]:
        """The verdict under each of the other conditions."""
        return {name: verdict(parts, self.claim.together) for name, parts in self.other_conditions.items()}

    @property
    def deciding(self) -> Part:
        """The part to show where there is room for one: one that fails if there is one, else an open one."""
        return min(self.parts, key=lambda part: ("fails", "open", "passes").index(part.outcome))

    def plain(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "number": self.claim.number,
            "place": self.claim.place,
            "quote": self.claim.quote,
            "claim": self.claim.short,
            "rule": self.claim.rule,
            "verdict": self.verdict,
            "parts": [part.plain() for part in self.parts],
            "open_parts": sum(part.outcome == "open" for part in self.parts),
            "replications": self.replications,
            "seed": self.seed,
            "note": self.note,
            "other_conditions": {
                name: {"verdict": self.verdicts_elsewhere[name], "parts": [part.plain() for part in parts]}
                for name, parts in self.other_conditions.items()
            },
            "evidence": list(self.evidence),
        }


def _finite(number: float) -> float | None:
    """JSON has no infinity."""
    return float(number) if math.isfinite(number) else None
