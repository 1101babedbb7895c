"""Safety value functions: what "good" means."""

from primum.values.cvar import CVaR
from primum.values.formula import Formula
from primum.values.mean import Mean
from primum.values.mean_variance import MeanVariance
from primum.values.safety_value import MomentValue, SafetyValue, TailValue

__all__ = ["CVaR", "Formula", "Mean", "MeanVariance", "MomentValue", "SafetyValue", "TailValue"]
