"""Safety values: functionals of a reward distribution that define the best arm."""

from primum import errors
from primum.values.cvar import CVaR
from primum.values.entropic import Entropic
from primum.values.formula import Formula
from primum.values.lower_partial_moment import LowerPartialMoment
from primum.values.mean import Mean
from primum.values.mean_cvar import MeanCVaR
from primum.values.mean_gini import MeanGini
from primum.values.mean_std import MeanStd
from primum.values.mean_variance import MeanVariance
from primum.values.quantile import Quantile
from primum.values.restricted_mean import RestrictedMean
from primum.values.safety_value import MomentValue, SafetyValue, TailValue
from primum.values.semivariance import Semivariance
from primum.values.sharpe import Sharpe
from primum.values.spectral import Spectral
from primum.values.threshold import Threshold

__all__ = [
    "CVaR",
    "Entropic",
    "Formula",
    "LowerPartialMoment",
    "Mean",
    "MeanCVaR",
    "MeanGini",
    "MeanStd",
    "MeanVariance",
    "MomentValue",
    "Quantile",
    "RestrictedMean",
    "SafetyValue",
    "Semivariance",
    "Sharpe",
    "Spectral",
    "TailValue",
    "Threshold",
]

errors.offer_nearest_names(__name__)
