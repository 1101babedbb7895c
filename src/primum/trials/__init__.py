"""Adaptive trials: designs, their operating characteristics, exact where they can be."""

from primum.trials.analyses import Analysis as Analysis
from primum.trials.analyses import PooledZ as PooledZ
from primum.trials.data import TrialData as TrialData
from primum.trials.design import Design as Design
from primum.trials.scenario import Drift as Drift
from primum.trials.scenario import Linear as Linear
from primum.trials.scenario import Scenario as Scenario
from primum.trials.scenario import Step as Step
from primum.trials.stopping import StoppingRule as StoppingRule
from primum.trials.stopping import Verdict as Verdict
from primum.trials.timing import Accrual as Accrual
from primum.trials.timing import AfterPatients as AfterPatients
from primum.trials.timing import AfterTime as AfterTime
from primum.trials.timing import Delay as Delay
from primum.trials.timing import Given as Given
from primum.trials.timing import Poisson as Poisson
from primum.trials.timing import Regular as Regular
from primum.trials.timing import after_patients as after_patients
from primum.trials.timing import after_time as after_time
