"""Stopping rules: what is decided at an interim analysis."""

from primum.trials.monitoring import Look as Look
from primum.trials.monitoring import Verdict as Verdict
from primum.trials.stopping.drop_losers import DropLosers as DropLosers
from primum.trials.stopping.evidence_limits import EvidenceLimits as EvidenceLimits
from primum.trials.stopping.group_sequential import GroupSequential as GroupSequential
from primum.trials.stopping.posterior_limits import PosteriorLimits as PosteriorLimits
from primum.trials.stopping.stopping_rule import StoppingRule as StoppingRule
