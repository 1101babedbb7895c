"""The designs with two arms and outcomes 0 and 1 that put the most patients on the better arm.

The package is not named after its function `trials.optimal`, as a module of that name would take its place.
"""

from primum.trials.optimum.ceiling import Ceiling as Ceiling
from primum.trials.optimum.ceiling import ceiling as ceiling
from primum.trials.optimum.optimal import Optimal as Optimal
from primum.trials.optimum.optimal import optimal as optimal
