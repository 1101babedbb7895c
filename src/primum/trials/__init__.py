"""Adaptive trials: designs, their operating characteristics, exact where they can be."""

from typing import TYPE_CHECKING

from primum import errors
from primum.trials.analyses import Analysis as Analysis
from primum.trials.analyses import Boundary as Boundary
from primum.trials.analyses import ConditionalExact as ConditionalExact
from primum.trials.analyses import Fisher as Fisher
from primum.trials.analyses import LabelBetting as LabelBetting
from primum.trials.analyses import LogOdds as LogOdds
from primum.trials.analyses import MannWhitney as MannWhitney
from primum.trials.analyses import MantelHaenszel as MantelHaenszel
from primum.trials.analyses import NormalSuperiority as NormalSuperiority
from primum.trials.analyses import PooledZ as PooledZ
from primum.trials.analyses import PosteriorAnalysis as PosteriorAnalysis
from primum.trials.analyses import PosteriorSuperiority as PosteriorSuperiority
from primum.trials.analyses import RandomisationTest as RandomisationTest
from primum.trials.analyses import UnconditionalExact as UnconditionalExact
from primum.trials.analyses import WeightedLikelihoodRatio as WeightedLikelihoodRatio
from primum.trials.analyses import WelchT as WelchT
from primum.trials.analyses import ZAnalysis as ZAnalysis
from primum.trials.calibration import Calibrated as Calibrated
from primum.trials.calibration import calibrate as calibrate
from primum.trials.data import TrialData as TrialData
from primum.trials.design import Design as Design
from primum.trials.estimates import Estimate as Estimate
from primum.trials.estimates import adaptively_weighted_aipw as adaptively_weighted_aipw
from primum.trials.estimates import inverse_probability_weighted as inverse_probability_weighted
from primum.trials.estimates import naive_difference as naive_difference
from primum.trials.evidence.value_interval import ValueInterval as ValueInterval
from primum.trials.evidence.value_interval import value_interval as value_interval
from primum.trials.exact_law import ExactSize as ExactSize
from primum.trials.exact_law import LargestError as LargestError
from primum.trials.exact_law import Law as Law
from primum.trials.exact_law import critical_value as critical_value
from primum.trials.exact_law import exact as exact
from primum.trials.exact_law import smallest_size as smallest_size
from primum.trials.frontiers import Frontier as Frontier
from primum.trials.frontiers import frontier as frontier
from primum.trials.live_settings import LiveSettings as LiveSettings
from primum.trials.one import Trial as Trial
from primum.trials.one import simulate_one as simulate_one
from primum.trials.operating.operate import operate as operate
from primum.trials.operating.operating_characteristics import OperatingCharacteristics as OperatingCharacteristics
from primum.trials.optimum import Ceiling as Ceiling
from primum.trials.optimum import Optimal as Optimal
from primum.trials.optimum import ceiling as ceiling
from primum.trials.optimum import optimal as optimal
from primum.trials.plan import Plan as Plan
from primum.trials.reporting import report as report
from primum.trials.scenario import Drift as Drift
from primum.trials.scenario import Linear as Linear
from primum.trials.scenario import Scenario as Scenario
from primum.trials.scenario import Step as Step
from primum.trials.sizing import SampleSize as SampleSize
from primum.trials.sizing import size as size
from primum.trials.stopping import DropLosers as DropLosers
from primum.trials.stopping import EvidenceLimits as EvidenceLimits
from primum.trials.stopping import GroupSequential as GroupSequential
from primum.trials.stopping import Look as Look
from primum.trials.stopping import PosteriorLimits as PosteriorLimits
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

if TYPE_CHECKING:
    from primum.live import JournalUnavailable as JournalUnavailable
    from primum.live import Live as Live
    from primum.live import Refused as Refused

errors.offer_nearest_names(__name__, dict.fromkeys(("JournalUnavailable", "Live", "Refused"), "primum.live"))
