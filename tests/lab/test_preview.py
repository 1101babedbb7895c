"""What is said of a draft, right or half right, and of what strangers send."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from primum import policies, rewards, values
from primum.lab.drafts import time_limit
from primum.lab.drafts.catalogue import catalogue
from primum.lab.drafts.presets import preset, presets
from primum.lab.drafts.preview import preview
from primum.plugins import registry
from primum.problem import Problem
from tests.lab.questions import data


def arms(*distributions):
    return [{"name": f"arm {i + 1}", "distribution": given} for i, given in enumerate(distributions)]


def previewed(**changes):
    return preview(data(**changes))


def names(*plugins):
    return [plugin.display_name for plugin in plugins]


def errors(**changes):
    return previewed(**changes).errors


def test_a_question_that_is_right():
    shown = previewed(value="mean-variance", policies=["besa-plus", "kl-ucb"], title="mine")
    assert shown.errors == {}
    standard, new = shown.arms
    assert (standard.value, standard.rank, standard.best) == (0.4, 2, False)
    assert (standard.low, standard.high, standard.mean, standard.deviation) == (0.4, 0.4, 0.4, 0)
    assert (new.gap, new.rank, new.best) == (0, 1, True)
    assert (new.value, standard.gap) == pytest.approx((0.5 - 1 / 12, 0.1 - 1 / 12))
    assert shown.best == ["new"]
    assert shown.value.well_behaved
    assert shown.value.sentence.startswith(f"{values.MeanVariance().display_name} is well-behaved")
    assert [policy.label for policy in shown.policies] == [policies.BesaPlus.title, policies.KlUcb.title]
    assert "Needs rewards in [0, 1]." in shown.policies[1].facts
    others = names(values.Mean(), values.CVaR(), values.Quantile(), values.Entropic())
    assert [other.value for other in shown.alternatives] == others
    assert [other.best for other in shown.alternatives] == [["new"], ["standard"], ["new"], ["new"]]
    assert [other.differs for other in shown.alternatives] == [False, True, False, False]
    assert shown.verdict == (
        f"'new' is best by {values.MeanVariance().display_name}, 0.0167 ahead of 'standard'. "
        f"{values.CVaR().display_name} would choose 'standard'."
    )


def test_another_estimator_is_no_alternative():
    found = [
        [other.value for other in previewed(value=value).alternatives] for value in ("cvar", "cvar(estimator='chen')")
    ]
    assert found[0] == found[1] == names(values.Mean(), values.MeanVariance(), values.Quantile(), values.Entropic())
    assert values.CVaR().display_name in [other.value for other in previewed(value="cvar(alpha=0.2)").alternatives]


def test_a_value_is_called_by_its_display_name():
    shown = previewed(value="formula(text='mean - 2 * var')")
    name = values.Formula("mean - 2 * var").display_name
    assert shown.value.label == name
    assert shown.value.sentence.startswith(f"{name} is well-behaved")
    assert shown.verdict.startswith(f"'standard' is best by {name}, ")


def test_numbers_that_are_not_given_have_defaults_and_whole_floats_will_do():
    given = data(horizon=50.0)
    del given["seed"], given["replications"]
    assert preview(given).errors == {}


@pytest.mark.parametrize("each", presets(), ids=lambda each: each.name)
def test_presets_are_right(each):
    question = preset(each.name, {})
    shown = preview(json.loads(question.model_dump_json()))
    assert shown.errors == {}
    problem = Problem({arm.name: arm.distribution for arm in question.arms}, question.value)
    assert [arm.value for arm in shown.arms] == problem.true_values.tolist()
    assert [arm.gap for arm in shown.arms] == problem.gaps.tolist()


@pytest.mark.parametrize(
    ("changes", "place", "sentence"),
    [
        ({"arms": []}, "arms", "arms must be a list of 1 to 50 arms, got []"),
        (
            {"arms": arms(None)},
            "arms[0].distribution",
            "a reward distribution is given by its name and parameters, got None",
        ),
        ({"arms": arms({"name": "uniform", "low": 2, "high": 1})}, "arms[0].distribution.low", "low must be less than"),
        ({"arms": arms({"name": "bernoulli"})}, "arms[0].distribution.probability", "probability is missing; it must"),
        (
            {"arms": arms({"name": "bernoulli", "probability": 1, "p": 1})},
            "arms[0].distribution.p",
            "no parameter named 'p'; known: probability",
        ),
        ({"arms": arms({"name": "bernouli"})}, "arms[0].distribution", "did you mean 'bernoulli'?"),
        ({"arms": arms("uniform(low=2, high=1)")}, "arms[0].distribution.low", "low must be less than high"),
        ({"arms": arms(3)}, "arms[0].distribution", "given by its name and parameters, got 3"),
        (
            {"arms": arms({"name": "mixture", "components": ["uniform", {"name": "beta", "a": 0, "b": 1}]})},
            "arms[0].distribution.components[1].a",
            "beta: a must be in [0.01, 1e+06], got 0",
        ),
        (
            {"arms": arms({"name": "clipped", "distribution": {"name": "discrete", "values": [1, 2]}})},
            "arms[0].distribution.distribution.probabilities",
            "probabilities is missing",
        ),
        (
            {"arms": arms({"name": "scipy", "distribution": "levy_stable", "shapes": [1.5, 0]})},
            "arms[0].distribution",
            "has no finite variance",
        ),
        ({"arms": arms("scipy(distribution='cauchy')")}, "arms[0].distribution", "has no finite mean; put clipped"),
        (
            {"arms": arms({"name": "empirical", "data": [0.5] * 50_001})},
            "arms",
            "can have at most 50000 numbers, got 50001",
        ),
        ({"arms": [{"name": " ", "distribution": "uniform"}]}, "arms[0].name", "must be a text that is not empty"),
        (
            {"arms": [{"name": "a", "distribution": "uniform"}, {"name": "a", "distribution": "constant(value=1)"}]},
            "arms[1].name",
            "arms must differ, got 'a' twice",
        ),
        ({"value": None}, "value", "a value is given by its name and parameters, got None"),
        ({"value": {"name": "cvar", "alpha": 1.5}}, "value.alpha", "alpha must be in (0, 1], got 1.5"),
        ({"value": {"name": "formula", "text": "mean - vra"}}, "value.text", "did you mean 'var'?"),
        ({"value": {"name": "formula", "text": "(" * 10_000}}, "value.text", "at most 500 characters, got 10000"),
        ({"value": {"name": "formula", "text": "log(mean - 5)"}}, "value", "is nan, not a number"),
        ({"policies": []}, "policies", "policies must be a list of 1 to 12 policies by their names, got []"),
        ({"policies": [{"name": "besa-plus", "floor": -1}]}, "policies[0].floor", "floor must be in [0, inf), got -1"),
        ({"policies": ["besa", "ucb1", {"name": "besa"}]}, "policies[2]", "policies must differ, got 'besa' twice"),
        ({"horizon": "ten"}, "horizon", "horizon must be a whole number in [2, 1000000], got 'ten'"),
        ({"horizon": None}, "horizon", "horizon must be a whole number in [2, 1000000], got None"),
        ({"replications": 0}, "replications", "replications must be a whole number in [1, 100000], got 0"),
        ({"replications": 2.5}, "replications", "got 2.5"),
        ({"seed": 2**53}, "seed", "seed must be a whole number in [0, 2^53 - 1], got 9007199254740992"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(changes, place, sentence):
    shown = previewed(**changes)
    assert list(shown.errors) == [place]
    assert sentence in shown.errors[place]


def test_what_is_right_is_still_looked_at():
    broken = {"name": "uniform", "low": 1, "high": 0}
    shown = previewed(arms=[*arms("constant(value=0.4)", broken), {"name": "", "distribution": "uniform"}], seed=-1)
    first, second, third = shown.arms
    assert (first.value, first.rank, first.best) == (0.4, 1, True)
    assert second is None
    assert (third.mean, third.value, third.rank) == (0.5, None, None), "without a name it has no rank"
    assert shown.verdict == "'arm 1' is the only arm."
    valueless = previewed(value="men")
    assert [arm.mean for arm in valueless.arms] == [0.4, 0.5]
    assert [arm.value for arm in valueless.arms] == [None, None]
    assert valueless.verdict == ""
    assert [policy.fault for policy in valueless.policies] == ["", ""]


def test_an_arm_that_the_value_does_not_exist_for():
    heavy = "scipy(distribution='t', shapes=[2.5])"
    shown = previewed(arms=arms("uniform", heavy), value="entropic", policies=["besa-plus"])
    assert list(shown.errors) == ["arms[1].distribution"]
    assert shown.arms[0].rank == 1
    assert shown.arms[1].value is None
    assert shown.best == ["arm 1"]


def test_a_policy_that_cannot_play_here():
    shown = previewed(arms=arms("uniform", "uniform(low=0, high=2)"), policies=["besa-plus", "kl-ucb"])
    assert shown.errors == {}
    assert shown.policies[0].fault == ""
    assert shown.policies[1].fault.startswith("KL-UCB needs rewards in [0, 1], and arm 'arm 2'")


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (["uniform"], "'arm 1' is the only arm."),
        (["uniform", "uniform"], f"All 2 arms are equally good by {values.Mean().display_name}: no choice is wrong. "),
        (
            ["bernoulli(probability=0.3)", "bernoulli(probability=0.7)", "bernoulli(probability=0.7)"],
            f"'arm 2' and 'arm 3' are equally good by {values.Mean().display_name}, 0.4 ahead of 'arm 1'. ",
        ),
        (
            ["uniform", "constant(value=0.45)", "bernoulli(probability=0.5)"],
            f"'arm 1' and 'arm 3' are equally good by {values.Mean().display_name}, 0.05 ahead of 'arm 2'. "
            f"{values.MeanVariance().display_name} and {values.CVaR().display_name} would choose 'arm 2'; "
            f"{values.Quantile().display_name} and {values.Entropic().display_name} would choose 'arm 1'.",
        ),
    ],
)
def test_verdicts(given, verdict):
    assert previewed(arms=arms(*given)).verdict.startswith(verdict)


def test_arms_that_are_equally_good_share_a_rank():
    given = ["constant(value=0.2)", "constant(value=0.9)", "constant(value=0.2)", "constant(value=0.1)"]
    assert [arm.rank for arm in previewed(arms=arms(*given)).arms] == [2, 1, 2, 4]


@pytest.mark.parametrize("family", registry.FAMILIES)
def test_everything_in_the_catalogue_can_be_previewed(family):
    for plugin in getattr(catalogue(), family):
        changes = {"arms": arms(plugin.start)} if family == "rewards" else {"value": plugin.start}
        shown = previewed(**({"policies": [plugin.start]} if family == "policies" else changes))
        assert shown.errors == {}, plugin.name
        assert all(arm.density.x or arm.atoms for arm in shown.arms)


def test_classes_of_others_that_raise_anything(fresh_registry):
    @dataclass(frozen=True)
    class Moody(values.SafetyValue):
        """Raises when it is asked anything."""

        @staticmethod
        def estimate(sample):
            return sample.mean()

        def true_value(self, distribution):
            raise RuntimeError("not today")

        @property
        def well_behaved_reason(self):
            raise RuntimeError("ask somebody else")

    @dataclass(frozen=True)
    class Hollow(rewards.RewardDistribution):
        """Has nothing."""

    @dataclass(frozen=True)
    class Shy(policies.Policy):
        """Does not say what it needs."""

        @staticmethod
        def choose(history):
            return 0

        @property
        def reward_bounds(self):
            raise RuntimeError("no")

    shown = previewed(value="moody", arms=arms("hollow", "uniform"), policies=["shy", "besa"])
    assert "Hollow has no `support`" in shown.errors["arms[0].distribution"]
    assert "not today" in shown.errors["value"]
    assert shown.errors["policies[0]"] == "RuntimeError: no"
    assert shown.arms[1].mean == 0.5
    assert (shown.value, shown.policies[0]) == (None, None)
    assert shown.policies[1].label == policies.Besa.title


def test_fifty_arms_of_every_kind():
    kinds = [plugin.start for plugin in catalogue().rewards]
    shown = previewed(arms=arms(*(kinds * 5)[:50]), policies=["besa-plus"])
    assert shown.errors == {}
    assert len([arm for arm in shown.arms if arm.value is not None]) == 50


numbers = st.one_of(
    st.sampled_from([0, -0.0, 1, 1e308, -1e308, 5e-324, 1e-300, 10**400, 0.5]), st.floats(allow_nan=True), st.integers()
)
junk = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8), st.sampled_from(["uniform", "nan", "mean"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)


@st.composite
def specs(draw, family):
    """A plug-in of the family with parameters that are right, wild or missing."""
    plugin = draw(st.sampled_from([plugin for plugin in getattr(CATALOGUE, family) if plugin.name != "scipy"]))
    spec = dict(plugin.start)
    for one in plugin.parameters:
        change = draw(st.sampled_from(["keep", "number", "numbers", "junk", "drop"]))
        if change == "drop":
            del spec[one.name]
        elif change != "keep":
            made = {"number": numbers, "numbers": st.lists(numbers, max_size=4), "junk": junk}[change]
            spec[one.name] = draw(made)
    return spec


CATALOGUE = catalogue()


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.text(max_size=3), st.one_of(specs("rewards"), junk)), max_size=3),
    st.one_of(specs("values"), junk),
    st.lists(st.one_of(specs("policies"), junk), max_size=3),
    st.one_of(numbers, junk),
)
def test_anything_gets_an_answer_that_can_be_sent(given_arms, value, players, horizon):
    given = {
        "arms": [{"name": name, "distribution": spec} for name, spec in given_arms],
        "value": value,
        "policies": players,
        "horizon": horizon,
    }
    json.dumps(preview(given).model_dump(mode="json"), allow_nan=False)


def test_deep_nesting_and_long_texts_get_a_sentence():
    deep: object = "uniform"
    for _ in range(90):
        deep = {"name": "clipped", "distribution": deep}
    listed: object = 1
    for _ in range(90):
        listed = [listed]
    long = "clipped(distribution=" * 1000 + "uniform" + ")" * 1000
    found = errors(arms=arms(deep, {"name": "empirical", "data": listed}, long, "x" * 100_000))
    assert {place.split(".")[0] for place in found} == {f"arms[{i}]" for i in range(4)}
    assert all(len(sentence) <= 400 for sentence in found.values())


def test_what_would_take_too_long_is_left_for_the_next_time(monkeypatch):
    monkeypatch.setattr(time_limit, "PREVIEW_LIMIT_SECONDS", -1.0)
    found = errors()
    assert list(found) == ["arms[0].distribution", "arms[1].distribution"]
    assert all(sentence.startswith("Skipped: earlier arms used up the 5 s limit.") for sentence in found.values())
