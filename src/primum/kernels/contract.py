"""History, the information available to a policy, and the calls that cross between engine, policies and values.

Everything here is plain Python and runs as such; `compiling` gives the same names a native meaning. In native code
a History is one pointer to a row of `words`: whole numbers, then the addresses of the arrays and of the functions.
So a policy crosses into the engine as a pointer that carries a pointer, whatever it looks at.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from primum.errors import PrimumError, ValueFault
from primum.plugins.parameters import MOST_PARAMETERS

Function = TypeVar("Function", bound=Callable[..., Any])

KERNELS: list[Callable[..., Any]] = []
LARGE_KERNELS: list[Callable[..., Any]] = []


def kernel(function: Function) -> Function:
    """Mark a plain function for use in native code, where it is inlined; it stays an ordinary function."""
    KERNELS.append(function)
    return function


def large_kernel(function: Function) -> Function:
    """The same for a function too large to repeat wherever it is called."""
    LARGE_KERNELS.append(function)
    return function


# Kinds of record: what a value needs of a sample decides how an arm's rewards are kept and sub-sampled.
SAMPLE, MOMENTS, TAIL = 0, 1, 2

# Whole numbers. `step` is the round being decided, from 1. `horizon` is 0 when unknown. `fault` is 0, 1 + the arm on
# whose rewards the value failed, -1 if the policy failed to choose, -2 if it failed to learn, or -3 if its scores are
# not the probabilities that it promises.
NUMBERS = (
    "step", "arms", "horizon", "capacity", "room", "ample", "kind", "width", "seed", "replication", "fault",
    "has_feature", "has_weighted", "has_learn", "in_reward_units", "logs", "value_form", "value_count", "policy_form",
    "policy_count", "pair", "one",
)  # fmt: skip

# name -> (type, shape in terms of NUMBERS)
ARRAYS: dict[str, tuple[type, tuple[str, ...]]] = {
    "assigned": (np.int64, ("arms",)),  # decisions for the arm
    "pulls": (np.int64, ("arms",)),  # rewards known; fewer than `assigned` when outcomes are late
    "sums": (np.float64, ("arms",)),
    "squares": (np.float64, ("arms",)),  # of the differences from the arm's first reward, so that nothing cancels
    "scale": (np.float64, ("one",)),  # the largest reward so far, in absolute value
    "rewards": (np.float64, ("arms", "capacity")),  # in order of arrival: rewards[arm, : pulls[arm]]
    "memory": (np.float64, ("arms", "width")),  # the policy's own
    "scores": (np.float64, ("arms",)),  # scratch for one decision
    "order": (np.int64, ("arms",)),  # scratch for one decision
    "stream": (np.uint64, ("pair",)),  # random numbers for one decision
    "among": (np.int64, ("pair",)),  # 1 + the arms that a re-run of a trial draws from; 0: none, and all if both are
    # how the rewards are kept for the value; see records.py
    "bag": (np.float64, ("arms", "capacity")),
    "bagged": (np.int64, ("arms",)),
    "totals": (np.float64, ("arms", "pair")),
    "levels": (np.float64, ("arms", "pair")),
    "distinct": (np.int64, ("arms",)),
    "highs": (np.int64, ("arms",)),
    "ranked": (np.float64, ("arms", "capacity")),
    "ranks": (np.int64, ("arms",)),
    "ordered": (np.int64, ("arms",)),
    "tail": (np.float64, ("capacity",)),
    "points": (np.float64, ("room",)),  # a discrete distribution, ascending, with its weights
    "weights": (np.float64, ("room",)),
    "sample": (np.float64, ("ample",)),  # numbers that a policy, or weighting.resample, puts together
    "estimates": (np.float64, ("arms",)),
    "estimated": (np.int64, ("arms",)),
    # the same for all replications
    "log_factorials": (np.float64, ("logs",)),
    "value_parameters": (np.float64, ("value_count",)),
    "policy_parameters": (np.float64, ("policy_count",)),
    "gamma": (np.float64, ("one",)),  # of the value; nan where it has none, as the next one
    "lipschitz": (np.float64, ("one",)),
    "tail_share": (np.float64, ("one",)),
    "truth": (np.float64, ("arms",)),  # true values, for a policy that needs them; else nan
}
WRITABLE = ("memory", "scores", "order", "points", "weights", "sample", "stream")  # arrays that a policy may write to
SHARED = ("log_factorials", "value_parameters", "policy_parameters", "gamma", "lipschitz", "tail_share", "truth")
LARGE = ("capacity", "room", "ample")  # extents that grow with the number of rewards
ONE_ARRAY = MOST_PARAMETERS + 1  # the form of parameters that are given as an array; else their number


class Crossing(NamedTuple):
    """A call through a pointer: whose function it is, whose parameters follow the arguments, and the types."""

    owner: str
    arguments: tuple[str, ...]
    result: str


CROSSINGS = {
    "feature": Crossing("value", ("float",), "float"),
    "from_moments": Crossing("value", ("int", "float", "float"), "float"),
    "tail_size": Crossing("value", ("int",), "int"),
    "from_tail": Crossing("value", ("sample", "int"), "float"),
    "estimate": Crossing("value", ("sample",), "float"),
    "weighted": Crossing("value", ("sample", "sample"), "float"),
    "choose": Crossing("policy", ("history",), "int"),
    "learn": Crossing("policy", ("history", "int", "float"), "none"),
    # ours, behind a pointer so that each policy need not compile them again (see records.py and weighting.py)
    "evaluate": Crossing("records", ("history", "int"), "float"),
    "evaluate_subsample": Crossing("records", ("history", "int", "int"), "float"),
    "evaluate_block": Crossing("records", ("history", "int", "int", "int"), "float"),
    "evaluate_sample": Crossing("records", ("history", "int", "int"), "float"),
    "evaluate_distribution": Crossing("weighting", ("history", "int", "int"), "float"),
    "evaluate_reweighted": Crossing("weighting", ("history", "int", "float"), "float"),
    "evaluate_hopeful": Crossing("weighting", ("history", "int", "float", "float"), "float"),
    # to the recorder of a replay, if there is one; else its word is 0 (see noting.py)
    "note": Crossing("recorder", ("history", "int", "int", "int", "float", "float"), "none"),
}

Recorder = Callable[[int, int, int, float, float], None]
_NOTE = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 4, *[ctypes.c_double] * 2)

WORDS = {name: i for i, name in enumerate((*NUMBERS, *ARRAYS, *CROSSINGS))}


class History:
    """One replication: a row of `Histories`, with the fields above as attributes."""

    def __init__(self, histories: Histories, row: int) -> None:
        self._words = histories.words[row]
        self.value, self.policy, self.recorder = histories.value, histories.policy, histories.recorder
        for name, array in histories.arrays.items():
            setattr(self, name, array if name in SHARED else array[row])
        if not self.policy.memory_width:
            self.memory = _Undeclared()

    def __getattr__(self, name: str) -> Any:
        if name in NUMBERS:
            return self._words[WORDS[name]]
        raise AttributeError(name)


class _Undeclared:
    """The memory of a policy that declares none."""

    def __getitem__(self, index: Any) -> Any:
        raise PrimumError(
            "it uses history.memory, and its class does not declare memory_width, the numbers it keeps for each arm: "
            "memory_width = 1"
        )

    def __setitem__(self, index: Any, value: Any) -> None:
        self[index]


class Histories:
    """Many replications of one policy under one value, side by side."""

    def __init__(
        self,
        count: int,
        arms: int,
        capacity: int,
        horizon: int,
        value: Any,
        policy: Any,
        storage: dict[str, np.ndarray[Any, Any]] | None = None,
        truth: Any = None,
    ) -> None:
        """`storage` lets policies that are played one after another share the large arrays, rewards included."""
        self.value, self.policy = value, policy
        self.recorder: Recorder | None = None
        storage = {} if storage is None else storage
        shared = {
            "log_factorials": log_factorials(),
            "value_parameters": np.array(value.packed(), np.float64).ravel(),
            "policy_parameters": np.array(policy.packed(), np.float64).ravel(),
            "gamma": np.array([value.gamma], np.float64),  # None becomes nan
            "lipschitz": np.array([value.lipschitz], np.float64),
            "tail_share": np.array([value.tail_share], np.float64),
            "truth": np.full(arms, np.nan) if truth is None else np.array(truth, np.float64),
        }
        self.truth = truth
        room = max(capacity, policy.memory_width) + 1
        numbers = {
            "arms": arms,
            "capacity": capacity,
            "room": room,
            "ample": 4 * room + 60,  # see weighting.resample
            "horizon": horizon,
            "kind": value.kind,
            "width": policy.memory_width,
            "has_feature": "feature" in value._crossings(),
            "has_weighted": "weighted" in value._crossings(),
            "in_reward_units": value.in_reward_units,
            "has_learn": "learn" in policy._crossings(),
            "logs": shared["log_factorials"].size,
            "value_form": form(value),
            "value_count": shared["value_parameters"].size,
            "policy_form": form(policy),
            "policy_count": shared["policy_parameters"].size,
            "pair": 2,
            "one": 1,
        }
        self.words = np.zeros((count, len(WORDS)), np.int64)
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        for name, number in numbers.items():
            self.words[:, WORDS[name]] = number
        for name, (dtype, dims) in ARRAYS.items():
            if name in shared:
                array = shared[name]
            elif name in storage and storage[name].shape[1:] == tuple(numbers[dim] for dim in dims):
                array = storage[name]
            else:  # np.empty of a large array takes no memory until it is written to, so unused capacity is free
                array = np.empty((count, *(numbers[dim] for dim in dims)), dtype)
                if not set(dims).isdisjoint(LARGE):
                    storage[name] = array
            self.arrays[name] = array
            stride = 0 if name in SHARED else array.strides[0]
            self.words[:, WORDS[name]] = array.ctypes.data + stride * np.arange(count)

    def begin(self, seed: int, replications: Any) -> None:
        """Forget everything that was played, and begin with the random numbers of these replications."""
        count = len(replications)
        self.words[:, WORDS["seed"]] = np.uint64(seed).view(np.int64)
        self.words[:count, WORDS["replication"]] = replications
        self.words[:, WORDS["fault"]] = 0
        self.forget(slice(None), self.arrays["pulls"].shape[1])

    def forget(self, rows: Any, arms: Any) -> None:
        """Forget what was played in some rows, and go on with so many arms in each."""
        self.words[rows, WORDS["step"]] = 1
        self.words[rows, WORDS["arms"]] = arms
        for name, (_, dims) in ARRAYS.items():
            if set(dims).isdisjoint(LARGE) and name not in SHARED:
                self.arrays[name][rows] = 0
        self.arrays["estimated"][rows] = -1

    def set_step(self, row: int, step: int) -> None:
        """Make this the number of a row's next decision."""
        self.words[row, WORDS["step"]] = step

    def attach(self, recorder: Recorder) -> None:
        """Pass what kernels note (see noting.py) to a Python function, which must not raise."""
        self.recorder = recorder
        self._callback = _NOTE(lambda _, *note: recorder(*note))  # native code has its address alone
        self.words[:, WORDS["note"]] = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def check(self, arms: list[str]) -> None:
        """Raise what went wrong in a plug-in, if anything did."""
        for row in np.flatnonzero(self.words[:, WORDS["fault"]]):
            history = self[int(row)]
            label, step = self.policy.label, history.step
            if history.fault == -2:
                raise PrimumError(
                    f"{label} failed to learn a reward before step {step}" + _reason(_learn_again, history)
                )
            if history.fault == -1:
                raise PrimumError(
                    f"{label} failed, scored an arm with nan or chose one outside 0 .. {history.arms - 1} "
                    f"at step {step}" + (_reason(choose, history) or _unknown(history, arms))
                )
            if history.fault == -3:
                raise PrimumError(
                    f"{label} declares states_probabilities, and history.scores do not add up to 1 after its decision "
                    f"at step {step - 1}: they must be the probabilities of the arms"
                )
            arm = history.fault - 1
            rewards = self.arrays["rewards"][row, arm, : self.arrays["pulls"][row, arm]]
            raise ValueFault(
                f"{self.value.label} failed or is not a number on rewards of arm {arms[arm]!r} "
                f"({rewards.size} known) at step {step}" + _reason(self.value.of, rewards)
            )

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, row: int) -> History:
        return History(self, row)

    def __reduce__(self) -> Any:
        raise TypeError("Histories cannot be copied or pickled: native code has the addresses of their arrays")

    def grown(self, capacity: int) -> Histories:
        """A copy with room for more rewards of each arm."""
        first = self[0]
        larger = Histories(len(self), first.arms, capacity, first.horizon, self.value, self.policy, truth=self.truth)
        for name in ("step", "seed", "replication", "fault", *CROSSINGS):
            larger.words[:, WORDS[name]] = self.words[:, WORDS[name]]
        for name, (_, dims) in ARRAYS.items():
            if name not in SHARED and "room" not in dims and "ample" not in dims:  # these are scratch
                part = (..., slice(0, first.capacity)) if "capacity" in dims else ...
                larger.arrays[name][part] = self.arrays[name]
        return larger


def _unknown(history: History, arms: list[str]) -> str:
    """A remark on an arm without a known reward, which may have misled the policy."""
    unknown = [name for name, pulls in zip(arms, history.pulls, strict=True) if pulls == 0]
    return f"; no reward of arm {unknown[0]!r} was known (opening in primum.kernels tries each arm)" if unknown else ""


def form(plugin: Any) -> int:
    """How a plug-in's parameters cross: their number, or ONE_ARRAY."""
    packed = plugin.packed()
    return ONE_ARRAY if len(packed) == 1 and np.ndim(packed[0]) else len(packed)


def _reason(function: Callable[..., Any], *arguments: Any) -> str:
    """The exception that a plug-in's source raises, if it does so in plain Python too."""
    try:
        with np.errstate(all="ignore"):
            function(*arguments)
    except PrimumError as error:
        return f": {error}"
    except Exception as error:
        return f": {type(error).__name__}: {error}"
    return ""


def _learn_again(history: History) -> None:
    """Learn the last reward of each arm once more, one of which failed."""
    for arm in np.flatnonzero(history.pulls):
        learn(history, int(arm), history.rewards[arm, history.pulls[arm] - 1])


@functools.cache
def log_factorials() -> np.ndarray[Any, Any]:
    """log(k!) for small k; larger ones by Stirling's series (see subsampling.log_factorial)."""
    from primum.kernels.elementary import log_parts  # which is made of kernels

    high, low = log_parts(np.maximum(np.arange(1 << 14), 1.0))
    exact = np.rint(high * 2.0**35) / 2.0**35  # has so few digits that no sum of these is rounded
    return np.asarray(np.cumsum(exact) + np.cumsum(high - exact + low))


# The crossings, as plain Python. In native code each is a call through the pointer in `words`.


def feature(history: Any, reward: float) -> float:
    return history.value.feature(reward, *history.value.packed())


def from_moments(history: Any, n: int, mean: float, variance: float) -> float:
    return history.value.from_moments(n, mean, variance, *history.value.packed())


def tail_size(history: Any, n: int) -> int:
    return history.value.tail_size(n, *history.value.packed())


def from_tail(history: Any, tail: Any, n: int) -> float:
    return history.value.from_tail(tail, n, *history.value.packed())


def estimate(history: Any, sample: Any) -> float:
    return history.value.estimate(sample, *history.value.packed())


def weighted(history: Any, sample: Any, weights: Any) -> float:
    return history.value.weighted(sample, weights, *history.value.packed())


def choose(history: Any) -> int:
    return history.policy.choose(history, *history.policy.packed())


def learn(history: Any, arm: int, reward: float) -> None:
    history.policy.learn(history, arm, reward, *history.policy.packed())


def note(history: Any, event: int, arm: int, other: int, x: float, y: float) -> None:
    if history.recorder is not None:
        history.recorder(event, arm, other, x, y)


def history_of(histories: Any, row: int) -> Any:
    return histories[row]


def whole_history(history: Any) -> Any:
    """The same history; in native code one whose arrays can all be written to, unlike a policy's."""
    return history


def set_step(history: Any, value: int) -> None:
    history._words[WORDS["step"]] = value


def set_fault(history: Any, value: int) -> None:
    """The first fault counts; those after it follow from it."""
    if history.fault == 0:
        history._words[WORDS["fault"]] = value
