"""What a page can pick from, the built-in and anybody's."""

import json
from dataclasses import dataclass

import pytest

import primum
from primum import policies, rewards, values
from primum.lab.drafts.catalogue import catalogue, form
from primum.plugins import registry
from primum.plugins.groups import ORDER
from primum.plugins.parameters import parameter
from primum.web.middleware import LARGEST_BODY

EVERYTHING = [(family, name) for family in registry.FAMILIES for name in registry.names(family)]


def test_everything_registered_is_in_it():
    told = catalogue()
    for family in registry.FAMILIES:
        assert [plugin.name for plugin in getattr(told, family)] == registry.names(family)
    assert told.version == primum.__version__
    assert told.limits == {
        "arms": 50,
        "policies": 12,
        "horizon": 1e6,
        "replications": 1e5,
        "seed": 2**53 - 1,
        "upload": LARGEST_BODY,
    }
    json.dumps(told.model_dump(mode="json"), allow_nan=False)


def test_policies_are_grouped_by_the_value_they_learn():
    told = catalogue()
    of = {form.name: form.group for form in told.policies}
    assert {of[name] for name in ("besa-plus", "npts", "epsilon-greedy")} == {"Any value"}
    assert {of[name] for name in ("besa", "thompson", "ucb1")} == {"Mean"}
    assert (of["mv-lcb"], of["marab"], of["ra-ucb"]) == ("Mean-variance", "Conditional value at risk", "Entropic risk")
    assert (of["min"], of["permuted-blocks"], of["oracle"]) == (
        "Worst outcome",
        "Allocation rules of trials",
        "Baselines",
    )
    for family, order in ORDER.items():
        ours = [
            form for form in getattr(told, family) if registry.find(family, form.name).__module__.startswith("primum.")
        ]
        assert {form.group for form in ours} == set(order), "no group of ours is misspelt or empty"
        assert tuple(told.groups[family])[: len(order)] == order


def test_the_requirements_of_policies_are_told():
    needs = {form.name: form.needs for form in catalogue().policies}
    assert needs["besa-plus"] == []
    assert needs["thompson"] == ["rewards in [0, 1]"]
    assert needs["cvar-ucb"] == ["the horizon", "rewards in (-inf, 1]"]
    assert needs["u-ucb"] == ["rewards in [0, 1]", "a value whose lipschitz is known"]
    assert needs["oracle"] == ["the true values"]


def test_another_authors_classes_are_in_their_groups(fresh_registry):
    class Mine(policies.Policy):
        """Mine."""

        @property
        def own_value(self):
            return {"name": "cvar", "alpha": 0.3}

        @staticmethod
        def choose(history):
            return 0

    class Urn(Mine):
        """Mine too."""

        group = "Urns"

    class Wrong(Mine):
        """Without a group that can be shown."""

        group = 5

    class Plain(values.Mean):
        """Says nothing."""

        group = ""

    told = catalogue()
    of = {form.name: (form.group, form.fault) for form in (*told.policies, *told.values)}
    assert (of["mine"], of["urn"]) == (("Conditional value at risk", ""), ("Urns", ""))
    assert of["plain"] == ("Other", "")
    assert of["wrong"] == ("Other", "Wrong: group must be a text, got 5")
    assert told.groups["policies"] == [*ORDER["policies"], "Urns", "Other"]


@pytest.mark.parametrize(("family", "name"), EVERYTHING)
def test_a_new_form_can_be_built(family, name):
    told = form(registry.find(family, name))
    assert told.fault == ""
    assert told.summary
    built = registry.build(family, told.start)
    assert set(told.start) == set(built.spec()), "the start gives all parameters"
    for one in told.parameters:
        assert one.text, one.name
        assert one.default is None or one.start == one.default


@pytest.mark.parametrize(("family", "name"), EVERYTHING)
def test_both_ends_of_each_slider_are_allowed(family, name):
    rules = registry.parameters_of(registry.find(family, name))
    for one in form(registry.find(family, name)).parameters:
        assert (one.slider is None) == (one.many or one.kind not in ("number", "integer"))
        if one.slider:
            low, high = one.slider
            assert low <= one.start <= high
            assert low < high
            for end in one.slider:
                rules[one.name][0].check(one.name, end)
            assert not one.logarithmic or low > 0


def parameters(family: str, name: str):
    return {one.name: one for one in form(registry.find(family, name)).parameters}


def test_sliders():
    assert parameters("rewards", "bernoulli")["probability"].slider == (0, 1)
    assert parameters("values", "cvar")["alpha"].slider == (0.001, 1)
    assert parameters("values", "quantile")["level"].slider == (0.001, 0.999)
    assert parameters("values", "mean-variance")["rho"].slider == (0, 5)
    assert parameters("rewards", "truncated-normal")["location"].slider == (-1, 2)
    weight = parameters("rewards", "beta")["a"]
    assert (weight.slider, weight.logarithmic) == ((0.1, 40), True)
    assert parameters("policies", "mts")["levels"].slider == (2, 200)


def test_kinds():
    known = parameters("rewards", "mixture")["components"]
    assert (known.kind, known.family, known.many) == ("plugin", "rewards", True)
    assert parameters("values", "formula")["text"].kind == "text"
    estimator = parameters("values", "cvar")["estimator"]
    assert (estimator.kind, estimator.choices) == ("choice", ["fractional", "ceil", "chen"])
    assert parameters("policies", "mts")["levels"].kind == "integer"


def test_another_authors_class(fresh_registry):
    @dataclass(frozen=True)
    class Cautious(values.SafetyValue):
        """Something of mine."""

        strength: float = parameter(text="how cautious", low=10.0, high=20.0, open_low=True)
        steps: int = parameter(text="how often", low=3, integer=True)

        @staticmethod
        def estimate(sample, strength, steps):
            return sample.mean()

    told = next(value for value in catalogue().values if value.name == "cautious")
    assert (told.summary, told.fault) == ("Something of mine.", "")
    assert told.start == {"name": "cautious", "strength": 15, "steps": 4}
    assert told.parameters[0].slider == (10.01, 20)


def test_a_class_that_cannot_be_started_is_listed_with_its_fault(fresh_registry):
    @dataclass(frozen=True)
    class Odd(rewards.RewardDistribution):
        """Takes odd numbers of points alone."""

        points: tuple[float, ...] = parameter(text="the points", many=True)

        def __post_init__(self):
            if len(self.points) % 2 == 0:
                raise RuntimeError("an even number")

    told = next(each for each in catalogue().rewards if each.name == "odd")
    assert told.fault == "RuntimeError: an even number"
    assert told.parameters[0].name == "points"

    @dataclass(frozen=True)
    class Broken(rewards.RewardDistribution):
        """Has a default that is no number."""

        width: float = parameter("wide", text="how wide")

    assert "width" in form(Broken).fault or "str" in form(Broken).fault
