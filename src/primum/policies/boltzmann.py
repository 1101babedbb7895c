"""Boltzmann exploration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, opening
from primum.kernels.elementary import log
from primum.kernels.noting import note_log_weight
from primum.kernels.records import value_of
from primum.kernels.streams import exponential
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy


@dataclass(frozen=True)
class Boltzmann(Policy):
    """Chooses at random, favouring better arms.

    Each arm once, then arm k with probability proportional to exp(estimate_k / temperature). It is drawn as the largest
    of estimate_k + temperature * G_k with independent standard Gumbel numbers G_k, which has these probabilities and
    cannot overflow.

    Reference: Sutton, Barto, "Reinforcement learning", 1998, section 2.3; Cesa-Bianchi, Gentile, Lugosi, Neu,
    "Boltzmann exploration done right", NIPS 2017 (arXiv:1705.10257), on why no temperature suits all problems.

    >>> Boltzmann(temperature=0.05).label
    'boltzmann(temperature=0.05)'
    """

    title = "Boltzmann exploration"

    temperature: float = parameter(0.1, "larger values explore more", low=0.0, open_low=True)

    decides_by = "probabilities that grow with the estimated value"

    @staticmethod
    def choose(history: Any, temperature: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        for k in range(history.arms):
            gumbel = -log(exponential(history.stream))
            estimate = value_of(history, k)
            history.scores[k] = estimate + temperature * gumbel
            note_log_weight(history, k, estimate / temperature)
        return best_score(history)
