"""The arena: a public suite of problems with values, the policies that fit them, and a table of how they do."""

from primum.arena.playing import FULL, QUICK, SEED, Scale, play
from primum.arena.random_pairs import random_pairs
from primum.arena.report import main_horizon, report
from primum.arena.roster import fitted, roster
from primum.arena.suite import Pair, ProblemClass, pairs
from primum.arena.table import Cell, Table, kept

__all__ = [
    "FULL",
    "QUICK",
    "SEED",
    "Cell",
    "Pair",
    "ProblemClass",
    "Scale",
    "Table",
    "fitted",
    "kept",
    "main_horizon",
    "pairs",
    "play",
    "random_pairs",
    "report",
    "roster",
]
