"""The reason of a decision, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from primum.policies import BesaPlus, Policy
from primum.replay.retracing import Retraced
from primum.replay.steps import Duel, Reason


def reason_of(
    step: int,
    arm: int,
    pulls: Sequence[int],
    estimate: float | None,
    names: Sequence[str],
    policy: Policy,
    value: str,
    decision: Retraced | None,
) -> Reason:
    """Why an arm was chosen; `estimate` is its value so far, `decision` what is known of the policy's inside."""
    name, given = names[arm], pulls[arm]
    if estimate is None:
        sentence = f"{name!r} has no reward yet, so it is tried"
        return Reason("opening", sentence if decision else f"{policy.label} chose {name!r}, which has no reward yet")
    if decision and decision.opened == arm:
        rule = f"{policy.floor:g} x log({step}) = " if isinstance(policy, BesaPlus) else ""
        times = "once" if given == 1 else f"{given} times"
        sentence = f"{name!r} was given {times}, fewer than {rule}{decision.floor:.3g}, so it is tried"
        return Reason("floor", sentence, floor=decision.floor)
    if decision and decision.champion == arm:
        return Reason("duels", _victory(arm, decision.duels, names), duels=tuple(decision.duels))
    return Reason("policy", f"{policy.label} chose {name!r}, whose {value} is {estimate:.3g} on {_rewards(given)}")


def _victory(arm: int, duels: Sequence[Duel], names: Sequence[str]) -> str:
    if not duels:
        return f"there is no other arm than {names[arm]!r}"
    final = _meeting(duels[-1], names)
    if len(duels) == 1:
        return final
    beaten = [repr(names[duel.b if duel.a == arm else duel.a]) for duel in duels if duel.winner == arm]
    if len(beaten) == 1:
        return f"{names[arm]!r} won its only duel: {final}"
    others = ", ".join(beaten[:-1]) + f" and {beaten[-1]}"
    return f"{names[arm]!r} won its {len(beaten)} duels, against {others}; in the last, {final}"


def _meeting(duel: Duel, names: Sequence[str]) -> str:
    winner, loser = repr(names[duel.winner]), repr(names[duel.b if duel.winner == duel.a else duel.a])
    on = f"on {_rewards(duel.size)} each"
    if duel.by == "value":
        high, low = _told_apart(max(duel.values), min(duel.values))
        return f"{on}, {winner} has {high} and {loser} {low}"
    tie = f"{on}, {winner} and {loser} both have {duel.values[0]:.3g}"
    if duel.by == "fewer pulls":
        return f"{tie}, and {winner} was given fewer times"
    return f"{tie} and were given equally often, so chance decided for {winner}"


def _rewards(count: int) -> str:
    return "1 reward" if count == 1 else f"{count} rewards"


def _told_apart(high: float, low: float) -> tuple[str, str]:
    """Two different numbers, with as many digits as it takes to see that."""
    digits = 3
    while f"{high:.{digits}g}" == f"{low:.{digits}g}":
        digits += 1
    return f"{high:.{digits}g}", f"{low:.{digits}g}"
