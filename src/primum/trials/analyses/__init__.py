"""Analyses of a trial: p-values, decisions and estimates."""

from primum.trials.analyses.analysis import Analysis as Analysis
from primum.trials.analyses.pooled_z import PooledZ as PooledZ
