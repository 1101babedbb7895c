"""Names, specs and texts; declared parameters and what they say."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primum import policies, registry, rewards, values
from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.parameters import Parameter
from tests.problems import ARMS, POLICIES, VALUES

MIXTURE = rewards.TruncatedNormalMixture(locations=[0.1, 0.25], deviations=[0.5, 1.0])


@pytest.mark.parametrize("plugin", [*POLICIES, *VALUES, *ARMS, MIXTURE], ids=str)
def test_spec_and_text_give_the_object_back(plugin):
    assert registry.build(plugin.family, plugin.spec()) == plugin
    assert registry.build(plugin.family, plugin.label) == plugin


def test_labels_name_what_differs_from_the_default():
    assert policies.BesaPlus().label == "besa-plus"
    assert policies.BesaPlus(floor=2).label == "besa-plus(floor=2)"
    assert values.CVaR(alpha=0.05, estimator="chen").label == "cvar(alpha=0.05, estimator='chen')"


def test_the_reference_is_a_paragraph_of_the_docstring():
    assert policies.Besa.reference() == (
        'Baransi, Maillard, Mannor, "Sub-sampling for multi-armed bandits", ECML-PKDD 2014, Algorithm 1.'
    )
    assert "\n" not in policies.BesaPlus().reference()
    assert policies.BesaPlus.reference().endswith("2019 (arXiv:1903.01026), Algorithm 1.")
    assert rewards.Bernoulli.reference() == ""


def test_whole_and_floating_numbers_make_equal_objects():
    assert policies.BesaPlus(floor=2) == policies.BesaPlus(floor=2.0)
    assert hash(policies.BesaPlus(floor=2)) == hash(policies.BesaPlus(floor=2.0))


@given(st.floats(0, 1e300), st.floats(1e-300, 1))
def test_texts_keep_every_digit(floor, alpha):
    for plugin in (policies.BesaPlus(floor=floor), values.CVaR(alpha=alpha)):
        assert registry.build(plugin.family, plugin.label) == plugin


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_in_a_sentence(text):
    try:
        spec = registry.parse(text)
    except PrimumError:
        return
    assert spec["name"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("besa-plus(floor=2", "cannot read 'besa-plus\\(floor=2'"),
        ("besa-plus(2)", "cannot read '2'"),
        ("besa-plus(floor=two)", "floor must be a number in \\[0, inf\\), got 'two'"),
        ({"floor": 2}, "a policy is given by its name"),
        ({"name": 3}, "no policy named '3'"),
        ({"name": ["a"]}, "no policy named"),
        ("uniform-random(x=1)", "no parameter named 'x'"),
    ],
)
def test_what_cannot_be_built_is_said(spec, message):
    with pytest.raises(PrimumError, match=message):
        registry.build("policies", spec)


def test_the_nearest_name_is_offered():
    with pytest.raises(UnknownNameError, match="no policy named 'besa-pluss'; did you mean 'besa-plus'?"):
        registry.find("policies", "besa-pluss")
    with pytest.raises(UnknownNameError, match="known: besa, besa-plus"):
        registry.find("policies", "xyz")


@pytest.mark.parametrize(
    ("rule", "value", "message"),
    [
        (Parameter("", low=0, high=1, open_low=True), 1.5, r"alpha must be in \(0, 1\], got 1.5"),
        (Parameter("", low=0, high=1, open_low=True), 0, r"alpha must be in \(0, 1\], got 0"),
        (Parameter("", low=0), math.nan, r"alpha must be a number in \[0, inf\), got nan"),
        (Parameter(""), math.inf, "alpha must be a finite number, got inf"),
        (Parameter(""), 10**400, "alpha must be a finite number, got inf"),
        (Parameter(""), "1", "alpha must be a finite number, got '1'"),
        (Parameter(""), True, "alpha must be a finite number, got True"),
        (Parameter("", integer=True), 1.5, "alpha must be a finite whole number, got 1.5"),
        (Parameter("", choices=("ceil", "chen")), "cell", "alpha: no choice named 'cell'; did you mean 'ceil'"),
        (Parameter("", choices=("ceil", "chen")), 1, "alpha must be one of 'ceil', 'chen', got 1"),
        (Parameter("", many=True), 1.0, "alpha must be a list, each a finite number, got 1.0"),
        (Parameter("", many=True), "12", "alpha must be a list"),
        (Parameter("", many=True, low=0), [1, -1], r"alpha\[1\] must be in \[0, inf\), got -1"),
        (Parameter("", low=0), abs, "must be a number in .* got the callable"),
    ],
)
def test_parameters_say_what_is_allowed(rule, value, message):
    with pytest.raises(ParameterError, match=message):
        rule.check("alpha", value)


def test_large_whole_numbers_keep_their_digits():
    assert Parameter("", integer=True).check("seed", 2**60 + 1) == 2**60 + 1


def test_too_many_parameters_for_the_kernels():
    plugin = type(
        "Greedy7",
        (values.SafetyValue,),
        {"__annotations__": {f"p{i}": float for i in range(7)}, "estimate": staticmethod(lambda sample: 0.0)},
    )
    import dataclasses

    cls = dataclasses.dataclass(frozen=True)(plugin)
    with pytest.raises(PrimumError, match="declares 7 parameters; kernels take at most 6"):
        cls(*range(7)).packed()
