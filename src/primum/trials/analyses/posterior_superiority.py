"""The posterior probability of superiority for outcomes 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

from primum.kernels.posteriors import probability_superior
from primum.plugins.parameters import parameter
from primum.trials.analyses.posterior_analysis import PosteriorAnalysis
from primum.trials.data import Floats, TrialData


@dataclass(frozen=True)
class PosteriorSuperiority(PosteriorAnalysis):
    """P(rate of the arm > rate of the control | data) for outcomes 0 and 1, with independent Beta priors.

    >>> from primum.trials import Design, TrialData
    >>> rule = PosteriorSuperiority(sided="greater", threshold=0.95)
    >>> design = Design(arms=["control", "new"], patients=40, policy="uniform-random", analysis=rule)
    >>> data = TrialData.from_successes(design, counts=[[20, 20]], successes=[[6, 12]])
    >>> rule.statistic(data).round(4).tolist(), rule.rejections(data).tolist()
    ([[0.9692]], [[True]])
    """

    title = "Posterior superiority"
    binary = True

    prior_successes: float = parameter(1.0, "first parameter of the Beta prior", low=0.0, open_low=True)
    prior_failures: float = parameter(1.0, "second parameter of the Beta prior", low=0.0, open_low=True)

    def statistic(self, data: TrialData) -> Floats:
        failures = data.counts - data.sums
        return probability_superior(data.sums + self.prior_successes, failures + self.prior_failures)[:, 1:]
