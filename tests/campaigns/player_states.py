"""Changes saved states of players at random: keys, types, numbers, entries of the log, half of them signed again.

Each changed state is restored to a player with the same log that keeps deciding, or refused in a sentence.
"""

from __future__ import annotations

import copy
import itertools
import json
import random
from typing import Any

from primum import Player, PrimumError
from primum.player import _checksum

SHORT, LONG = 2_000, 100_000
LONGEST_SENTENCE = 500  # characters
POLICIES = ("besa-plus", "thompson", "npts", "mv-lcb", "mts(levels=11)", "round-robin")
VALUES = ("mean", "cvar(alpha=0.3)", "formula(text='mean - var')")
ODD = (
    None, True, False, 0, 1, -1, 2, 1.0, 0.5, -0.0, 1e308, float("nan"), float("inf"), 10**30, 10**1000, 2**31 - 1,
    2**63, 2**64 - 1, "", "A", "ask", "tell", "mean", "\0", "x" * 10_000, [], {}, [[]], {"name": "besa-plus"},
    ["ask", "A"], ["tell", "A", 0.5], ["tell", "A", 2], ["A"] * 10_000, [[[[[[[[]]]]]]]],
)  # fmt: skip


def run(rounds: int, seed: int) -> dict[str, Any]:
    chance = random.Random(seed)
    states = [_state(*kind, chance) for kind in itertools.product(POLICIES, VALUES)]
    restored = refused = 0
    for number in range(rounds):
        original = chance.choice(states)
        state = copy.deepcopy(original)
        for _ in range(chance.choice((1, 1, 2, 5))):
            _change(state, chance)
        if is_signed := chance.random() < 0.5:
            state["checksum"] = _checksum({key: part for key, part in state.items() if key != "checksum"})
        refusal = ""
        try:
            player = Player.restore(state)
        except PrimumError as error:
            refusal = str(error)
        except BaseException as error:
            raise AssertionError(f"round {number}: {type(error).__name__}: {error}") from error
        if refusal:
            assert len(refusal) <= LONGEST_SENTENCE, f"round {number}: an error of {len(refusal)} characters"
            refused += 1
            continue
        restored += 1
        assert player.log == state["log"], f"round {number}: another log"
        assert is_signed or json.dumps(state) == json.dumps(original), f"round {number}: a change was not noticed"
        for _ in range(3):
            if player.horizon is None or sum(entry[0] == "ask" for entry in player.log) < player.horizon:
                assert player.ask() in state["arms"], f"round {number}: another arm"
    return {"states restored": restored, "states refused": refused}


def _state(policy: str, value: str, chance: random.Random) -> dict[str, Any]:
    reward_range = chance.choice((None, (0, 1)))
    player = Player(policy, value, ["A", "B", "C"], seed=chance.getrandbits(64), horizon=50, reward_range=reward_range)
    for _ in range(chance.randrange(20)):
        arm = player.ask()
        if chance.random() < 0.8:
            player.tell(arm, chance.choice((0.0, 0.25, 1.0, chance.random())))
    return json.loads(json.dumps(player.state()))


def _change(state: dict[str, Any], chance: random.Random) -> None:
    """Change, remove, add, repeat or exchange something at a random place; small changes are likely."""
    inside, key = chance.choice([*_places(state)])
    part = inside[key]
    match chance.randrange(6):
        case 0:
            inside[key] = copy.deepcopy(chance.choice(ODD))
        case 1:
            del inside[key]
        case 2 if isinstance(part, int | float) and abs(part) < 2**64:
            inside[key] = chance.choice((part + 1, -part, float(part), str(part), bool(part), [part], part / 2))
        case 3 if isinstance(inside, list):
            inside.insert(key, copy.deepcopy(part))
        case 4 if isinstance(inside, list):
            chance.shuffle(inside)
        case _ if isinstance(inside, dict):
            inside[chance.choice(("x", "name", "floor", "alpha", *state))] = copy.deepcopy(chance.choice(ODD))


def _places(inside: Any) -> Any:
    for key in list(inside) if isinstance(inside, dict) else range(len(inside)):
        yield inside, key
        if isinstance(inside[key], dict | list):
            yield from _places(inside[key])
