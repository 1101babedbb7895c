"""The clinical data, against figures computed from the published table by other means."""

import numpy as np
import pytest

from primum.errors import UnknownNameError
from primum.rewards import veterans_lung_cancer
from primum.values import MeanVariance

# scale: means, variances and mean - variance of the two arms; the rho at which the two are equally good
KNOWN = {
    "categories": ((1.7826, 1.8382), (1.0977, 3.2238), (0.6849, -1.3856), 0.026),
    "tenths": ((0.17826, 0.18382), (0.010977, 0.032238), (0.16728, 0.15159), 0.262),
    "unit": ((0.086957, 0.093137), (0.013551, 0.039800), (0.073405, 0.053337), 0.235),
    "days": ((0.115145, 0.128206), (0.01252604, 0.03701608), (0.10262, 0.09119), None),
}


@pytest.mark.parametrize("scale", KNOWN)
def test_known_figures(scale):
    arms = veterans_lung_cancer(scale)
    assert list(arms) == ["standard", "test"]
    means, variances, worths, critical = KNOWN[scale]
    for arm, mean, variance, worth in zip(arms.values(), means, variances, worths, strict=True):
        digits = 6e-5 if scale == "categories" else 6e-6
        assert arm.mean == pytest.approx(mean, abs=digits)
        assert arm.variance == pytest.approx(variance, abs=digits)
        assert MeanVariance(1.0).true_value(arm) == pytest.approx(worth, abs=digits)
    standard, test = arms.values()
    assert test.mean > standard.mean
    assert test.variance > standard.variance
    if critical:
        rho = (test.mean - standard.mean) / (test.variance - standard.variance)
        assert rho == pytest.approx(critical, abs=6e-4)


def test_counts():
    standard, test = veterans_lung_cancer("categories").values()
    assert np.bincount(np.array(standard.data, int), minlength=11)[1:].tolist() == [35, 22, 7, 3, 1, 1, 0, 0, 0, 0]
    assert np.bincount(np.array(test.data, int), minlength=11)[1:].tolist() == [47, 8, 5, 4, 1, 1, 0, 0, 0, 2]


def test_days():
    standard, test = (np.array(arm.data) * 1000 for arm in veterans_lung_cancer("days").values())
    assert (np.median(standard), standard.min(), standard.max()) == pytest.approx((97, 3, 553))
    assert (np.median(test), test.min(), test.max()) == pytest.approx((52.5, 1, 999))


def test_unknown_scale():
    with pytest.raises(UnknownNameError, match="no scale named 'tenth'; did you mean 'tenths'?"):
        veterans_lung_cancer("tenth")
