"""One history, step by step, in native code or as the plain source that it is made from."""

from __future__ import annotations

from typing import Any

import numpy as np

from primum.kernels import engine
from primum.kernels.contract import SHARED, Histories
from primum.runs.part import inner_value


class Trial:
    """One replication: `ask` for an arm, `tell` its reward, and look at everything in between."""

    def __init__(
        self,
        policy: Any,
        value: Any,
        arms: int,
        capacity: int,
        *,
        native: bool,
        horizon: int = 0,
        seed: int = 1,
        truth: Any = None,
    ) -> None:
        from primum.kernels.native import compiling

        # room for one reward more than there can be (see weighting.evaluate_reweighted)
        inner = inner_value(policy, value)
        self.histories = Histories(1, arms, capacity + 1, horizon, inner, policy, truth=truth)
        self.histories.begin(seed, [0])
        self.arrays = {name: array if name in SHARED else array[0] for name, array in self.histories.arrays.items()}
        self.arrays["rewards"][:] = 0.0
        self._ask, self._tell = engine.ask, engine.tell
        self._given: Any = self.histories
        if native:
            compiling.connect(self.histories)
            self._ask, self._tell = compiling.compiled(engine.ask), compiling.compiled(engine.tell)
            self._given = self.histories.words

    def decide(self) -> int:
        """The arm of this step, or 0 if something failed."""
        return int(self._ask(self._given))

    def ask(self) -> int:
        """The arm of this step; raises if something failed."""
        arm = self.decide()
        self.check()
        return arm

    def tell(self, arm: int, reward: float) -> None:
        """The next reward of an arm."""
        self.arrays["rewards"][arm, self.arrays["pulls"][arm]] = reward
        self._tell(self._given, arm)
        self.check()

    def check(self) -> None:
        """Raise what failed, if anything did."""
        self.histories.check([str(arm) for arm in range(self.histories[0].arms)])

    @property
    def words(self) -> Any:
        """The whole numbers of the history, as they are now."""
        return self.histories.words[0]

    def snapshot(self) -> tuple[Any, dict[str, Any]]:
        """Everything, to be put back by `restore`."""
        return self.words.copy(), {name: self.arrays[name].copy() for name in self.arrays if name not in SHARED}

    def restore(self, snapshot: tuple[Any, dict[str, Any]]) -> None:
        """Everything as it was."""
        words, arrays = snapshot
        self.words[:] = words
        for name, array in arrays.items():
            self.arrays[name][...] = array


def tapes(arms: Any, steps: int, seed: int = 3) -> Any:
    """The rewards that the arms will give, a row for each arm."""
    rng = np.random.default_rng(seed)
    return np.array([np.asarray(arm.quantile(rng.random(steps)), np.float64) for arm in arms])
