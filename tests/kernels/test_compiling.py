"""What is connected to a policy, and what is not."""

from __future__ import annotations

import numpy as np

from primum import policies, values
from primum.kernels import value_of_subsample
from primum.kernels.contract import Histories, history_of
from primum.kernels.native import compiling


def look(histories, out):
    out[0] = value_of_subsample(history_of(histories, 0), 0, 2)


def test_a_function_that_was_not_connected_is_a_fault_and_no_crash():
    """uniform-random looks at no value, so nothing that evaluates one is compiled for it."""
    histories = Histories(1, 1, 5, 5, values.Mean(), policies.UniformRandom())
    compiling.connect(histories)
    histories.begin(0, [0])
    histories.arrays["rewards"][0, 0] = 0.5
    histories.arrays["pulls"][0, 0] = 5
    out = np.zeros(1)
    compiling.compiled(look)(histories.words, out)
    assert np.isnan(out[0])
    assert histories[0].fault == -1
