"""Names, specs and texts; declared parameters and what they say."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

import primum
from primum import Problem, policies, rewards, trials, values
from primum.errors import InvalidInput, ParameterError, PrimumError, UnknownNameError
from primum.plugins import registry
from primum.plugins.parameters import Parameter
from primum.plugins.spec_text import split, write
from tests.problems import ARMS, POLICIES, VALUES

MIXTURE = rewards.TruncatedNormalMixture(locations=[0.1, 0.25], deviations=[0.5, 1.0])
NESTED = rewards.Clipped(rewards.Mixture([MIXTURE, "uniform", "constant(value=2)"], [0.2, 0.3, 0.5]), high=0.75)


@pytest.mark.parametrize("plugin", [*POLICIES, *VALUES, *ARMS, MIXTURE, NESTED], ids=str)
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


def test_labels_and_specs_nest():
    arm = rewards.Clipped(rewards.TruncatedNormal(0.4, 0.3), low=0.25)
    assert arm.label == "clipped(distribution=truncated-normal(location=0.4, deviation=0.3), low=0.25)"
    assert arm.spec()["distribution"] == rewards.TruncatedNormal(0.4, 0.3).spec()
    assert rewards.Mixture([arm, "uniform"]).label == f"mixture(components=[{arm.label}, uniform])"


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("a", {"name": "a"}),
        (" a ( ) ", {"name": "a"}),
        ("a(x=1,y = [1, 2 , ], z=b c)", {"name": "a", "x": 1.0, "y": [1.0, 2.0], "z": "b c"}),
        ("a(x=b(y=c(z=[])), w=-1e-3)", {"name": "a", "x": {"name": "b", "y": {"name": "c", "z": []}}, "w": -0.001}),
        ("a(x=[b, c(y=[d(z=1)])])", {"name": "a", "x": ["b", {"name": "c", "y": [{"name": "d", "z": 1.0}]}]}),
        (r"""a(x='1, (b', y="it's", z='\'\\')""", {"name": "a", "x": "1, (b", "y": "it's", "z": "'\\"}),
    ],
)
def test_texts(text, spec):
    assert registry.parse(text) == spec


@given(st.text(max_size=20))
def test_any_quoted_text_is_read_back(text):
    assert registry.parse(f"a(x={write(text)}, y=[{write(text)}])") == {"name": "a", "x": text, "y": [text]}


@pytest.mark.parametrize("depth", [1, 15, 16, 17, 100, 100_000])
def test_nesting_is_bounded_with_a_sentence(depth):
    """Text, data and objects alike; one that is built can be written and read."""
    deepest = "plug-ins and lists can be nested at most 16 deep"
    for start, end in (("clipped(distribution=", ")"), ("mixture(components=[", "])")):
        text = start * (depth - 1) + "uniform" + end * (depth - 1)
        if depth <= 16:
            arm = registry.build("rewards", text)
            assert arm.label == text
            assert registry.build("rewards", arm.spec()) == arm
        else:
            with pytest.raises(ParameterError, match=deepest):
                registry.build("rewards", text)
    spec = "uniform"
    for _ in range(depth - 1):
        spec = {"name": "clipped", "distribution": spec}
    if depth > 16:
        with pytest.raises(ParameterError, match=deepest):
            registry.build("rewards", spec)
    arm = rewards.Uniform()
    for _ in range(min(depth, 16) - 1):
        arm = rewards.Clipped(arm)
    if depth >= 16:
        with pytest.raises(ParameterError, match=f"clipped: {deepest}"):
            rewards.Clipped(arm)
    for hostile in ("a(x=" + "[" * depth, "a(" * depth, "[" * depth, "a(x='" + "\\" * depth, "a(x=" + "b(y=" * depth):
        with pytest.raises(ParameterError, match="cannot read"):
            registry.parse(hostile)


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
        ("besa-plus(floor=2, floor=3)", "floor is given twice"),
        ("besa-plus(name=2)", "name is given twice, or no parameter"),
        ("besa-plus(floor=)", "cannot read '\\)' in 'besa-plus\\(floor=\\)'; a value is missing"),
        ("besa-plus(floor=2))", "cannot read 'besa-plus\\(floor=2\\)\\)'"),
        ("besa-plus(floor=[1 2)", "cannot read '\\)' in .*; a ',' is missing"),
        ("besa-plus(floor='2)", "a quotation mark is missing"),
        (
            "besa-plus(floor=uniform(low=0))",
            "floor must be a number in \\[0, inf\\), got {'low': 0.0, 'name': 'uniform'}",
        ),
    ],
)
def test_what_cannot_be_built_is_said(spec, message):
    with pytest.raises(PrimumError, match=message):
        registry.build("policies", spec)


def test_an_unknown_name_gives_a_short_error_whatever_is_known():
    many = [f"{'long ' * 20}{i}" for i in range(100_000)]
    for name in ("x" * 1_000_000, 10**5000, ["x"] * 1_000_000, many[7] + "0"):
        assert len(str(UnknownNameError("arm", name, [*many, "y" * 1_000_000]))) < 600


def test_the_nearest_name_is_offered():
    with pytest.raises(UnknownNameError, match="no policy named 'besa-pluss'; did you mean 'besa-plus'?"):
        registry.find("policies", "besa-pluss")
    with pytest.raises(UnknownNameError, match="known: besa, besa-plus"):
        registry.find("policies", "xyz")


@pytest.mark.parametrize(
    ("module", "name", "nearest"),
    [
        (policies, "BESA", "Besa"),
        (policies, "Bessaplus", "BesaPlus"),
        (values, "CVAR", "CVaR"),
        (rewards, "Unifrom", "Uniform"),
        (trials, "PooledZed", "PooledZ"),
        (trials, "groupsequential", "GroupSequential"),
        (trials, "Regularly", "Regular"),
        (primum, "simulat", "simulate"),
        (primum, "trails", "trials"),
    ],
)
def test_a_module_offers_the_nearest_name(module, name, nearest):
    assert not hasattr(module, name)
    said = f"no attribute of {module.__name__} named {name!r}; did you mean {nearest!r}?"
    with pytest.raises(AttributeError, match=re.escape(said)):
        getattr(module, name)
    with pytest.raises(AttributeError, match=r"known: [A-Z]") as unlike:
        module.zzz  # noqa: B018
    assert not {"registry", "errors", "np", "annotations"} & set(re.findall(r"\w+", str(unlike.value)))


def test_modules_are_imported_when_they_are_first_used():
    script = """
        import sys, primum
        later = {"arena", "checks", "theory", "trials"}
        assert later <= set(dir(primum)) and not {f"primum.{name}" for name in later} & set(sys.modules)
        primum.trials.Design, primum.theory.lower_bound, primum.arena.pairs, primum.checks.run, primum.replay
        assert {f"primum.{name}" for name in later} <= set(sys.modules)
        """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)


@pytest.mark.parametrize(
    ("cls", "given", "message"),
    [
        (policies.BesaPlus, {"flor": 2}, "besa-plus: no parameter named 'flor'; did you mean 'floor'?"),
        (values.Mean, {"x": 1}, "mean: no parameter named 'x'; known: (it has none)"),
        (values.CVaR, {"alpah": 0.1}, "cvar: no parameter named 'alpah'; did you mean 'alpha'?"),
        (rewards.Uniform, {"low": 0, "hihg": 2}, "uniform: no parameter named 'hihg'; did you mean 'high'?"),
        (trials.PooledZ, {"side": "greater"}, "pooled-z: no parameter named 'side'; did you mean 'sided'?"),
        (trials.DropLosers, {"bellow": 0.1}, "drop-losers: no parameter named 'bellow'; did you mean 'below'?"),
        (trials.Poisson, {"rat": 2}, "poisson: no parameter named 'rat'; did you mean 'rate'?"),
        (
            trials.AfterPatients,
            {"patient": 2},
            "after-patients: no parameter named 'patient'; did you mean 'patients'?",
        ),
        (trials.Step, {"aftr": 2}, "step: no parameter named 'aftr'; did you mean 'after'?"),
    ],
)
def test_a_class_offers_the_nearest_parameter(cls, given, message):
    with pytest.raises(ParameterError, match=re.escape(message)):
        cls(**given)


def test_a_parameter_of_a_class_that_is_no_dataclass_is_told():
    class Bare(policies.Policy):
        bonus: float = 1.0
        choose = staticmethod(lambda history, bonus: 0)

    with pytest.raises(ParameterError, match=r"put @dataclass\(frozen=True\) above class Bare"):
        Bare(bonus=2)


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
        (Parameter("", string=True), 1, "alpha must be a text, got 1"),
        (Parameter("", many=True), [1, None], r"alpha\[1\] must be a finite number, got None"),
        (Parameter("", low=0), abs, "must be a number in .* got the callable"),
    ],
)
def test_parameters_say_what_is_allowed(rule, value, message):
    with pytest.raises(ParameterError, match=message):
        rule.check("alpha", value)


def test_large_whole_numbers_keep_their_digits():
    assert Parameter("", integer=True).check("seed", 2**60 + 1) == 2**60 + 1


def test_a_number_that_python_does_not_write_is_refused_in_a_sentence():
    with pytest.raises(
        ParameterError, match=r"levels must be a whole number in \[2, 9\], got a number of thousands of"
    ):
        Parameter("", 2, 9, integer=True).check("levels", 10**5000)


def test_errors_know_their_path():
    with pytest.raises(ParameterError) as caught:
        rewards.Mixture(["uniform", {"name": "clipped", "distribution": {"name": "beta", "a": 0, "b": 1}}])
    assert caught.value.path == ("components", 1, "distribution", "a")
    assert caught.value.sentence == "beta: a must be in [0.01, 1e+06], got 0"
    assert str(caught.value) == "components[1].distribution: beta: a must be in [0.01, 1e+06], got 0"


def test_several_errors_of_one_spec_are_told_together():
    with pytest.raises(InvalidInput) as caught:
        registry.build("rewards", {"name": "uniform", "low": "x", "high": float("nan"), "top": 1})
    assert str(caught.value).splitlines() == [
        "uniform: no parameter named 'top'; known: high, low",
        "uniform: low must be a finite number, got 'x'",
        "uniform: high must be a finite number, got nan",
    ]
    assert list(caught.value.by_place) == ["top", "low", "high"]


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


def test_a_class_is_not_an_object():
    with pytest.raises(ParameterError, match=r"a value is an object, got the class CVaR: write CVaR\(\)"):
        registry.build("values", values.CVaR)


def test_a_misspelt_distribution_names_its_arm():
    with pytest.raises(
        UnknownNameError, match=r"arms\.b: no reward distribution named 'unifrm'; did you mean 'uniform'"
    ):
        Problem({"a": "uniform", "b": "unifrm"}, "mean")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("besa", ["besa"]),
        ("besa-plus(floor=2, order='a'), ucb1", ["besa-plus(floor=2, order='a')", "ucb1"]),
        ("a(x=[1, 2]),b,", ["a(x=[1, 2])", "b"]),
        (" ", []),
        ("a), b", ["a)", "b"]),
        ("a(x='1), 2'), b(y=\", [\")", ["a(x='1), 2')", 'b(y=", [")']),
        ("a(x='), b", ["a(x=')", "b"]),
    ],
)
def test_policies_are_split_at_commas_outside_parentheses_and_quotation_marks(text, parts):
    assert split(text) == parts
