"""The short form of each campaign; those by which patients' data might be lost, in make test."""

from __future__ import annotations

import pytest

from tests.campaigns import NAMES, campaign

ALWAYS = {"killed_stores", "killed_trials"}
CAMPAIGNS = [name if name in ALWAYS else pytest.param(name, marks=pytest.mark.long) for name in NAMES]


@pytest.mark.slow
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_nothing_breaks(name):
    module = campaign(name)
    assert module.run(module.SHORT, seed=1)
