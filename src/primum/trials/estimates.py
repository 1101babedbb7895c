"""Estimates of the difference between each arm and the control, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, quoted
from primum.trials.data import Floats, TrialData

UNDEFINED = (
    "Weighting by allocation probabilities needs patients that could have been allocated to either arm. Here some "
    "patients had no chance to be allocated to one of the arms, so the estimate is not defined."
)


@dataclass(frozen=True)
class Estimate:
    """Estimates with standard errors and confidence intervals: trial x comparison, all NaN where not `defined`."""

    estimate: Floats
    error: Floats
    low: Floats
    high: Floats

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Where there is an estimate with an interval."""
        return np.asarray(np.isfinite(self.estimate))


def wald(estimate: Floats, error: Floats, level: float, centre: Floats | None = None) -> Estimate:
    """Estimates with intervals from the normal distribution, about the estimate unless another `centre` is given."""
    from scipy.special import ndtri

    if not 0 < level < 1:
        raise ParameterError(f"level must be in (0, 1), got {quoted(level)}", ("level",))
    defined = np.isfinite(estimate) & np.isfinite(error)
    estimate, error = np.where(defined, estimate, np.nan), np.where(defined, error, np.nan)
    middle = estimate if centre is None else np.where(defined, centre, np.nan)
    half = ndtri((1 + level) / 2) * error
    return Estimate(estimate, error, middle - half, middle + half)


def naive_difference(data: TrialData, level: float = 0.95) -> Estimate:
    """The difference of means between each arm and the control, as if allocation had been fixed in advance.

    Where all outcomes of both arms are 0 or 1 the interval is that of Agresti and Caffo (The American Statistician 54,
    2000), a Wald interval with a success and a failure added to each arm, because adaptive allocation leaves arms with
    few patients, where the plain one has no width. Otherwise it is the Wald interval with the unbiased variances of the
    two arms, not defined for fewer than two outcomes.

    >>> from primum.trials import Design, TrialData
    >>> design = Design(arms=["control", "new"], patients=40, policy="uniform-random", analysis="pooled-z")
    >>> data = TrialData.from_successes(design, counts=[[20, 20]], successes=[[6, 12]])
    >>> found = naive_difference(data)
    >>> [each.round(4).tolist() for each in (found.estimate, found.low, found.high)]
    [[[0.3]], [[-0.0103]], [[0.5557]]]
    """
    means = data.means
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = data.variances / data.counts
    plain = means[:, 1:] - means[:, :1]
    two_valued = data.two_valued
    enlarged = (data.sums + 1) / (data.counts + 2)
    shrunken = enlarged * (1 - enlarged) / (data.counts + 2)
    agresti_caffo = two_valued[:, 1:] & two_valued[:, :1]
    squared = np.where(agresti_caffo, shrunken[:, 1:] + shrunken[:, :1], parts[:, 1:] + parts[:, :1])
    centre = np.where(agresti_caffo, enlarged[:, 1:] - enlarged[:, :1], plain)
    return wald(plain, np.sqrt(squared), level, centre)


def inverse_probability_weighted(data: TrialData, chances: Floats, level: float = 0.95) -> Estimate:
    """The difference of means, each outcome weighted by the reciprocal of its allocation probability.

    `chances` are the allocation probabilities given what was known, trial x patient x arm. Unbiased under any adaptive
    allocation; the interval takes the estimate as normal, which is rough where probabilities become small. Not defined
    (NaN) where a patient had no chance to be allocated to one of the two arms, see `UNDEFINED`.

    >>> from primum.trials import Design, TrialData
    >>> import numpy as np
    >>> design = Design(arms=["control", "new"], patients=4, policy="uniform-random", analysis="pooled-z")
    >>> arm, outcome = np.array([[0, 1, 1, 1]]), np.array([[1.0, 0.0, 1.0, 1.0]])
    >>> chances = np.array([[[0.5, 0.5], [0.5, 0.5], [0.2, 0.8], [0.2, 0.8]]])
    >>> data = TrialData(design, np.array([[1, 3]]), np.array([[1.0, 2.0]]), np.array([[np.nan, 1 / 3]]), arm, outcome)
    >>> inverse_probability_weighted(data, chances).estimate.tolist()
    [[0.125]]
    """
    known, outcome, given = _known(data, chances)
    number = known.sum(axis=1)[:, None]
    scores = _weighted(given, outcome[:, :, None], chances)
    differences = np.where(known[:, :, None], scores[:, :, 1:] - scores[:, :, :1], 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = differences.sum(axis=1) / number
        deviations = np.where(known[:, :, None], differences - estimate[:, None, :], 0.0)
        error = np.sqrt((deviations**2).sum(axis=1)) / number
    return wald(np.where(_reachable(known, chances), estimate, np.nan), error, level)


def adaptively_weighted_aipw(data: TrialData, chances: Floats, level: float = 0.95) -> Estimate:
    """The difference of adaptively weighted augmented inverse-probability weighted means.

    The score of patient t for arm k is m_t(k) + 1{A_t = k} (Y_t - m_t(k)) / e_t(k), m_t(k) the mean of earlier outcomes
    of the arm (0 before the first), and scores are averaged with weights sqrt(e_t(k)), the paper's constant allocation
    of variance. The studentised estimate is then asymptotically normal, where that of plain weighting need not be; the
    variances of the two arms add up. Not defined (NaN) where a patient had no chance to be allocated to one of the two
    arms, see `UNDEFINED`.

    Reference: Hadad, Hirshberg, Zhan, Wager, Athey, PNAS 118(15), 2021.

    >>> from primum.trials import Design, TrialData
    >>> import numpy as np
    >>> design = Design(arms=["control", "new"], patients=4, policy="uniform-random", analysis="pooled-z")
    >>> arm, outcome = np.array([[0, 1, 1, 1]]), np.array([[1.0, 0.0, 1.0, 1.0]])
    >>> chances = np.array([[[0.5, 0.5], [0.5, 0.5], [0.2, 0.8], [0.2, 0.8]]])
    >>> data = TrialData(design, np.array([[1, 3]]), np.array([[1.0, 2.0]]), np.array([[np.nan, 1 / 3]]), arm, outcome)
    >>> adaptively_weighted_aipw(data, chances).estimate.round(4).tolist()
    [[-0.6431]]
    """
    known, outcome, given = _known(data, chances)
    seen: Floats = np.cumsum(given, axis=1, dtype=np.float64) - given
    total = np.cumsum(given * outcome[:, :, None], axis=1) - given * outcome[:, :, None]
    fitted = np.divide(total, seen, out=np.zeros(total.shape), where=seen > 0)
    scores = fitted + _weighted(given, outcome[:, :, None] - fitted, chances)
    weights = np.where(known[:, :, None], np.sqrt(chances), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = weights.sum(axis=1)
        means = (weights * scores).sum(axis=1) / whole
        squared = (weights**2 * (scores - means[:, None, :]) ** 2).sum(axis=1) / whole**2
    estimate = np.where(_reachable(known, chances), means[:, 1:] - means[:, :1], np.nan)
    return wald(estimate, np.sqrt(squared[:, 1:] + squared[:, :1]), level)


def _known(data: TrialData, chances: Floats) -> tuple[NDArray[np.bool_], Floats, NDArray[np.bool_]]:
    """Whose outcomes are known, the outcomes, 0 for others, and who of them was allocated to each arm."""
    if data.arm is None or data.outcome is None:
        raise ParameterError("weighting by allocation probabilities needs patients one by one, got counts alone")
    shape = (*data.arm.shape, data.counts.shape[1])
    if chances.shape != shape:
        raise ParameterError(
            f"chances must be an array trial x patient x arm, here {shape}, got {chances.shape}", ("chances",)
        )
    known = (data.arm >= 0) & np.isfinite(data.outcome)
    given = known[:, :, None] & (data.arm[:, :, None] == np.arange(shape[2]))
    return known, np.where(known, data.outcome, 0.0), given


def _weighted(given: NDArray[np.bool_], outcome: Floats, chances: Floats) -> Floats:
    """Outcomes over allocation probabilities, 0 for arms that were not given: trial x patient x arm."""
    return np.divide(outcome, chances, out=np.zeros(chances.shape), where=given & (chances > 0))


def _reachable(known: NDArray[np.bool_], chances: Floats) -> NDArray[np.bool_]:
    """Whether every patient might have been allocated to the arm and to the control: trial x comparison."""
    possible = np.all((chances > 0) | ~known[:, :, None], axis=1) & np.any(known, axis=1)[:, None]
    return np.asarray(possible[:, 1:] & possible[:, :1])
