"""Philox4x32-10 and xoroshiro128++ with Python's integers, and the draws made from them."""

from __future__ import annotations

import math

REWARD, DECISION, LEARNING = 0, 1, 2
WORD = (1 << 64) - 1
HALF = (1 << 32) - 1


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """The published algorithm: ten rounds of multiplication, the key bumped between them."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * c2, 1 << 32)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) & HALF, (k1 + 0xBB67AE85) & HALF
    return c0, c1, c2, c3


def words(seed: int, replication: int, purpose: int, lane: int, index: int) -> tuple[int, int]:
    """The two 64-bit words at an address."""
    c0, c1, c2, c3 = philox((index, lane, replication, purpose), (seed & HALF, seed >> 32))
    return c0 | c1 << 32, c2 | c3 << 32


def to_unit(word: int) -> float:
    return ((word >> 12) + 0.5) / 2**52


def reward_uniform(seed: int, replication: int, arm: int, i: int) -> float:
    """The uniform behind the i-th reward of an arm."""
    return to_unit(words(seed, replication, REWARD, arm, i // 2)[i % 2])


def edges() -> list[float]:
    """Where 1,024 layers of equal area under exp(-x) end; the lowest, with the tail, is as wide as its area demands."""
    end = 9.256164544265543687
    area = end * math.exp(-end) + math.exp(-end)
    found = [area * math.exp(end), end]
    for _ in range(1022):
        found.append(-math.log(math.exp(-found[-1]) + area / found[-1]))
    return [*found, 0.0]


EDGES = edges()


class Stream:
    """xoroshiro128++ from the state at an address."""

    def __init__(self, *state: int) -> None:
        self.state = list(state)

    @classmethod
    def at(cls, seed: int, replication: int, purpose: int, lane: int, index: int) -> Stream:
        return cls(*words(seed, replication, purpose, lane, index))

    def word(self) -> int:
        def rotate(x: int, k: int) -> int:
            return (x << k | x >> (64 - k)) & WORD

        s0, s1 = self.state
        result = (rotate((s0 + s1) & WORD, 17) + s0) & WORD
        s1 ^= s0
        self.state = [rotate(s0, 49) ^ s1 ^ (s1 << 21 & WORD), rotate(s1, 28)]
        return result

    def uniform(self) -> float:
        return to_unit(self.word())

    def scaled(self, half: int, n: int) -> int:
        """A uniform whole number below n by Lemire's method; a rejected half is replaced by that of the next word."""
        while half * n & HALF < (1 << 32) % n:
            half = self.word() >> 32
        return half * n >> 32

    def below(self, n: int) -> int:
        return self.scaled(self.word() >> 32, n)

    def normal(self) -> float:
        while True:
            x, y = 2 * self.uniform() - 1, 2 * self.uniform() - 1
            r = x * x + y * y
            if 0 < r < 1:
                return x * math.sqrt(-2 * math.log(r) / r)

    def exponential(self) -> float:
        """Marsaglia and Tsang's ziggurat: a layer, and a place in it, which the next layer covers or not."""
        beyond = 0.0
        while True:
            word = self.word()
            layer = word % 1024
            x = to_unit(word) * EDGES[layer]
            if x < EDGES[layer + 1]:
                return beyond + x
            if layer == 0:
                beyond += EDGES[1]
            else:
                low, high = math.exp(-EDGES[layer]), math.exp(-EDGES[layer + 1])
                if low + self.uniform() * (high - low) < math.exp(-x):
                    return beyond + x

    def gamma(self, shape: float) -> float:
        d = shape - 1 / 3
        c = 1 / math.sqrt(9 * d)
        while True:
            x = self.normal()
            v = 1 + c * x
            if v > 0:
                v = v**3
                if math.log(self.uniform()) < 0.5 * x * x + d - d * v + d * math.log(v):
                    return d * v

    def beta(self, a: float, b: float) -> float:
        x = self.gamma(a)
        return x / (x + self.gamma(b))
