"""The posterior probability of superiority for any outcomes, by a normal approximation."""

from __future__ import annotations

from dataclasses import dataclass

from primum.trials.analyses.posterior_analysis import PosteriorAnalysis
from primum.trials.analyses.welch_t import WelchT, errors
from primum.trials.data import Floats, TrialData

WELCH_T = WelchT()


@dataclass(frozen=True)
class NormalSuperiority(PosteriorAnalysis):
    """P(mean of the arm > mean of the control | data) for any outcomes, with a flat prior of both means.

    The posterior distribution of a mean is taken as normal with the variance of the outcomes over their number. 1/2
    where an arm has fewer than two outcomes, or the outcomes of both arms are constant.

    >>> from primum.trials import Design, TrialData
    >>> import numpy as np
    >>> rule = NormalSuperiority(sided="greater", threshold=0.9)
    >>> design = Design(arms=["control", "new"], patients=7, policy="uniform-random", analysis=rule)
    >>> data = TrialData(design, np.array([[3, 4]]), np.array([[1.2, 2.6]]), np.array([[0.07, 0.03]]))
    >>> rule.statistic(data).round(4).tolist(), rule.rejections(data).tolist()
    ([[0.9227]], [[True]])
    """

    title = "Posterior superiority, normal"
    interval = "credible interval"

    def statistic(self, data: TrialData) -> Floats:
        from scipy.special import ndtr

        probability: Floats = ndtr(WELCH_T.statistic(data))
        return probability

    def interval_ends(self, data: TrialData, level: float) -> tuple[Floats, Floats]:
        from scipy.special import ndtri

        half = errors(data)[0] * ndtri((1 + level) / 2)
        middle = data.means[:, 1:] - data.means[:, :1]
        return middle - half, middle + half
