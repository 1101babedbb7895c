"""Some replications of some policies: as plain data, played side by side, and their pulls as bytes."""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from primum.errors import PrimumError
from primum.kernels import engine
from primum.kernels.contract import Histories
from primum.kernels.streams import REWARD, fill_uniforms
from primum.plugins import registry
from primum.plugins.registry import Plugin
from primum.policies import Policy
from primum.policies.policy import from_specs
from primum.problem import Problem, rewards_at
from primum.values import SafetyValue

TWO_CACHE_LINES = 16  # numbers of 8 bytes
REWARD_BYTES = 1 << 25  # set aside for the rewards of replications that are played side by side
STEPS_SIDE_BY_SIDE = 1 << 19  # of one policy: a fraction of a second, so that little is lost when a run is stopped
FEW_ARMS = 4
PART_COST = 1000.0  # microseconds of a part, whatever it plays
COMPRESSION = 1  # level of zlib: higher ones take longer than the simulation of a fast policy
Pulls: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True)
class Part:
    """Some replications of some policies on a problem."""

    problem: Problem
    policies: Sequence[Policy]
    horizon: int
    seed: int
    steps: NDArray[np.int64]
    replications: range

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The shape of its pulls: policies x replications x recorded steps x arms."""
        return len(self.policies), len(self.replications), self.steps.size, len(self.problem.arms)

    @property
    def size(self) -> int:
        """Steps to play, over all policies and replications."""
        return len(self.policies) * len(self.replications) * self.horizon

    @property
    def cost(self) -> float:
        """Its duration in microseconds on one processor, roughly, so that the time left of many is realistic."""
        many = len(self.problem.arms) > FEW_ARMS
        each = sum(policy.step_cost[many] for policy in self.policies)
        return PART_COST + each * len(self.replications) * self.horizon

    def play(
        self, monitor: Monitor | None = None, number: int = 0, space: dict[str, Any] | None = None
    ) -> Pulls | None:
        """The pulls, policy x replication x step x arm, played by this thread; None if the monitor stopped it.

        The monitor counts its steps under a `number`. What a thread gives as `space` has the memory of its last part.
        """
        self.problem.true_values  # before anything is played, so that a value without one is reported at once  # noqa: B018
        space = {} if space is None else space
        arms, count = len(self.problem.arms), len(self.replications)
        width = max(policy.memory_width for policy in self.policies)
        size = min(count, side_by_side(arms, self.horizon, 1, width))
        workspace: Workspace | None = space.get("workspace")
        if workspace is None or not workspace.fits(self, size):
            space["workspace"] = None  # so that the memory of two is never needed
            space["workspace"] = workspace = Workspace(self.problem, self.policies, self.horizon, size)
        pulls = no_pulls(*self.shape)
        for first in range(0, count, size):
            some = self.replications[first : first + size]
            out = pulls[:, first : first + len(some)]
            if not workspace.play(self.seed, np.arange(some.start, some.stop), self.steps, out, monitor, number):
                return None
        return pulls

    def pack(self, pulls: NDArray[np.int32]) -> bytes:
        """The pulls of one policy as bytes, for another process or a store."""
        return pack_pulls(pulls)

    def unpack(self, content: bytes) -> NDArray[np.int32] | None:
        """The pulls of one policy: replication x step x arm; None if the content has no such pulls."""
        pulls = unpack_pulls(content)
        expected = self.steps.size, len(self.problem.names)
        return pulls if pulls is not None and pulls.shape[1:] == expected else None

    def spec(self) -> dict[str, Any]:
        """Plain data from which `from_spec` makes an equal part."""
        return {
            "arms": [[name, arm.spec()] for name, arm in self.problem.arms.items()],
            "value": self.problem.value.spec(),
            "policies": [policy.spec() for policy in self.policies],
            "names": [policy.given_name for policy in self.policies],
            "horizon": self.horizon,
            "seed": self.seed,
            "steps": self.steps.tolist(),
            "replications": [self.replications.start, self.replications.stop],
        }

    @property
    def plugins(self) -> list[Plugin]:
        """The plug-ins that take part."""
        return [*self.problem.arms.values(), self.problem.value, *self.policies]

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Part:
        """The part that a spec describes."""
        return cls(
            Problem(dict(spec["arms"]), spec["value"]),
            from_specs(spec["policies"], spec["names"]),
            spec["horizon"],
            spec["seed"],
            np.array(spec["steps"], np.int64),
            range(*spec["replications"]),
        )


class Monitor:
    """Shared by parts that are played and the thread that waits: a flag that stops them, and the steps they played."""

    def __init__(self, parts: int = 1) -> None:
        # each number that threads write at every step is alone in its cache lines, or they would slow each other down
        width = TWO_CACHE_LINES
        self.stopped = np.zeros(3 * width, np.int64)[width : width + 1]
        self.played = np.zeros((parts + 1, width), np.int64)[1:, :1]  # by number

    def stop(self) -> None:
        """Make every part return as soon as it can."""
        self.stopped[0] = 1

    @property
    def steps_played(self) -> int:
        """Steps of all parts so far."""
        return int(self.played.sum())


class Workspace:
    """Some replications side by side: each policy plays all of them, and all meet the same rewards, drawn on demand."""

    def __init__(self, problem: Problem, policies: Sequence[Policy], horizon: int, count: int) -> None:
        from primum.kernels.native import compiling

        self.problem, self.policies, self.horizon, self.count = problem, policies, horizon, count
        self.arms = list(problem.arms.items())
        storage: dict[str, NDArray[Any]] = {}
        arms = len(self.arms)
        try:
            self.histories = [
                Histories(
                    count,
                    arms,
                    horizon,
                    horizon,
                    inner_value(policy, problem.value),
                    policy,
                    storage,
                    problem.true_values if policy.needs_truth else None,
                )
                for policy in policies
            ]
        except MemoryError:
            raise PrimumError(f"{arms} arms x {horizon} steps are too many for this machine's memory") from None
        for histories in self.histories:
            compiling.connect(histories)
        self._play, self._fill = compiling.compiled(engine.play), compiling.compiled(fill_uniforms)
        self.rewards = storage["rewards"]

    def fits(self, part: Part, count: int) -> bool:
        """Whether it was made for the problem, policies and horizon of a part, and has room for as many rows."""
        is_same = self.problem is part.problem and self.policies is part.policies and self.horizon == part.horizon
        return is_same and count <= self.count

    def play(
        self,
        seed: int,
        replications: NDArray[Any],
        steps: NDArray[Any],
        out: NDArray[Any],
        monitor: Monitor | None = None,
        number: int = 0,
    ) -> bool:
        """Play the replications to the end; False if stopped before. `out` is policy x replication x step x arm."""
        monitor = monitor or Monitor()
        played = monitor.played[number]
        rows, arms = len(replications), len(self.arms)
        drawn = np.zeros((rows, arms), np.int64)
        if steps[-1] >= arms:  # else most arms are never played
            for arm in range(arms):
                self.draw(seed, replications, arm, np.arange(rows), drawn)
        for histories, pulls in zip(self.histories, out, strict=True):
            histories.begin(seed, replications)
            waiting, recorded = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
            while (waiting != engine.FINISHED).any():
                for arm in set((waiting[waiting > 0] - 1).tolist()):
                    needy = np.flatnonzero(waiting == arm + 1)
                    for have in set(drawn[needy, arm].tolist()):
                        self.draw(seed, replications, arm, needy[drawn[needy, arm] == have], drawn)
                self._play(histories.words, drawn, waiting, recorded, steps, pulls, monitor.stopped, played)
                histories.check(self.problem.names)
                if monitor.stopped[0]:
                    return False
        return True

    def draw(self, seed: int, replications: NDArray[Any], arm: int, rows: NDArray[Any], drawn: NDArray[Any]) -> None:
        """Draw the next block of an arm's rewards in some replications that have equally many; it doubles them."""
        name, distribution = self.arms[arm]
        have, capacity = int(drawn[rows[0], arm]), self.rewards.shape[2]
        uniforms = np.empty((rows.size, have or first_block(len(self.arms), capacity)))
        self._fill(np.uint64(seed), replications[rows], REWARD, arm, have, uniforms)
        uniforms = uniforms[:, : capacity - have]
        block = rewards_at(uniforms, f"arm {name!r}: {distribution.display_name}", distribution)
        self.rewards[rows, arm, have : have + block.shape[1]] = block
        drawn[rows, arm] = have + block.shape[1]


def compile_for(problem: Problem, policies: Sequence[Policy], seed: int = 0) -> None:
    """Compile all that the policies need on a problem, by a single step of each."""
    out = np.zeros((len(policies), 1, 1, len(problem.arms)), np.int32)
    Workspace(problem, policies, 1, 1).play(seed, np.arange(1), np.ones(1, np.int64), out)


def first_block(arms: int, horizon: int) -> int:
    """How many rewards of an arm are drawn at first: about half of its share; an even number."""
    return min(1024, max(16, horizon // (2 * arms))) // 2 * 2


def no_pulls(*shape: int) -> NDArray[np.int32]:
    """Zeros for the pulls of policies x replications x steps x arms; a PrimumError if memory does not suffice."""
    size = 4 * math.prod(shape)
    if size > 0.8 * physical_memory():
        raise PrimumError(f"the recorded pulls need {size / 1e9:.0f} GB; record fewer steps, for example steps='last'")
    return np.zeros(shape, np.int32)


def side_by_side(arms: int, horizon: int, threads: int, width: int) -> int:
    """Replications that a thread plays side by side; `width` is that of the policies' memory."""
    # a reward is kept in three places by most policies; what is set aside for the arms but not drawn takes no memory
    needed, memory = 24 * horizon * threads, physical_memory()
    if needed > 0.8 * memory:
        raise PrimumError(
            f"a horizon of {horizon} on {threads} threads needs {needed / 1e9:.0f} GB and this machine has "
            f"{memory / 1e9:.0f}; reduce the horizon or the threads"
        )
    return max(1, min(2048, STEPS_SIDE_BY_SIDE // horizon, REWARD_BYTES // (8 * arms * max(horizon, width))))


def physical_memory() -> float:
    """Bytes of memory that the machine has; infinitely many where the system does not say."""
    known = hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if known else math.inf


def inner_value(policy: Policy, measured: SafetyValue) -> SafetyValue:
    """The value that a policy uses inside: its own if it is tied to one."""
    value: SafetyValue = measured if policy.own_value is None else registry.build("values", policy.own_value)
    return value


def pack_pulls(pulls: NDArray[np.int32]) -> bytes:
    """Pulls of one policy, replication x step x arm: the differences from step to step, compressed."""
    differences = np.diff(pulls, axis=1, prepend=np.int32(0))
    grouped = differences.view(np.uint8).reshape(-1, 4).T  # the upper bytes are nearly all 0
    return np.array(pulls.shape, "<i8").tobytes() + zlib.compress(grouped.tobytes(), COMPRESSION)


def unpack_pulls(content: bytes) -> NDArray[np.int32] | None:
    """The pulls that `pack_pulls` packed; None if it did not pack them."""
    try:
        shape = np.frombuffer(content, "<i8", 3)
        grouped = np.frombuffer(zlib.decompress(content[shape.nbytes :]), np.uint8).reshape(4, -1)
        return np.cumsum(np.ascontiguousarray(grouped.T).view(np.int32).reshape(shape), axis=1, dtype=np.int32)
    except (ValueError, zlib.error):
        return None
