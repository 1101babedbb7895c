"""Analyses of a trial: p-values, decisions and estimates."""

from primum.trials.analyses.analysis import Analysis as Analysis
from primum.trials.analyses.boundary import Boundary as Boundary
from primum.trials.analyses.conditional_exact import ConditionalExact as ConditionalExact
from primum.trials.analyses.fisher import Fisher as Fisher
from primum.trials.analyses.label_betting import LabelBetting as LabelBetting
from primum.trials.analyses.log_odds import LogOdds as LogOdds
from primum.trials.analyses.mann_whitney import MannWhitney as MannWhitney
from primum.trials.analyses.mantel_haenszel import MantelHaenszel as MantelHaenszel
from primum.trials.analyses.normal_superiority import NormalSuperiority as NormalSuperiority
from primum.trials.analyses.pooled_z import PooledZ as PooledZ
from primum.trials.analyses.posterior_analysis import PosteriorAnalysis as PosteriorAnalysis
from primum.trials.analyses.posterior_superiority import PosteriorSuperiority as PosteriorSuperiority
from primum.trials.analyses.randomisation_test import RandomisationTest as RandomisationTest
from primum.trials.analyses.unconditional_exact import UnconditionalExact as UnconditionalExact
from primum.trials.analyses.weighted_likelihood_ratio import WeightedLikelihoodRatio as WeightedLikelihoodRatio
from primum.trials.analyses.welch_t import WelchT as WelchT
from primum.trials.analyses.z_analysis import ZAnalysis as ZAnalysis
