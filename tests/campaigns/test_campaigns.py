"""The short form of each campaign."""

from __future__ import annotations

import pytest

from tests.campaigns import NAMES, campaign


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_nothing_breaks(name):
    module = campaign(name)
    assert module.run(module.SHORT, seed=1)
