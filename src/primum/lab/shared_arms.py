"""Equal arms as one object, because the tables that an arm computes on first use take most of the time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from primum.errors import ParameterError
from primum.lab.sandbox.sandbox import TooSlow, check_arm
from primum.plugins.registry import Plugin
from primum.rewards import RewardDistribution
from primum.store.lru_cache import LruCache, digest

MOST_ARMS_KEPT = 128
MOST_BYTES_KEPT = 1 << 27  # of their tables, as expected
TABLE_BYTES, NUMBER_BYTES = 1 << 20, 64  # that a distribution in an arm, and a number in its lists, take at most
MOST_REFUSALS_KEPT = 1_000


def expected_bytes(given: Any) -> int:
    """Bytes that an arm with this spec will take, with tables that it has not made yet."""
    if isinstance(given, Mapping):
        return TABLE_BYTES + sum(map(expected_bytes, given.values()))
    return NUMBER_BYTES * len(given) + sum(map(expected_bytes, given)) if isinstance(given, list) else 0


_arms = LruCache[RewardDistribution](MOST_ARMS_KEPT, MOST_BYTES_KEPT, size=lambda arm: expected_bytes(arm.spec()))
_refusals = LruCache[str](MOST_REFUSALS_KEPT)


def shared(arm: RewardDistribution) -> RewardDistribution:
    """The equal arm in the cache, or else this one; a ParameterError if its tables take too much time or memory."""
    key = key_of(arm)
    if refusal := _refusals.get(key):
        raise ParameterError(refusal)

    def checked() -> RewardDistribution:
        try:
            check_arm(arm)
        except TooSlow as error:
            _refusals.put(key, str(error))
            raise
        return arm

    return _arms.get_or_compute(key, checked)


def key_of(plugin: Plugin) -> tuple[type, bytes]:
    """A short key, the same for equal plug-ins: an arm can have thousands of numbers."""
    return type(plugin), digest(plugin.spec())
