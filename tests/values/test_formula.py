"""Formulas: what they mean, how fast they are known to be wrong, and that no text can do harm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import primum
from primum import rewards, values
from primum.errors import ParameterError
from primum.values import Formula
from primum.values.expression import MOST_CHARACTERS, Number, evaluate, parse
from primum.values.program import REGISTERS, registers
from tests.oracle.values import formula as oracle

SAMPLES = [
    [0.4],
    [0.0, 1.0],
    [0.3, 0.3, 0.3],
    [0.1, 0.9, 0.35, 0.5, 1.0],
    [-2.0, 5.0, 0.25, 5.0],
    list(np.linspace(0, 1, 41) ** 2),
]
DISTRIBUTIONS = [rewards.Uniform(0.1, 0.9), rewards.Bernoulli(0.3), rewards.Constant(0.5)]
FORMULAS = [
    "mean - var",
    "mean - 0.5 * var + 0.1 * cvar(0.2)",
    "cvar(0.3) + quantile(0.25)",
    "mean - 2 * lpm(0.5, 2) + prob(0.4) / 3 - 1",
    "gini - std * entropic(1)",
    "median + min - max",
    "sqrt(abs(mean)) - exp(-var) + log(2 + prob(0.5)) ** 2",
    "minimum(mean, 0.4) - maximum(std, quantile(0.9)) / (1 + gini)",
    "-mean ** 2 - (-mean) ** 2",
    "2 ** -mean ** 2",
    "1e-3 * lpm(1, 0) + .5 * lpm(0.7, 1.5) - lpm(1, 3)",
    "mean - (var - (std - (min - (max - (gini - mean)))))",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_means_what_it_says(text):
    for sample in SAMPLES:
        expected = oracle(text).estimate(sample)
        assert Formula(text).of(sample) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("text", FORMULAS)
def test_equal_weights_give_the_empirical_distribution(text):
    """With weights 1/n, var and gini are those of the empirical distribution; all else is as on the sample."""
    for sample in SAMPLES:
        points, weights = np.sort(sample), np.full(len(sample), 1 / len(sample))
        whole = Formula(text).weighted(points, weights, *Formula(f"({text}) + 0 * gini").packed())
        assert whole == pytest.approx(oracle(text).weighted(list(points), list(weights)), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("mean", values.Mean()),
        ("mean - 2 * var", values.MeanVariance(2)),
        ("mean - std", values.MeanStd(1)),
        ("cvar(0.2)", values.CVaR(0.2)),
        ("0.3 * mean + 0.7 * cvar(0.2)", values.MeanCVaR(0.3, 0.2)),
        ("quantile(0.3)", values.Quantile(0.3)),
        ("prob(0.4)", values.Threshold(0.4)),
        ("mean - 3 * lpm(0.6, 2)", values.LowerPartialMoment(0.6, 2, 3)),
        ("entropic(2)", values.Entropic(2)),
        ("mean - gini / 2", values.MeanGini(0.5)),
        ("(mean - 0.1) / sqrt(var + 0.2)", values.Sharpe(0.1, 0.2)),
    ],
)
def test_a_formula_is_the_class_it_spells(text, value):
    formula = Formula(text)
    for sample in SAMPLES:
        assert formula.of(sample) == pytest.approx(value.of(sample), rel=1e-9, abs=1e-12)
    for distribution in DISTRIBUTIONS:
        assert formula.true_value(distribution) == pytest.approx(value.true_value(distribution), rel=1e-9, abs=1e-9)
    assert (formula.unbiased, formula.averages_over_subsamples) == (value.unbiased, value.averages_over_subsamples)
    for mine, its in ((formula.gamma, value.gamma), (formula.lipschitz, value.lipschitz)):
        if mine is not None:
            assert mine >= its - 1e-12  # a bound of each part is a bound of the sum
    arms = {"a": rewards.Uniform(0, 1), "b": rewards.Bernoulli(0.45), "c": rewards.Constant(0.4)}
    played = [
        primum.simulate(
            primum.Problem(arms, each), ["besa-plus", "npts"], horizon=200, replications=5, seed=3, progress=False
        ).pulls.values
        for each in (formula, value)
    ]
    if formula.kind == value.kind:  # the same record, so the same random numbers
        assert (played[0] == played[1]).all()


def test_true_values():
    arm = rewards.Uniform(0, 1)
    assert Formula("mean - var + min * max").true_value(arm) == pytest.approx(0.5 - 1 / 12)
    assert Formula("max - min + median").true_value(arm) == pytest.approx(1.5)
    assert Formula("gini").true_value(arm) == pytest.approx(1 / 3)
    assert Formula("prob(0.3) * quantile(0.3)").true_value(arm) == pytest.approx(0.21)
    assert Formula("lpm(0.5, 2) + std").true_value(arm) == pytest.approx(0.5**3 / 3 + math.sqrt(1 / 12))
    assert Formula("entropic(2) / cvar(0.5)").true_value(arm) == pytest.approx(
        -math.log(-math.expm1(-2) / 2) / 2 / 0.25
    )


def test_what_a_formula_knows_of_itself():
    assert Formula("mean - var").is_well_behaved
    assert Formula("mean - var").gamma == 2
    assert Formula("2 * prob(0.5) - 3 * lpm(0.5, 2)").gamma == pytest.approx(2 + 3 / 4)
    assert Formula("cvar(0.1) - gini").gamma == pytest.approx(12)
    assert not Formula("cvar(0.1)").unbiased
    assert Formula("mean * var").gamma is None
    assert Formula("mean - std").gamma is None
    assert Formula("quantile(0.5) - mean").lipschitz is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mean - rho * var", "'rho' at position 8: no function named 'rho'"),
        ("meen", "'meen' at position 1: no function named 'meen'; did you mean 'mean'?"),
        ("mean +", "expected a number, a name or '(' but found the end"),
        ("mean mean", "expected an operator or the end but found 'mean' at position 6"),
        ("(mean", "expected ')' but found the end"),
        ("mean ^ 2", "'^' at position 6 is not part of a formula; a power is written **"),
        ("cvar", "'cvar' at position 1 takes one argument: write cvar(0.1)"),
        ("cvar(0,1)", "'cvar' at position 1 takes one argument, got 2; numbers have a decimal point"),
        ("mean - 0,5 * var", "found ',' at position 9; numbers have a decimal point"),
        ("mean - 2sd", "found 'sd' at position 9; a product is written *"),
        ("cvar(10%)", "'%' at position 8 is not part of a formula; write 5 % as 0.05"),
        ("E[X]", "'[' at position 2 is not part of a formula; use round parentheses"),
        ("VaR(0.05)", "'VaR' at position 1: no function named 'VaR'; did you mean 'quantile'?"),
        ("ln(mean)", "'ln' at position 1: no function named 'ln'; did you mean 'log'?"),
        ("mean - SD", "'SD' at position 8: no function named 'SD'; did you mean 'std'?"),
        ("min(mean, 1)", "'min' at position 1 takes no argument: write min alone; the smaller of two is minimum(...)"),
        ("prob(X >= 0.5)", "'>' at position 8 is not part of a formula; prob(c) is the probability of a reward of c"),
        ("cvar(0)", "'cvar' at position 1 takes a number in (0, 1], got 0"),
        ("cvar(1.5)", "'cvar' at position 1 takes a number in (0, 1], got 1.5"),
        ("cvar(mean)", "'cvar' at position 1 takes numbers in its parentheses, not functions of rewards"),
        ("mean(1)", "'mean' at position 1 takes no argument: write mean alone"),
        ("mean()", "'mean' at position 1 takes no argument: write mean alone"),
        ("lpm(0.5)", "'lpm' at position 1 takes two arguments, got 1"),
        ("sqrt(mean, 2)", "'sqrt' at position 1 takes one argument, got 2"),
        ("1 / 0 + mean", "'/' at position 3 gives no number, or one beyond 1e+09, on 1 and 0"),
        ("mean * 1e999", "'1e999' at position 8 is too large; numbers are at most 1e+09"),
        ("9 ** 9 ** 9 * mean", "'**' at position 3 gives no number, or one beyond 1e+09, on 9 and 3.8742e+08"),
        ("mean.real", "'.' at position 5 is not part of a formula"),
        ("mean['x']", "'[' at position 5 is not part of a formula"),
        ("__import__('os')", '"\'" at position 12 is not part of a formula'),
        ("eval(mean)", "'eval' at position 1: no function named 'eval'"),
        ("lambda: mean", "':' at position 7 is not part of a formula"),
        ("mean if var else std", "expected an operator or the end but found 'if' at position 6"),
        ("\uff4dean", "'\uff4d' at position 1 is not part of a formula"),  # a wide m
        ("mean\x00", "'\\x00' at position 5 is not part of a formula"),
        ("", "expected a number, a name or '(' but found the end"),
        ("3 + 4", "'3 + 4' does not depend on rewards"),
        ("(" * 60 + "mean" + ")" * 60, "parentheses and signs can be nested 50 deep, and '(' at position 51 is deeper"),
        ("-" * 60 + "mean", "parentheses and signs can be nested 50 deep, and '-' at position 51 is deeper"),
        ("mean+" * 101, "a formula has at most 500 characters, got 505"),
        ("+".join(["cvar(0.1)"] * 21), "'cvar' at position 201 is one too many: a formula has at most 20 of its kind"),
    ],
)
def test_everything_else_is_refused_with_its_place(text, sentence):
    with pytest.raises(ParameterError) as caught:
        Formula(text)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("given_", [None, 3, ["mean"], b"mean", len])
def test_only_text_is_a_formula(given_):
    with pytest.raises(ParameterError, match="must be a text"):
        Formula(given_)


# hostile input: anything at all, and text that is nearly a formula
PIECES = [*"()+-*/,.0123456789eE _^'\"[]{}:;@\\\n\t", "mean", "var", "cvar(", "lpm(", "sqrt(", "**", "import "]
NEARLY = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def attempt(text):
    try:
        return Formula(text), ""
    except ParameterError as error:
        return None, str(error)


@given(st.one_of(st.text(max_size=2 * MOST_CHARACTERS), NEARLY))
def test_any_text_is_a_formula_or_a_sentence(text):
    formula, sentence = attempt(text)
    if formula is None:
        assert sentence.startswith("formula: ")
        assert len(sentence) < 400
        return
    assert isinstance(formula.of([0.2, 0.7]), float)
    assert isinstance(formula.true_value(rewards.Bernoulli(0.3)), float)
    assert primum.plugins.registry.build("values", formula.spec()) == formula


NUMBERS = st.floats(-3, 3).map(lambda x: f"{x:.3f}" if x >= 0 else f"({x:.3f})")
LEAVES = st.one_of(
    NUMBERS,
    st.sampled_from(["mean", "var", "std", "min", "max", "median", "gini"]),
    st.sampled_from(["cvar(0.25)", "quantile(0.6)", "prob(0.5)", "lpm(0.5, 2)", "entropic(0.7)"]),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda parts: f"({' '.join(parts)})"),
        st.tuples(st.sampled_from(["sqrt", "exp", "log", "abs", "-"]), inner).map(
            lambda parts: f"{parts[0]}({parts[1]})"
        ),
        st.tuples(st.sampled_from(["minimum", "maximum"]), inner, inner).map(lambda p: f"{p[0]}({p[1]}, {p[2]})"),
        st.tuples(inner, st.sampled_from(["2", "0.5", "-1"])).map("**".join),
    ),
    max_leaves=14,
)


@given(TREES, st.sampled_from(SAMPLES))
@example("(0.000 / min)", np.array([0.0, 1.0]))
@example("abs((-(mean)) ** 0.5)", np.array([0.0, 1.0]))
def test_random_formulas_agree_with_python(text, sample):
    """Our parser, our program and our walk of the tree, against Python's own reading of the same text."""
    try:
        formula = Formula(text)
    except ParameterError:
        return  # a constant part that is not a number, too long, or no functional
    expected = oracle(text).estimate(sample)
    tolerance = {"rel": 1e-6, "abs": 1e-9, "nan_ok": True}
    walked = evaluate(formula._tree, lambda functional: oracle(_spelt(functional)).estimate(sample))
    if math.isfinite(expected) and abs(expected) < 1e6:
        assert walked == pytest.approx(expected, **tolerance)
        assert formula.of(sample) == pytest.approx(walked, **tolerance)
    assert registers(formula._tree) <= REGISTERS


def _spelt(functional):
    arguments = ", ".join(map(repr, functional.arguments))
    return f"{functional.name}({arguments})" if arguments else functional.name


@given(
    st.recursive(
        st.just("mean"), lambda inner: st.tuples(inner, inner).map(lambda p: f"({p[0]}-{p[1]})"), max_leaves=20
    )
)
def test_the_stack_is_deep_enough_for_any_shape(text):
    tree = parse(text)
    assert registers(tree) <= REGISTERS
    assert Formula(text).of([0.25]) == evaluate(tree, lambda functional: 0.25)


def test_precedence_is_that_of_python():
    for text in ("2 - 3 - 4", "2 / 4 / 8", "-2 ** 2", "2 ** 3 ** 2", "2 ** -1", "1 - -1", "2 * -3 + 4", "6 / 3 * 2"):
        assert parse(text) == Number(float(eval(text)))


def test_a_value_that_is_no_number_stops_the_run_with_a_sentence():
    problem = primum.Problem({"a": rewards.Bernoulli(0.5), "b": rewards.Uniform(0, 1)}, Formula("log(mean - 0.1)"))
    with pytest.raises(primum.PrimumError, match="is not a number on rewards of arm"):
        primum.simulate(problem, ["besa-plus"], horizon=200, replications=20, seed=1, progress=False)
    with pytest.raises(ParameterError, match="not a number"):
        primum.Problem({"a": rewards.Constant(0.5)}, Formula("log(0 * mean)")).true_values  # noqa: B018


def test_formulas_compile_nothing_new():
    """A formula is data for one compiled function: its source is the same whatever the text."""
    first, second = Formula("mean - var"), Formula("mean - 2 * std + 1")
    functions = [[formula.function(name) for name in formula._crossings()] for formula in (first, second)]
    assert functions[0] == functions[1]


def test_entropic_keeps_its_digits_for_any_theta():
    for theta in (1e-12, 1e-6, 0.5, 20.0, 100.0):
        sample = [0.0, 0.3, 1.0, 0.2]
        assert Formula(f"entropic({theta})").of(sample) == pytest.approx(values.Entropic(theta).of(sample), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "sample"),
    [
        ("mean ** exp(1000 * max)", [-5.0, 1.0]),
        ("(mean / 0.5) ** (median ** mean)", [-1e-320, 0.0]),
        ("(mean - 3) ** (1e9 * 1 * max ** 9)", [1e30]),
        ("lpm(1e9, 10)", [-1e200]),
        ("mean - var", []),
        ("cvar(0.1)", []),
    ],
)
def test_numbers_out_of_reach_raise_nothing(text, sample):
    found = Formula(text).of(sample)
    assert math.isnan(found) or math.isinf(found)
    assert isinstance(Formula(text).true_value(rewards.Discrete([-1e100, 1e100], [0.5, 0.5])), float)


def test_formulas_are_short_enough_to_walk():
    with pytest.raises(ParameterError, match="at most 199 numbers, names and signs, got 201"):
        Formula("mean" + "+1" * 100)
    assert Formula("mean" + "+1" * 99).of([0.5]) == 99.5
