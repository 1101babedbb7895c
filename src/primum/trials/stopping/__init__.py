"""Stopping rules: what is decided at an interim analysis."""

from primum.trials.stopping.stopping_rule import StoppingRule as StoppingRule
from primum.trials.stopping.stopping_rule import Verdict as Verdict
