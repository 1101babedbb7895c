"""The designs with two arms and outcomes 0 and 1 that put the most patients on the better arm.

The package is not named after its function `trials.optimal`, as a module of that name would take its place.
"""

from primum.trials.optimum.best_design import Optimal as Optimal
from primum.trials.optimum.best_design import optimal as optimal
from primum.trials.optimum.curve import Ceiling as Ceiling
from primum.trials.optimum.curve import ceiling as ceiling
