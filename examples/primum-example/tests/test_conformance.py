"""The public checks of Primum, on each plug-in and on some of its parameters."""

import pytest
from primum_example import ExpectedUtility, Kumaraswamy, Satisficer

from primum import checks

PLUGINS = [
    ExpectedUtility(),
    ExpectedUtility(aversion=0.1),
    Kumaraswamy(),
    Kumaraswamy(a=0.6, b=0.5),
    Satisficer(),
    Satisficer(target=0.9),
]


@pytest.mark.parametrize("plugin", PLUGINS, ids=str)
def test_it_conforms(plugin):
    checks.assert_conforms(plugin)
