"""Two keys, from its definition, on lists."""

from __future__ import annotations

import math
from typing import Any

from tests.oracle.round_policies import at_least
from tests.oracle.trial import Trial


def estimate_of(trial: Trial, k: int) -> float:
    """On all rewards, or on those that there were when it was made, if at most one in 64 has come since."""
    made = trial.memory.setdefault(("estimate", k), [0, 0.0])
    if trial.pulls(k) > made[0] + made[0] / 64:
        made[:] = trial.pulls(k), trial.estimate(trial.rewards[k])
    return made[1]


def leader_of(trial: Trial) -> int:
    leaders = [0]
    for k in range(1, trial.arms):
        best = leaders[-1]
        if trial.tied(estimate_of(trial, k), estimate_of(trial, best)):
            if trial.pulls(k) == trial.pulls(best):
                leaders.append(k if trial.stream.below(len(leaders) + 1) == 0 else best)
            elif trial.pulls(k) > trial.pulls(best):
                leaders = [k]
        elif estimate_of(trial, k) > estimate_of(trial, best):
            leaders = [k]
    return leaders[-1]


def observe(trial: Trial, which: tuple[str, int], x: float, centre: float, factor: float = 1.0) -> None:
    """A running mean of squared deviations that looks back on 100 of them."""
    spread = trial.memory.setdefault(which, [0.0, 0])
    deviation = 0.0 if trial.tied(x, centre) else (x - centre) / factor
    spread[1] += 1
    spread[0] += (deviation**2 - spread[0]) / min(100, spread[1])


def alike(trial: Trial, k: int) -> float:
    first, second = (trial.memory.get((name, k), [0.0])[0] for name in ("sub-sample", "re-weighted"))
    if first == 0:
        return 0.0
    return min(1.0, math.sqrt(first / second)) if second else 1.0


def opens(trial: Trial, k: int, leader: int, top: float, veto: float) -> bool:
    n = trial.pulls(k)
    own, to_reach = estimate_of(trial, k), estimate_of(trial, leader)
    game: dict[str, Any] = trial.memory.setdefault(("game", k), {})
    if game.get("between") != (leader, n):
        game.update(between=(leader, n), first=False, second=0, tries=0)
    game["tries"] += 1
    if not game["first"]:
        part = trial.estimate(trial.subsample(leader, n))
        observe(trial, ("sub-sample", k), part, to_reach, math.sqrt(1 - n / trial.pulls(leader)))
        game["first"] = at_least(trial, own, part)
        if game["first"] and game["second"]:
            return True
        if not game["first"] and n > 256 and trial.stream.uniform() * n >= 256:
            return False
    likeness = alike(trial, k)
    hopeful, plain = trial.hopeful(k, top, 1 - likeness / 2)
    observe(trial, ("re-weighted", k), plain, own)
    if not at_least(trial, max(hopeful, plain), to_reach):
        return False
    game["second"] += 1
    return game["first"] or game["second"] >= veto * likeness * math.log(game["tries"]) ** 2


def two_keys(trial: Trial, top: float, bound: str, veto: float, floor: float) -> int:
    arm = trial.opening(max(1, floor * math.sqrt(math.log(trial.step))))
    if arm is not None:
        return arm
    leader = leader_of(trial)
    others = [k for k in range(trial.arms) if k != leader]
    if others:
        k = others[trial.stream.below(len(others))]
        seen = [x for rewards in trial.rewards for x in rewards]
        imagined = top if bound == "known" else 2 * max(seen) - min(seen)
        if trial.pulls(k) < trial.pulls(leader) and opens(trial, k, leader, imagined, veto):
            del trial.memory["game", k]
            return k
    return leader


RULES = {"two-keys": two_keys}
