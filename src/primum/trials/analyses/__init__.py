"""Analyses of a trial: p-values, decisions and estimates."""

from primum.trials.analyses.analysis import Analysis as Analysis
from primum.trials.analyses.conditional_exact import ConditionalExact as ConditionalExact
from primum.trials.analyses.pooled_z import PooledZ as PooledZ
from primum.trials.analyses.unconditional_exact import UnconditionalExact as UnconditionalExact
