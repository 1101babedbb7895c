"""The policies, round by round, on lists; random numbers from the same addresses as the engine's."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable
from typing import Any

from tests.oracle import values
from tests.oracle.streams import DECISION, HALF, LEARNING, Stream

TIE = 1e-12


class Trial:
    """One replication: `ask` for an arm, `tell` its reward."""

    def __init__(self, policy: Any, value: Any, arms: int, horizon: int, seed: int, replication: int) -> None:
        self.rule = RULES[policy.name]
        self.parameters = {key: item for key, item in policy.spec().items() if key != "name"}
        inner = policy.own_value or value.spec()
        self.kind, self.estimate = inner["name"], values.of(inner)
        self.tail_size = None
        if inner["name"] == "cvar":
            alpha, estimator = float(inner.get("alpha", 0.1)), inner.get("estimator", "fractional")
            self.tail_size = (
                (lambda n: min(n, math.floor(round(alpha * n, 9)) + 1))
                if estimator == "chen"
                else (lambda n: math.ceil(round(alpha * n, 9)))
            )
        self.arms, self.horizon, self.seed, self.replication = arms, horizon, seed, replication
        self.assigned = [0] * arms
        self.rewards: list[list[float]] = [[] for _ in range(arms)]
        self.bags: list[list[float]] = [[] for _ in range(arms)]
        self.successes, self.failures = [0] * arms, [0] * arms
        self.chosen: int | None = None

    @property
    def step(self) -> int:
        return sum(self.assigned) + 1

    def pulls(self, arm: int) -> int:
        return len(self.rewards[arm])

    def ask(self) -> int:
        self.stream = Stream.at(self.seed, self.replication, DECISION, 0, self.step)
        arm = self.rule(self, **self.parameters)
        self.assigned[arm] += 1
        return arm

    def tell(self, arm: int, reward: float) -> None:
        self.stream = Stream.at(self.seed, self.replication, LEARNING, arm, self.pulls(arm))
        self.rewards[arm].append(reward)
        self.bags[arm].append(reward)
        if self.stream.uniform() < reward:
            self.successes[arm] += 1
        else:
            self.failures[arm] += 1
        if self.rule is exp_exp and self.chosen is None and min(map(len, self.rewards)) >= exploration(self):
            self.stream = Stream.at(self.seed, self.replication, LEARNING, arm, self.pulls(arm) - 1)
            self.chosen = self.best(lambda k: mean_less_biased_variance(self.rewards[k], self.parameters["rho"]))

    def opening(self, floor: float) -> int | None:
        least = min(range(self.arms), key=lambda k: self.assigned[k])
        unknown = any(not rewards for rewards in self.rewards)
        return least if unknown or self.assigned[least] < floor else None

    def tied(self, x: float, y: float) -> bool:
        largest = max(abs(reward) for rewards in self.rewards for reward in rewards or [0.0])
        return abs(x - y) <= TIE * max(largest, abs(x), abs(y))

    def best(self, score: Callable[[int], float]) -> int:
        """The largest score; of k equal ones, the newest is kept with probability 1/k."""
        scores = [score(k) for k in range(self.arms)]
        best, ties = 0, 1
        for k in range(1, self.arms):
            if self.tied(scores[k], scores[best]):
                ties += 1
                if self.stream.below(ties) == 0:
                    best = k
            elif scores[k] > scores[best]:
                best, ties = k, 1
        return best

    def subsample(self, arm: int, n: int) -> list[float]:
        """A fresh uniform n-subset of an arm's rewards (of a tail value, only its lowest count)."""
        size, bag = self.pulls(arm), self.bags[arm]
        if n == size:
            return list(self.rewards[arm])
        if self.tail_size is None:
            levels = list(dict.fromkeys(self.rewards[arm]))
            if len(levels) <= 2:
                high = self.rewards[arm].count(levels[1]) if len(levels) == 2 else 0
                found = hypergeometric(high, size - high, n, self.stream)
                return [levels[-1]] * found + [levels[0]] * (n - found)
            return self.shuffled(bag, n)
        wanted = self.tail_size(n)
        if wanted * size > 3 * n * n:
            return self.shuffled(bag, n, whole=True)
        subset: list[float] = []
        left = iter(enumerate(sorted(self.rewards[arm])))
        while len(subset) < wanted:
            i, x = next(left)
            if self.stream.below(size - i) < n - len(subset):
                subset.append(x)
        return subset + [subset[-1]] * (n - wanted)  # the others are no smaller, and do not count

    def shuffled(self, bag: list[float], n: int, whole: bool = False) -> list[float]:
        """Shuffle the smaller part of a bag to the front: the part that is kept, or the one that is left out."""
        moved = n if whole else min(n, len(bag) - n)
        self.shuffle(bag, moved)
        return bag[:n] if moved == n else bag[moved:]

    def shuffle(self, items: list[Any], moved: int) -> None:
        """Bring a random choice of `moved` items to the front, one by one; two draws from each word."""
        for i in range(moved):
            if i % 2 == 0:
                word = self.stream.word()
            half = word >> 32 if i % 2 == 0 else word & HALF
            j = i + self.stream.scaled(half, len(items) - i)
            items[i], items[j] = items[j], items[i]

    def duel(self, a: int, b: int) -> int:
        n = min(self.pulls(a), self.pulls(b))
        va, vb = self.estimate(self.subsample(a, n)), self.estimate(self.subsample(b, n))
        if not self.tied(va, vb):
            return a if va > vb else b
        if self.pulls(a) != self.pulls(b):
            return min(a, b, key=self.pulls)
        return a if self.stream.below(2) == 0 else b

    def tournament(self) -> int:
        order = list(range(self.arms))
        self.shuffle(order, self.arms - 1)
        parts = 2 ** math.floor(math.log2(self.arms))
        edges = [i * self.arms // parts for i in range(parts + 1)]
        groups = [order[first:last] for first, last in itertools.pairwise(edges)]
        while True:
            winners = [group[0] if len(group) == 1 else self.duel(*group) for group in groups]
            if len(winners) == 1:
                return winners[0]
            groups = [winners[i : i + 2] for i in range(0, len(winners), 2)]


def hypergeometric(good: int, bad: int, n: int, stream: Stream) -> int:
    """The number of good ones in a uniform n-subset, as the kernel draws it but with log-gamma for every factorial."""

    def log_ways(n: int, k: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    size = good + bad
    drawn, rare = min(n, size - n), min(good, bad)
    fewer, more = min(drawn, rare), max(drawn, rare)
    if fewer <= 36:
        left = more
        for i in range(fewer):
            if i % 2 == 0:
                word = stream.word()
            left -= stream.scaled(word >> 32 if i % 2 == 0 else word & HALF, size - i) < left
        found = more - left
    else:
        share = rare / size
        spread = math.sqrt((size - drawn) * drawn * share * (1 - share) / (size - 1) + 0.5)
        mode = math.floor((drawn + 1) * (rare + 1) / (size + 2))

        def log_probability(k: int) -> float:
            return log_ways(rare, k) + log_ways(size - rare, drawn - k) - log_ways(size, drawn)

        width = 2 * math.sqrt(2 / math.e) * spread + 3 - 2 * math.sqrt(3 / math.e)
        centre = drawn * share + 0.5
        while True:
            x = stream.uniform()
            place = centre + width * (stream.uniform() - 0.5) / x
            if 0 <= place < min(min(drawn, rare) + 1, math.floor(centre + 16 * spread)):
                found = math.floor(place)
                if 2 * math.log(x) <= log_probability(found) - log_probability(mode):
                    break
    if good > bad:
        found = drawn - found
    return found if drawn == n else good - found


def mean_less_biased_variance(x: list[float], rho: float) -> float:
    return statistics.fmean(x) - rho * statistics.pvariance(x)


def exploration(trial: Trial) -> int:
    return max(1, min(math.ceil((trial.horizon / 14) ** (2 / 3)), trial.horizon // trial.arms))


def besa(trial: Trial) -> int:
    arm = trial.opening(1)
    return trial.tournament() if arm is None else arm


def besa_plus(trial: Trial, floor: float) -> int:
    arm = trial.opening(floor * math.log(trial.step))
    return trial.tournament() if arm is None else arm


def ucb1(trial: Trial) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    return trial.best(
        lambda k: sum(trial.rewards[k]) / trial.pulls(k) + math.sqrt(2 * math.log(trial.step - 1) / trial.pulls(k))
    )


def thompson(trial: Trial) -> int:
    return trial.best(lambda k: trial.stream.beta(1 + trial.successes[k], 1 + trial.failures[k]))


def epsilon_greedy(trial: Trial, epsilon: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    if trial.stream.uniform() < epsilon:
        return trial.stream.below(trial.arms)
    return trial.best(lambda k: trial.estimate(trial.rewards[k]))


def mv_lcb(trial: Trial, rho: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    delta = trial.horizon**-2

    def index(k: int) -> float:
        width = (1 + 5 * rho) * math.sqrt(math.log(1 / delta) / (2 * trial.pulls(k)))
        return mean_less_biased_variance(trial.rewards[k], rho) + width

    return trial.best(index)


def exp_exp(trial: Trial, rho: float) -> int:
    arm = trial.opening(exploration(trial))
    if arm is not None:
        return arm
    if trial.chosen is not None:
        return trial.chosen
    return trial.best(lambda k: mean_less_biased_variance(trial.rewards[k], rho))


def marab(trial: Trial, alpha: float, penalty: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm

    def index(k: int) -> float:
        tail = math.ceil(round(alpha * trial.pulls(k), 9))
        width = math.sqrt(math.log(math.ceil(round(alpha * trial.step, 9))) / tail)
        return trial.estimate(trial.rewards[k]) - penalty * width

    return trial.best(index)


def uniform_random(trial: Trial) -> int:
    return trial.stream.below(trial.arms)


RULES: dict[str, Callable[..., int]] = {
    "besa": besa,
    "besa-plus": besa_plus,
    "ucb1": ucb1,
    "thompson": thompson,
    "epsilon-greedy": epsilon_greedy,
    "mv-lcb": mv_lcb,
    "exp-exp": exp_exp,
    "marab": marab,
    "uniform-random": uniform_random,
}
