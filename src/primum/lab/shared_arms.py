"""One object for equal arms, because an arm makes tables when it is first used, which takes most of the time."""

from __future__ import annotations

from primum.lab.sandbox.sandbox import check_arm
from primum.plugins.registry import Plugin
from primum.rewards import RewardDistribution
from primum.store.lru_cache import Recent, digest

MOST_ARMS_KEPT = 128  # of about half a megabyte each
_arms = Recent[RewardDistribution](MOST_ARMS_KEPT)


def shared(arm: RewardDistribution) -> RewardDistribution:
    """The equal arm in the cache, or else this one; a ParameterError if its tables take too much time or memory."""

    def checked() -> RewardDistribution:
        check_arm(arm)
        return arm

    return _arms.made(key_of(arm), checked)


def key_of(plugin: Plugin) -> tuple[type, bytes]:
    """A short key, the same for equal plug-ins: an arm can have thousands of numbers."""
    return type(plugin), digest(plugin.spec())
