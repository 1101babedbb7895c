"""Equal arms are one arm: the tables that an arm makes when it is first looked at take most of the time."""

from __future__ import annotations

from primum.plugins.registry import Plugin
from primum.rewards import RewardDistribution
from primum.store.lru_cache import LruCache, digest

KEPT = 128  # arms, of about half a megabyte each
_arms = LruCache[RewardDistribution](KEPT)


def shared(arm: RewardDistribution) -> RewardDistribution:
    """The equal arm that was used lately, or else this one."""
    return _arms.made(key_of(arm), lambda: arm)


def key_of(plugin: Plugin) -> tuple[type, bytes]:
    """A short key, the same for equal plug-ins: an arm can have thousands of numbers."""
    return type(plugin), digest(plugin.spec())
