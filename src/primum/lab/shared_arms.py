"""Equal arms as one object, because the tables that an arm computes on first use take most of the time."""

from __future__ import annotations

from primum.errors import ParameterError
from primum.lab.sandbox.sandbox import TooSlow, check_arm
from primum.plugins.registry import Plugin
from primum.rewards import RewardDistribution
from primum.store.lru_cache import LruCache, digest

MOST_ARMS_KEPT = 128  # of about half a megabyte each
MOST_REFUSALS_KEPT = 1_000
_arms, _refusals = LruCache[RewardDistribution](MOST_ARMS_KEPT), LruCache[str](MOST_REFUSALS_KEPT)


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

    return _arms.made(key, checked)


def key_of(plugin: Plugin) -> tuple[type, bytes]:
    """A short key, the same for equal plug-ins: an arm can have thousands of numbers."""
    return type(plugin), digest(plugin.spec())
