"""What designs give their patients, and what they find out: many designs beside the best that is possible."""

from primum.trials.frontiers.many_designs import Frontier as Frontier
from primum.trials.frontiers.many_designs import frontier as frontier
