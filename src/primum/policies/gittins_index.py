"""The Gittins index of an arm with outcomes 0 and 1 and a uniform prior."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from primum.kernels.contract import kernel
from primum.kernels.elementary import log, power
from primum.policies.counts import Array
from primum.store.content_store import Store
from primum.store.fingerprints import results

SIZE = 500  # outcomes up to which the index is computed; beyond, it is extrapolated
GRID = 4000  # rewards of the known arm
HORIZONS = 3.0  # of 1 / (1 - discount) outcomes beyond SIZE, where the comparison with the known arm ends
DEVIATIONS, SPARE = 7.0, 20.0  # above a known arm's reward beyond which an arm is never left
HEADER = 3  # numbers before the indices in the array that native code gets: see `packed_table`
AREA_BYTES = 1 << 28  # about 250 tables


def indices(discount: float, size: int, depth: int, grid: int) -> Any:
    """The index after n outcomes with s successes at n (n + 1) / 2 + s, for n up to `size`, to about 5e-5.

    It is the reward of a known arm that is as good as this one. For each reward of a grid, dynamic programming from
    `depth` outcomes back gives the gain of one more outcome; the gain falls with the reward, and is interpolated to 0.
    Only states near those of indifference are visited: an arm that is left after (s, n) is left after (s, n + 1), and
    one that is kept after (s, n) is kept after (s + 1, n + 1). Native code, of operations that all processors round
    alike.
    """
    table = np.zeros((size + 1) * (size + 2) // 2)
    gains = np.zeros(table.size)
    for n in range(size + 1):
        for s in range(n + 1):
            gains[n * (n + 1) // 2 + s] = (s + 1) / ((n + 2) * (1.0 - discount))
    settled = np.zeros(size + 1, np.int64)  # states of each n whose index is known: s = 0 .. settled - 1
    values = np.zeros(depth + 2)
    before = 0.0
    for point in range(1, grid + 1):
        share = point / grid
        known = share * share * (3.0 - 2.0 * share)  # finer towards 0 and 1, as the indices are
        safe = known / (1.0 - discount)
        kept = depth + 1  # the first state in which the arm is kept
        while kept > 0 and kept > known * (depth + 2):
            kept -= 1
        top = min(depth, int(depth * known + DEVIATIONS * math.sqrt(depth * known * (1.0 - known)) + SPARE))
        for s in range(kept, top + 1):
            values[s] = (s + 1) / ((depth + 2) * (1.0 - discount))
        for n in range(depth - 1, -1, -1):
            high = min(n, int(n * known + DEVIATIONS * math.sqrt(n * known * (1.0 - known)) + SPARE))
            for s in range(top + 1, high + 2):
                values[s] = (s + 1) / ((n + 3) * (1.0 - discount))
            kept = min(kept, n + 1)
            for s in range(max(0, kept - 1), kept):
                values[s] = safe
            if n <= size:
                s = settled[n]
                while s <= n:
                    mean = (s + 1) / (n + 2)
                    success = values[s + 1] if s + 1 >= kept else safe
                    failure = values[s] if s >= kept else safe
                    gain = mean * (1.0 + discount * success) + (1.0 - mean) * discount * failure - safe
                    if gain > 0.0:
                        break
                    i = n * (n + 1) // 2 + s
                    table[i] = before + (known - before) * gains[i] / (gains[i] - gain)
                    s += 1
                settled[n] = s
            if kept > 0:
                mean = kept / (n + 2)
                if mean * (1.0 + discount * values[kept]) + (1.0 - mean) * discount * safe > safe:
                    kept -= 1
            for s in range(kept, high + 1):
                mean = (s + 1) / (n + 2)
                values[s] = mean * (1.0 + discount * values[s + 1]) + (1.0 - mean) * discount * values[s]
            if n <= size:
                for s in range(kept, high + 1):
                    gains[n * (n + 1) // 2 + s] = values[s] - safe
            top = high
        before = known
    return table


@functools.cache
def _store() -> Store:
    return Store(area="tables", limit=AREA_BYTES)


def _made(discount: float) -> bytes:
    from primum.kernels.native import compiling

    depth = SIZE + math.ceil(HORIZONS / (1.0 - discount))
    content: bytes = compiling.compiled(indices)(discount, SIZE, depth, GRID).tobytes()
    return content


@functools.lru_cache(64)
def packed_table(discount: float, block: int, keeps_control: bool) -> Array:
    """What native code gets: discount, block size and whether the control's share is kept, then the indices."""
    content = _store().get_or_compute({"Gittins indices": discount, "results": results()}, lambda: _made(discount))
    table = np.concatenate([[discount, block, keeps_control], np.frombuffer(content)])
    table.flags.writeable = False
    return table


@kernel
def index(table: Any, successes: float, n: float) -> float:
    """The Gittins index after n outcomes, from a packed table.

    Beyond SIZE the index minus the posterior mean m is that at SIZE for the same m, times the ratio of
    (m (1 - m) s)^(1/2) psi(s), s = -1 / ((n + 3) log(discount)), as in the diffusion limit (Brezzi, Lai, Journal of
    Economic Dynamics and Control 27, 2002); psi(s) = (s / 2)^(1/2) / (1 + 0.19 s^0.7) fits the computed indices.
    """
    if n <= SIZE:
        return table[HEADER + (int(n) * (int(n) + 1)) // 2 + int(successes)]
    mean = (successes + 1.0) / (n + 2.0)
    place = min(max(mean * (SIZE + 2) - 1.0, 0.0), float(SIZE))
    s = min(int(place), SIZE - 1)
    first = HEADER + SIZE * (SIZE + 1) // 2 + s
    at_size = (place + 1.0) / (SIZE + 2)
    excess = table[first] + (place - s) * (table[first + 1] - table[first]) - at_size
    unit = -log(table[0])
    shrink = (1.0 + 0.19 * power(1.0 / ((SIZE + 3) * unit), 0.7)) / (1.0 + 0.19 * power(1.0 / ((n + 3.0) * unit), 0.7))
    spread = math.sqrt(mean * (1.0 - mean) / (at_size * (1.0 - at_size)))
    return mean + excess * spread * shrink * (SIZE + 3) / (n + 3.0)
