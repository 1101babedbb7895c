"""One replication on lists, with random numbers from the same addresses as the engine's: what all policies share."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from tests.oracle import values
from tests.oracle.streams import DECISION, HALF, LEARNING, Stream

TIE = 1e-12


class Trial:
    """One replication: `ask` for an arm, `tell` its reward."""

    def __init__(
        self, policy: Any, value: Any, arms: int, horizon: int, seed: int, replication: int, truth: Any = None
    ) -> None:
        from tests.oracle.policies import LEARNERS, RULES

        self.rule, self.learner = RULES[policy.name], LEARNERS.get(policy.name)
        self.parameters = {key: item for key, item in policy.spec().items() if key != "name"}
        self.value = values.of(policy.own_value or value.spec())
        self.estimate = self.value.estimate
        self.gamma, self.lipschitz, self.truth = value.gamma, value.lipschitz, truth
        self.arms, self.horizon, self.seed, self.replication = arms, horizon, seed, replication
        self.assigned = [0] * arms
        self.rewards: list[list[float]] = [[] for _ in range(arms)]
        self.bags: list[list[float]] = [[] for _ in range(arms)]
        self.memory: dict[str, Any] = {}  # the policy's own

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
        if self.learner is not None:
            self.learner(self, arm, reward, **self.parameters)

    def opening(self, floor: float) -> int | None:
        least = min(range(self.arms), key=lambda k: self.assigned[k])
        unknown = any(not rewards for rewards in self.rewards)
        return least if unknown or self.assigned[least] < floor else None

    def tied(self, x: float, y: float) -> bool:
        known = [abs(reward) for rewards in self.rewards for reward in rewards]
        largest = max(known, default=0.0) if self.value.in_reward_units else 1.0
        return x == y or (math.isfinite(x - y) and abs(x - y) <= TIE * max(largest, abs(x), abs(y)))

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
        size, bag, value = self.pulls(arm), self.bags[arm], self.value
        if n == size:
            return list(self.rewards[arm])
        if value.kind == "moments":
            examples = {value.feature(x): x for x in self.rewards[arm]}  # a reward for each feature
            first, *others = dict.fromkeys(value.feature(x) for x in self.rewards[arm])
            if len(others) <= 1:
                high = sum(value.feature(x) in others for x in self.rewards[arm])
                found = hypergeometric(high, size - high, n, self.stream)
                return [examples[others[0]]] * found + [examples[first]] * (n - found) if others else [bag[0]] * n
        if value.kind != "tail":
            return self.shuffled(bag, n)
        wanted = value.tail_size(n)
        if wanted * size > 3 * n * n:
            return self.shuffled(bag, n, whole=True)
        subset: list[float] = []
        left = iter(enumerate(sorted(self.rewards[arm])))
        while len(subset) < wanted:
            i, x = next(left)
            if self.stream.below(size - i) < n - len(subset):
                subset.append(x)
        return subset + [subset[-1]] * (n - wanted)  # the others are no smaller, and do not count

    def reweighted(self, arm: int, top: float) -> float:
        """The value of an arm's rewards and `top` with Dirichlet(1, ..., 1) weights."""
        value, stream = self.value, self.stream
        if value.kind != "moments":
            points = [*sorted(self.rewards[arm]), top]
            weights = self.dirichlet(len(points))
            return self.of_law(points[: len(weights)], weights)
        first, *others = dict.fromkeys([value.feature(x) for x in self.rewards[arm]] or [None])
        if len(others) <= 1:
            weights, points = [stream.exponential()], [top]
            for level in (first, *others):
                alike = [x for x in self.rewards[arm] if value.feature(x) == level]
                if alike:
                    weights.append(stream.gamma(len(alike)))
                    points.append(alike[0])
        else:
            points = [*self.bags[arm], top]
            weights = [stream.exponential() for _ in points]
        return value.weighted(points, [weight / math.fsum(weights) for weight in weights])

    def hopeful(self, arm: int, extra: float, shape: float) -> tuple[float, float]:
        """The value of an arm's rewards with exponential weights and of `extra` with a gamma weight, and without it."""
        value, stream, rewards = self.value, self.stream, self.rewards[arm]
        last = stream.gamma(shape) if shape >= 1 else stream.gamma(1 + shape) * stream.uniform() ** (1 / shape)
        levels = list(dict.fromkeys(value.feature(x) for x in rewards)) if value.kind == "moments" else []
        if 1 <= len(levels) <= 2:
            alike = [[x for x in rewards if value.feature(x) == level] for level in levels]
            points, weights = [some[0] for some in alike], [stream.gamma(len(some)) for some in alike]
        else:
            points = list(self.bags[arm]) if levels else sorted(rewards)
            weights = [stream.exponential() for _ in points]

        def of(pairs: list[tuple[float, float]]) -> float:
            total = math.fsum(weight for _, weight in pairs)
            return self.of_law([x for x, _ in pairs], [weight / total for _, weight in pairs])

        pairs = list(zip(points, weights))
        plain = of(pairs)
        place = sum(x <= extra for x in points) if not levels else len(points)
        return of([*pairs[:place], (extra, last), *pairs[place:]]), plain

    def dirichlet(self, size: int) -> list[float]:
        """Weights of the lowest of `size` points that make up the share which the value looks at."""
        stream, share = self.stream, self.value.tail_share
        block = size if share == 1 else int(share * size * 1.1) + 16
        weights: list[float] = []
        while len(weights) < size and 1 - math.fsum(weights) > 1 - share:
            count, rest = min(block, size - len(weights)), 1 - math.fsum(weights)
            mass = rest
            if len(weights) + count < size:
                x = stream.gamma(count)
                mass *= x / (x + stream.gamma(size - len(weights) - count))
            drawn = [stream.exponential() for _ in range(count)]
            weights += [mass * each / math.fsum(drawn) for each in drawn]
            block = count // 8 + 1
        return weights

    def of_law(self, points: list[float], weights: list[float]) -> float:
        """The value of a discrete law, points ascending; a value that knows of no weights gets a sample for it."""
        if self.value.weighted is not None:
            return self.value.weighted(points, weights)
        size = 4 * len(points) + 60
        offset = self.stream.uniform()
        edges = list(itertools.accumulate(weight * size for weight in weights))
        sample = [next((x for x, edge in zip(points, edges) if i + offset < edge), points[-1]) for i in range(size)]
        return self.estimate(sample)

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
