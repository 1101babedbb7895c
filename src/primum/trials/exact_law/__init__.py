"""Exact operating characteristics, tests and calibration for two arms with outcomes 0 and 1.

The package is not named after its function `trials.exact`, as a module of that name would take its place.
"""

from primum.trials.exact_law.calibration import ExactSize as ExactSize
from primum.trials.exact_law.calibration import critical_value as critical_value
from primum.trials.exact_law.calibration import smallest_size as smallest_size
from primum.trials.exact_law.law import LargestError as LargestError
from primum.trials.exact_law.law import Law as Law
from primum.trials.exact_law.law import exact as exact
