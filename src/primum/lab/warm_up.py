"""Compiling before anybody waits for it."""

from __future__ import annotations

import logging

from primum import policies, rewards, values
from primum.errors import PrimumError
from primum.policies import Policy
from primum.problem import Problem
from primum.simulation import check_fit, compile_for
from primum.values import SafetyValue

COMMON = (policies.BesaPlus, policies.Besa, policies.Ucb1, policies.Thompson)
# one of each kind of record, the commonest first: moments, tail, sample
VALUES: tuple[SafetyValue, ...] = (values.Mean(), values.CVaR(), values.MeanGini())
log = logging.getLogger("primum.lab")


def warm_up() -> None:
    """Compile all built-in policies under each kind of value, the commonest first."""
    others = [getattr(policies, name) for name in policies.__all__ if getattr(policies, name) not in (*COMMON, Policy)]
    for value in VALUES:
        problem = Problem({"a": rewards.Bernoulli(0.4), "b": rewards.Bernoulli(0.6)}, value)
        for cls in (*COMMON, *others):
            try:
                policy = cls()
                check_fit(problem, policy)
                compile_for(problem, [policy])
            except PrimumError as error:  # it does not go with the value, or one must give it something
                log.debug("not compiled: %s", error)
