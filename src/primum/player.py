"""Ask and tell: the same policy, one decision at a time."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from primum.errors import ParameterError, PrimumError, UnknownNameError, as_primum_error, quoted
from primum.kernels import engine
from primum.kernels.contract import Histories
from primum.plugins import registry
from primum.plugins.parameters import Parameter
from primum.policies import Policy
from primum.problem import SIZE, check_name
from primum.runs.part import inner_value, physical_memory
from primum.runs.simulation import LARGEST_COUNT, whole
from primum.text import html_table
from primum.values import SafetyValue

FORMAT = 2
FIRST_CAPACITY = 16  # outcomes of each arm; it doubles when it is used up
NO_STATE = "this is not the state of a player"
PARTS: dict[str, tuple[str, tuple[type, ...]]] = {  # of a state
    "format": ("a whole number", (int,)),
    "policy": ("a mapping", (dict,)),
    "value": ("a mapping", (dict,)),
    "arms": ("a list", (list,)),
    "seed": ("a whole number", (int,)),
    "horizon": ("a whole number or None", (int, type(None))),
    "replication": ("a whole number", (int,)),
    "reward_range": ("a list or None", (list, type(None))),
    "log": ("a list", (list,)),
    "checksum": ("text", (str,)),
}


class Player:
    """One live trial: `ask` for the next arm, `tell` its outcome, possibly late and in any order.

    The decisions are those of a simulation with the same seed and replication that meets the same rewards in the same
    order. A reward outside `reward_range` is refused: (0, 1) for binary outcomes, for example. A player may be used by
    several threads, copied and pickled.

    >>> from primum import policies, values
    >>> player = Player(policies.BesaPlus(), values.Mean(), arms=["A", "B"], seed=7)
    >>> first, second = player.ask(), player.ask()
    >>> player.tell(second, 0.8)
    >>> Player.restore(player.state()).ask() == player.ask()
    True
    """

    def __init__(
        self,
        policy: Policy | str,
        value: SafetyValue | str,
        arms: Sequence[str],
        *,
        seed: int | None = None,
        horizon: int | None = None,
        replication: int = 0,
        reward_range: tuple[float, float] | None = None,
    ) -> None:
        from primum.kernels.native import compiling

        self.policy: Policy = registry.build("policies", policy)
        self.value: SafetyValue = registry.build("values", value)
        if isinstance(arms, str) or not isinstance(arms, Sequence) or not arms:
            raise ParameterError(f"arms must be a non-empty list of different names, got {quoted(arms)}")
        self.arms = [check_name(arm) for arm in arms]
        self._index = {arm: i for i, arm in enumerate(self.arms)}
        if len(self._index) < len(self.arms):
            raise ParameterError(f"arms must be a non-empty list of different names, got {quoted(arms)}")
        self.seed = secrets.randbits(63) if seed is None else whole("seed", seed, 0, 2**64 - 1)
        self.replication = whole("replication", replication, 0, LARGEST_COUNT)
        self.horizon = None if horizon is None else whole("horizon", horizon, 1, LARGEST_COUNT)
        if self.policy.needs_horizon and self.horizon is None:
            raise ParameterError(f"{self.policy.display_name} needs to know the horizon: Player(..., horizon=100)")
        if self.policy.needs_truth:
            raise ParameterError(
                f"{self.policy.display_name} knows the true values, so it can be simulated but not played"
            )
        self.policy.check_arms(len(self.arms))
        self.policy.check_value(inner_value(self.policy, self.value))
        self.reward_range = _check_range(reward_range)
        self._lock = threading.RLock()
        self.log: list[list[Any]] = []  # ["ask", arm] and ["tell", arm, reward], in order
        self._ask, self._tell = compiling.compiled(engine.ask), compiling.compiled(engine.tell)
        self._histories = self._begin()

    def _begin(self) -> Histories:
        from primum.kernels.native import compiling

        inner = inner_value(self.policy, self.value)
        self._check_memory(FIRST_CAPACITY)
        histories = Histories(1, len(self.arms), FIRST_CAPACITY, self.horizon or 0, inner, self.policy)
        compiling.connect(histories)
        histories.begin(self.seed, [self.replication])
        return histories

    def _check_memory(self, capacity: int) -> None:
        """Refuse more than the machine has, before the system ends the process."""
        needed = 8 * len(self.arms) * (self.policy.memory_width + 3 * capacity)  # a reward is kept in three places
        if needed > 0.8 * physical_memory():
            raise PrimumError(
                f"{len(self.arms)} arms with up to {capacity} outcomes each need {needed / 1e9:.0f} GB for "
                f"{self.policy.display_name}, and this machine has {physical_memory() / 1e9:.0f}"
            )

    def _check(self) -> None:
        """Raise the error of a plug-in, if there is one, after restoring the state at the last entry of the log."""
        try:
            self._histories.check(self.arms)
        except PrimumError:
            log, self.log, self._histories = self.log, [], self._begin()
            self._replay(log)
            raise

    def _replay(self, log: Sequence[Sequence[Any]]) -> None:
        for number, entry in enumerate(log):
            match entry if isinstance(entry, list) else None:
                case ["ask", str(arm)]:
                    again = self.ask()
                    if again != arm:
                        raise PrimumError(
                            f"entry {number} of the log assigns {arm!r}, but seed and history give {again!r}: "
                            "the log was changed, or written by another version"
                        )
                case ["tell", str(arm), float(reward)]:
                    self.tell(arm, reward)
                case _:
                    raise PrimumError(f"entry {number} of the log is neither ask nor tell: {quoted(entry)}")

    @property
    def waiting(self) -> dict[str, int]:
        """For each arm, how many decisions have no known outcome yet."""
        assigned, pulls = self._histories.arrays["assigned"][0], self._histories.arrays["pulls"][0]
        return {arm: int(assigned[i] - pulls[i]) for i, arm in enumerate(self.arms)}

    def ask(self) -> str:
        """The arm for the next patient."""
        with self._lock:
            if self.horizon is not None and self._histories[0].step > self.horizon:
                raise PrimumError(f"all {self.horizon} decisions have been taken")
            arm: str = self.arms[self._ask(self._histories.words)]
            self._check()
            self.log.append(["ask", arm])
            return arm

    def tell(self, arm: str, reward: float) -> None:
        """Record an outcome of one of the decisions for an arm."""
        if not isinstance(arm, str) or arm not in self._index:
            raise UnknownNameError("arm", arm, self.arms)
        reward = SIZE.check("reward", float(reward) if isinstance(reward, (bool, np.bool_)) else reward)
        least, most = self.policy.reward_bounds
        if not least <= reward <= most:
            raise ParameterError(
                f"reward must be in [{least:g}, {most:g}] for {self.policy.display_name}, got {reward:g}"
            )
        if self.reward_range is not None and not self.reward_range[0] <= reward <= self.reward_range[1]:
            low, high = self.reward_range
            raise ParameterError(f"reward must be in the reward_range [{low:g}, {high:g}], got {reward:g}")
        index = self._index[arm]
        with self._lock:
            known, capacity = self._histories.arrays["pulls"][0, index], self._histories[0].capacity
            if known == self._histories.arrays["assigned"][0, index]:
                raise PrimumError(f"no decision for arm {arm!r} is waiting for an outcome")
            if known + 1 == capacity:  # a decision finds room for one reward more (see weighting.evaluate_reweighted)
                self._check_memory(2 * capacity)
                self._histories = self._histories.grown(2 * capacity)
            self._histories.arrays["rewards"][0, index, known] = reward
            self._tell(self._histories.words, index)
            self._check()
            self.log.append(["tell", arm, reward])

    def __repr__(self) -> str:
        asked = sum(entry[0] == "ask" for entry in self.log)
        waiting = ", ".join(f"{count} of {arm}" for arm, count in self.waiting.items() if count) or "none"
        return (
            f"<Player: {self.policy} by {self.value}; {asked} decisions; outcomes awaited: {waiting}; seed {self.seed}>"
        )

    def _repr_html_(self) -> str:
        waiting, arms = self.waiting, [arm for what, arm, *_ in self.log if what == "ask"]
        rows = [(arm, arms.count(arm), arms.count(arm) - waiting[arm], waiting[arm]) for arm in self.arms]
        caption = f"Player: {self.policy.display_name} by {self.value.display_name}, seed {self.seed}"
        return html_table(caption, rows, ("Arm", "Decisions", "Outcomes", "Outcomes awaited"))

    def state(self) -> dict[str, Any]:
        """Everything, as plain data for JSON, with a checksum."""
        with self._lock:
            state = {
                "format": FORMAT,
                "policy": self.policy.spec(),
                "value": self.value.spec(),
                "arms": list(self.arms),
                "seed": self.seed,
                "horizon": self.horizon,
                "replication": self.replication,
                "reward_range": None if self.reward_range is None else list(self.reward_range),
                "log": [list(entry) for entry in self.log],
            }
        return state | {"checksum": _checksum(state)}

    def __reduce__(self) -> Any:
        """Copies and pickles go through the state: the arrays that native code writes to are never shared."""
        return Player.restore, (self.state(),)

    @classmethod
    def restore(cls, state: Mapping[str, Any]) -> Player:
        """The player with a saved state, whose checksum must be right and whose log must give the same decisions."""
        try:
            parts = _checked(state)
            log = parts.pop("log")
            try:
                player = cls(**parts)
            except UnknownNameError as error:
                raise PrimumError(f"{error}; if it is your own, import its module before restoring") from None
            player._replay(log)
            return player
        except Exception as error:  # a plug-in of another author may raise anything
            raise as_primum_error(error) from None


def _checked(state: Any) -> dict[str, Any]:
    """The settings and the log in a state that has all its parts, no other ones, and the right checksum."""
    if not isinstance(state, Mapping):
        raise PrimumError(f"{NO_STATE}: it must be a mapping, got {quoted(state)}")
    number = state.get("format", FORMAT)
    if type(number) is not int or number != FORMAT:
        raise PrimumError(f"cannot read a state of format {quoted(number)}; this version reads {FORMAT}")
    if missing := [name for name in PARTS if name not in state]:
        raise PrimumError(f"{NO_STATE}: it has no {', no '.join(missing)}")
    for name, part in state.items():
        if name not in PARTS:
            raise PrimumError(f"{NO_STATE}: {UnknownNameError('key', name, PARTS)}")
        allowed, types = PARTS[name]
        if not isinstance(part, types) or isinstance(part, bool):
            raise PrimumError(f"{NO_STATE}: {name} must be {allowed}, got {quoted(part)}")
    signed = {name: part for name, part in state.items() if name != "checksum"}
    if state["checksum"] != _checksum(signed):
        raise PrimumError("the state of this player was changed: its checksum is wrong")
    return {name: part for name, part in signed.items() if name != "format"}


def _check_range(given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    try:
        low, high = (Parameter("").check("reward_range", end) for end in given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not low < high:
        raise ParameterError(f"reward_range must be two numbers, the smaller first, got {quoted(given)}")
    return low, high


def _checksum(state: Mapping[str, Any]) -> str:
    try:
        return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()
    except (TypeError, ValueError, RecursionError) as error:
        raise PrimumError(f"{NO_STATE}: {error}") from None
