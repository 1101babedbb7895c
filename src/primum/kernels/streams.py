"""Counter-based random numbers: each is a function of (seed, replication, purpose, lane, index).

Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011) turns an address
into 128 bits. These are rewards' uniforms, or the state of xoroshiro128++ (Blackman, Vigna: "Scrambled linear
pseudorandom number generators", ACM TOMS 2021), which supplies all draws inside one decision.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from primum.kernels.contract import kernel, large_kernel
from primum.kernels.elementary import exp, log

# purposes; the last four are of trials: patients' own numbers, the burn-in, decisions that are repeated, and the coin
REWARD, DECISION, LEARNING, PATIENT, BURN_IN, REPETITION, COIN = 0, 1, 2, 3, 4, 5, 6

U = np.uint64
LOW = U(0xFFFFFFFF)
S32 = U(32)


@kernel
def philox(index: Any, lane: Any, replication: Any, purpose: Any, seed: Any) -> tuple[Any, Any]:
    """128 bits, as two words, for the counter (index, lane, replication, purpose) under the key `seed`."""
    c0, c1, c2, c3 = U(index), U(lane), U(replication), U(purpose)
    k0, k1 = U(seed) & LOW, U(seed) >> S32
    for _ in range(10):
        p0 = U(0xD2511F53) * c0
        p1 = U(0xCD9E8D57) * c2
        c0, c1, c2, c3 = (p1 >> S32) ^ c1 ^ k0, p1 & LOW, (p0 >> S32) ^ c3 ^ k1, p0 & LOW
        k0 = (k0 + U(0x9E3779B9)) & LOW
        k1 = (k1 + U(0xBB67AE85)) & LOW
    return c0 | (c1 << S32), c2 | (c3 << S32)


@kernel
def to_unit(word: Any) -> float:
    """A uniform number strictly between 0 and 1 from the upper 52 bits."""
    return (np.float64(word >> U(12)) + 0.5) * 2.220446049250313e-16


@kernel
def rotate(x: Any, k: int) -> Any:
    return (x << U(k)) | (x >> U(64 - k))


@kernel
def forward(s0: Any, s1: Any) -> tuple[Any, Any, Any]:
    """One step of xoroshiro128++: the output and the next state."""
    word = rotate(s0 + s1, 17) + s0
    s1 ^= s0
    return word, rotate(s0, 49) ^ s1 ^ (s1 << U(21)), rotate(s1, 28)


@kernel
def next_word(stream: Any) -> Any:
    """64 random bits."""
    word, s0, s1 = forward(stream[0], stream[1])
    stream[0] = s0
    stream[1] = s1
    return word


@kernel
def uniform(stream: Any) -> float:
    """A uniform number strictly between 0 and 1."""
    return to_unit(next_word(stream))


@kernel
def scaled(half: Any, n: Any, s0: Any, s1: Any) -> tuple[Any, Any, Any]:
    """A uniform whole number in [0, n), exactly, from 32 random bits and, seldom, further words; and the next state.

    Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019; n < 2**32.
    """
    product = half * n
    if product & LOW < n:
        threshold = (U(0x100000000) - n) % n
        while product & LOW < threshold:
            word, s0, s1 = forward(s0, s1)
            product = (word >> S32) * n
    return product >> S32, s0, s1


@kernel
def below(stream: Any, n: int) -> int:
    """A uniform whole number in [0, n), n < 2**32; -1 if there is none."""
    if n < 1:
        return -1
    number, s0, s1 = scaled(next_word(stream) >> S32, U(n), stream[0], stream[1])
    stream[0] = s0
    stream[1] = s1
    return np.int64(number)


@kernel
def normal(stream: Any) -> float:
    """A standard normal variate: Marsaglia's polar method."""
    while True:
        x = 2.0 * uniform(stream) - 1.0
        y = 2.0 * uniform(stream) - 1.0
        r = x * x + y * y
        if 0.0 < r < 1.0:
            return x * math.sqrt(-2.0 * log(r) / r)


LAYERS = 1024  # so that one draw in 180 leaves the quick way; with the usual 256 it is one in 45


def _ziggurat() -> tuple[Any, Any]:
    """The widths of layers of equal area under exp(-x), from the bottom, and the heights at which they begin."""
    end = 9.256164544265543687  # makes the topmost layer as large as the others
    area = (end + 1.0) * exp(-end)
    widths, heights = [end + 1.0, end], [0.0, exp(-end)]  # the lowest layer has the area of the tail too
    while len(widths) < LAYERS:
        heights.append(heights[-1] + area / widths[-1])
        widths.append(-log(heights[-1]))
    return np.array([*widths, 0.0]), np.array([*heights, 1.0])


WIDTHS, HEIGHTS = _ziggurat()
LAYER = U(LAYERS - 1)  # the bits of a word that choose a layer; to_unit does not look at them


@kernel
def exponential(stream: Any) -> float:
    """A standard exponential variate: Marsaglia and Tsang, "The ziggurat method", J. Statist. Software 5(8), 2000."""
    word = next_word(stream)
    layer = word & LAYER
    x = to_unit(word) * WIDTHS[layer]
    return x if x < WIDTHS[layer + U(1)] else outside(stream, layer, x)


@large_kernel
def outside(stream: Any, layer: Any, x: float) -> float:
    """The exponential variate from a place in a layer that the next layer does not cover."""
    beyond = 0.0
    while True:
        if layer == U(0):
            beyond += WIDTHS[1]  # the tail looks like the whole
        else:
            low, high = HEIGHTS[layer], HEIGHTS[layer + U(1)]
            if low + uniform(stream) * (high - low) < exp(-x):
                return beyond + x
        word = next_word(stream)
        layer = word & LAYER
        x = to_unit(word) * WIDTHS[layer]
        if x < WIDTHS[layer + U(1)]:
            return beyond + x


@large_kernel
def fill_exponentials(stream: Any, out: Any) -> None:
    """Standard exponential variates, as many as fit.

    Half the time of a loop with a running sum: the call in it would keep the sum in memory.
    """
    s0, s1 = stream[0], stream[1]
    i, end = U(0), U(out.size)
    while i < end:
        word, s0, s1 = forward(s0, s1)
        layer = word & LAYER
        x = to_unit(word) * WIDTHS[layer]
        if x >= WIDTHS[layer + U(1)]:
            stream[0] = s0
            stream[1] = s1
            x = outside(stream, layer, x)
            s0, s1 = stream[0], stream[1]
        out[i] = x
        i += U(1)
    stream[0] = s0
    stream[1] = s1


@kernel
def gamma(stream: Any, shape: float) -> float:
    """A standard gamma variate, shape >= 1 (else nan): Marsaglia and Tsang, ACM TOMS 26(3), 2000."""
    if not shape >= 1.0:
        return math.nan
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(stream)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            u = uniform(stream)
            if u < 1.0 - 0.0331 * (x * x) * (x * x):  # spares the logarithms, and lets nothing else pass
                return d * v
            if log(u) < 0.5 * x * x + d - d * v + d * log(v):
                return d * v


@kernel
def beta(stream: Any, a: float, b: float) -> float:
    """A beta variate, a >= 1 and b >= 1."""
    x = gamma(stream, a)
    return x / (x + gamma(stream, b))


def fill_uniforms(seed: Any, replications: Any, purpose: int, lane: int, first: int, out: Any) -> None:
    """Uniforms first, first + 1, ... of a lane, such as an arm, a row for each replication; both counts are even."""
    for r in range(replications.size):
        for i in range(out.shape[1] // 2):
            x, y = philox(first // 2 + i, lane, replications[r], purpose, seed)
            out[r, 2 * i] = to_unit(x)
            out[r, 2 * i + 1] = to_unit(y)
