"""The reason for a decision, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from primum.kernels import noting
from primum.policies import Policy
from primum.replay.recording import Notes
from primum.replay.steps import Challenge, Duel, Reason
from primum.text import counted, listed


def reason_of(
    arm: int, pulls: int, estimate: float | None, names: Sequence[str], policy: Policy, notes: Notes
) -> Reason:
    """Why an arm was chosen; `pulls` and `estimate` are its own, before the decision."""
    name, title = repr(names[arm]), policy.display_name
    known = "which has no reward yet"
    if estimate is not None:
        known = f"whose estimated value is {number(estimate)} on {counted(pulls, 'reward')}"
    if not policy.decides_by:
        return Reason("unexplained", f"{title} chose {name}, {known}; it declares no explanation")
    if notes.conclusion is None:
        return Reason("rule", f"{title} chose {name} by {policy.decides_by}")
    if notes.arm != arm:
        return Reason("unexplained", f"{title} chose {name}, {known}; it noted no reason")
    match notes.conclusion:
        case noting.OPENING if estimate is None:
            return Reason("opening", f"{name} has no reward yet, so it is tried")
        case noting.OPENING:
            rule = f"{policy.floor_rule} = " if policy.floor_rule else ""
            sentence = f"{name} has {counted(pulls, 'pull')}, fewer than {rule}{number(notes.number)}, so it is tried"
            return Reason("floor", sentence, floor=notes.number)
        case noting.HIGHEST if notes.log_weights:
            weights = np.exp(np.array(notes.log_weights) - max(notes.log_weights))
            return _drawn(arm, names, tuple((weights / weights.sum()).tolist()))
        case noting.DRAWN:
            return _drawn(arm, names, notes.scores)
        case noting.HIGHEST | noting.SELECTED:
            return _highest(arm, names, policy.decides_by, notes)
        case noting.RANDOM:
            often = f", which happens with probability {number(notes.number)} at this step"
            sentence = f"{name} was drawn uniformly at random from {counted(len(names), 'arm')}"
            return Reason("random", sentence + often if notes.number < 1 else sentence)
        case noting.CHAMPION:
            return Reason("duels", _victory(arm, notes.duels, names), duels=tuple(notes.duels))
        case noting.COMMITTED:
            return Reason("commitment", f"{name} was chosen for all remaining steps when the exploration ended")
        case _:
            sentence = _round(arm, pulls, notes, names)
            return Reason("round", sentence, leader=notes.leader, challenges=tuple(notes.challenges))


def _highest(arm: int, names: Sequence[str], score: str, notes: Notes) -> Reason:
    scores, tied = notes.scores, notes.tied
    if len(names) == 1:
        sentence = f"{names[arm]!r} is the only arm"
    elif len(tied) > 1:
        sharing = listed([repr(names[k]) for k in tied])
        sentence = f"{sharing} share the highest {score}, {number(scores[arm])}; chance decided for {names[arm]!r}"
    else:
        next_best = max((k for k in range(len(scores)) if k != arm), key=lambda k: scores[k])
        high, low = told_apart(scores[arm], scores[next_best])
        others = f"{low} for {names[next_best]!r}"
        others = others if len(scores) == 2 else f"next: {others}"
        sentence = f"{names[arm]!r} has the highest {score}, {high} ({others})"
    finite = tuple(x if math.isfinite(x) else None for x in scores)
    return Reason("scores", sentence, score=score, scores=finite, tied=tied if len(tied) > 1 else ())


def _drawn(arm: int, names: Sequence[str], chances: tuple[float, ...]) -> Reason:
    sentence = f"{names[arm]!r} was drawn with probability {number(chances[arm])}"
    likeliest = max(range(len(chances)), key=lambda k: chances[k])
    if chances[likeliest] > chances[arm]:
        sentence += f"; {names[likeliest]!r} had the highest, {number(chances[likeliest])}"
    return Reason("random", sentence, score="probability", scores=chances)


def _victory(arm: int, duels: Sequence[Duel], names: Sequence[str]) -> str:
    if not duels:
        return f"{names[arm]!r} is the only arm"
    final = _meeting(duels[-1], names)
    if len(duels) == 1:
        return final
    beaten = [repr(names[duel.b if duel.a == arm else duel.a]) for duel in duels if duel.winner == arm]
    if len(beaten) == 1:
        return f"{names[arm]!r} won its only duel: {final}"
    return f"{names[arm]!r} won its {len(beaten)} duels, against {listed(beaten)}; in the last, {final}"


def _meeting(duel: Duel, names: Sequence[str]) -> str:
    winner, loser = repr(names[duel.winner]), repr(names[duel.b if duel.winner == duel.a else duel.a])
    on = f"on {counted(duel.size, 'reward')} each"
    if duel.by == "value":
        high, low = told_apart(max(duel.values), min(duel.values))
        return f"{on}, {winner} has {high} and {loser} {low}"
    tie = f"{on}, {winner} and {loser} both have {number(duel.values[0])}"
    if duel.by == "fewer pulls":
        return f"{tie}, and {winner} has fewer pulls"
    return f"{tie} and equally many pulls, so chance decided for {winner}"


def _round(arm: int, pulls: int, notes: Notes, names: Sequence[str]) -> str:
    """Of a leader against challengers; without a leader the round began at an earlier step."""
    name = repr(names[arm])
    if notes.leader is None:
        return f"{name} won its challenge earlier in this round, and its turn has come"
    leader = repr(names[notes.leader])
    if notes.conclusion == noting.UNBEATEN:
        if not notes.challenges:
            return f"{name} leads, and no arm has fewer rewards to challenge it with"
        return (
            f"{name} leads with {counted(pulls, 'reward')}, and {_losers(notes.challenges, names)} not win against it"
        )
    won = next(challenge for challenge in notes.challenges if challenge.arm == arm)
    others = [repr(names[challenge.arm]) for challenge in notes.challenges if challenge.won and challenge.arm != arm]
    after = f"; {listed(others)} won too and {'follows' if len(others) == 1 else 'follow'}" if others else ""
    return _challenge(won, pulls, name, leader) + after


def _challenge(won: Challenge, pulls: int, name: str, leader: str) -> str:
    if won.floor is not None:
        return f"{name} has {counted(pulls, 'pull')}, fewer than {number(won.floor)}, so it is tried"
    assert won.value is not None  # without a floor, a challenge is won by values
    assert won.leader is not None
    if won.tied:
        return f"{name} won its challenge: it has {number(won.value)}, as has the leader {leader}"
    own, reached = told_apart(won.value, won.leader)
    return f"{name} won its challenge: {own} against {reached} for the leader {leader}"


def _losers(challenges: Sequence[Challenge], names: Sequence[str]) -> str:
    if len(challenges) == 1:
        return f"the challenger {names[challenges[0].arm]!r} did"
    return f"the {len(challenges)} challengers did"


def number(x: float, digits: int = 3) -> str:
    """A number in a sentence."""
    if math.isinf(x):
        return "infinity" if x > 0 else "minus infinity"
    return f"{x + 0.0:.{digits}g}"  # without the sign of a negative zero


def told_apart(high: float, low: float) -> tuple[str, str]:
    """Two different numbers, with as many digits as it takes to see that."""
    digits = 3
    while number(high, digits) == number(low, digits):
        digits += 1
    return number(high, digits), number(low, digits)
