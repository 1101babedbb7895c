"""Experiment files: what they mean, that they survive a round trip, and what is said about bad ones."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primum import PrimumError, policies, rewards, simulate, values
from primum.errors import InvalidInput
from primum.runs import Experiment, PaperMixture, toml

GOOD = """
title = "Constant against uniform"
horizon = 200
replications = 20
seed = 7
value = "cvar(alpha=0.2)"
policies = ["besa-plus", { name = "besa-plus", floor = 2 }]
[arms]
standard = { name = "constant", value = 0.4 }
new = "uniform(low=0, high=1)"
"""


def told(text):
    """The lines of the error that a text gives."""
    with pytest.raises(PrimumError) as caught:
        Experiment.from_toml(text, "bad.toml")
    return str(caught.value).splitlines()


def test_a_file_means_the_objects_of_the_library(tmp_path):
    (tmp_path / "good.toml").write_text(GOOD, "utf-8-sig")
    experiment = Experiment.load(tmp_path / "good.toml")
    assert experiment == Experiment(
        title="Constant against uniform",
        horizon=200,
        replications=20,
        seed=7,
        value=values.CVaR(0.2),
        policies=[policies.BesaPlus(), policies.BesaPlus(floor=2)],
        arms={"standard": rewards.Constant(0.4), "new": rewards.Uniform(0, 1)},
    )
    assert experiment.problem().names == ["standard", "new"]


@pytest.mark.parametrize("spelt", ['"cvar(alpha=0.2)"', '{ name = "cvar", alpha = 0.2 }', '"cvar( alpha = .2 )"'])
def test_a_value_can_be_spelt_in_several_ways(spelt):
    changed = GOOD.replace('"cvar(alpha=0.2)"', spelt)
    assert Experiment.from_toml(changed).value == values.CVaR(0.2)


def test_running_is_simulating():
    experiment = Experiment.from_toml(GOOD).replace(steps=[10, 100])
    results = experiment.run(progress=False)
    assert list(results.steps) == [10, 100, 200]
    direct = simulate(
        experiment.problem(), experiment.policies, horizon=200, replications=20, seed=7, steps=[10, 100], progress=False
    )
    assert results == direct


def test_arms_can_come_from_the_paper():
    text = GOOD.split("[arms]")[0] + 'arms_from = { name = "paper-mixture", arms = 5, seed = 3 }'
    experiment = Experiment.from_toml(text)
    assert experiment.problem().arms == rewards.paper_mixture(arms=5, seed=3)
    trial = Experiment.from_toml(GOOD.split("[arms]")[0] + 'arms_from = { name = "veterans-lung-cancer" }')
    assert trial.problem().arms == rewards.veterans_lung_cancer()
    assert Experiment.from_toml(trial.to_toml()) == trial
    assert Experiment.from_toml(experiment.to_toml()) == experiment


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("horizon = 200", "horizn = 200", "no key named 'horizn'; did you mean 'horizon'?"),
        ("horizon = 200", "", "horizon is missing; it must be a whole number in [1, 2147483647]"),
        ("horizon = 200", "horizon = 0", "horizon must be a whole number in [1, 2147483647], got 0"),
        ("horizon = 200", "horizon = 2147483648", "horizon must be a whole number in [1, 2147483647], got 2147483648"),
        ("horizon = 200", "horizon = 2.5", "horizon must be a whole number in [1, 2147483647], got 2.5"),
        ("horizon = 200", "horizon = inf", "horizon must be a whole number in [1, 2147483647], got inf"),
        ("horizon = 200", "horizon = true", "horizon must be a whole number in [1, 2147483647], got True"),
        ("horizon = 200", 'horizon = "200"', "horizon must be a whole number in [1, 2147483647], got '200'"),
        ("replications = 20", "replications = -5", "replications must be a whole number in [1, 2147483647], got -5"),
        ("seed = 7", "seed = -1", "seed must be a whole number in [0, 2^64 - 1], got -1"),
        ("seed = 7", f"seed = {2**64}", f"seed must be a whole number in [0, 2^64 - 1], got {2**64}"),
        ("seed = 7", "steps = [1, 300]", "steps must be a whole number in [1, 200], got 300"),
        ("seed = 7", "steps = []", "steps must be 'all', 'last' or a list of whole numbers in [1, horizon], got []"),
        (
            "seed = 7",
            'steps = "lst"',
            "steps must be 'all', 'last' or a list of whole numbers in [1, horizon], got 'lst'",
        ),
        ("cvar(alpha", "cvr(alpha", "value: no value named 'cvr'; did you mean 'cvar'?"),
        ("alpha=0.2", "alpha=1.5", "value: cvar: alpha must be in (0, 1], got 1.5"),
        ("floor = 2", "floor = -2", "policies[1]: besa-plus: floor must be in [0, inf), got -2"),
        ("floor = 2", "floor = nan", "policies[1]: besa-plus: floor must be a number in [0, inf), got nan"),
        (
            "floor = 2",
            "flor = 2",
            "policies[1]: besa-plus: no parameter named 'flor'; did you mean 'floor'?",
        ),
        ('"besa-plus", {', '"besa-plus(floor=2)", {', "policies must differ, got 'besa-plus(floor=2)' twice"),
        (
            '["besa-plus", { name = "besa-plus", floor = 2 }]',
            "[]",
            "policies must be a non-empty list of policies by their names, got []",
        ),
        (
            '"constant", value',
            '"constant", valu',
            "arms.standard: constant: no parameter named 'valu'; did you mean 'value'?",
        ),
        (
            "value = 0.4",
            "value = 12:00:00",
            "arms.standard: constant: value must be a finite number, got datetime.time(12, 0)",
        ),
        (
            "[arms]",
            '[arms]\n"new drug" = { name = "constant", value = "x" }',
            "arms.\"new drug\": constant: value must be a finite number, got 'x'",
        ),
        (
            "[arms]",
            'arms_from = { name = "paper-mixture" }\n[arms]',
            "either arms or arms_from must be given, got both",
        ),
        (
            "[arms]",
            'arms_from = { name = "paper-mixture", sed = 1 }\n[arms]',
            "arms_from: paper-mixture: no parameter named 'sed'; did you mean 'seed'?",
        ),
        (
            "[arms]",
            'arms_from = { name = "paper-mixture", arms = 0 }\n[arms]',
            "arms_from: paper-mixture: arms must be a whole number in [1, 100000], got 0",
        ),
        (
            "[arms]",
            "arms_from = {}\n[arms]",
            "arms_from: an environment is given by its name and parameters, got {}",
        ),
        (
            "[arms]",
            "arms_from = { name = 'veteran-lung-cancer' }\n[arms]",
            "arms_from: no environment named 'veteran-lung-cancer'; did you mean 'veterans-lung-cancer'?",
        ),
        (
            "[arms]",
            "arms_from = { name = 'veterans-lung-cancer', scale = 'weeks' }\n[arms]",
            "arms_from: veterans-lung-cancer: scale: no choice named 'weeks'; known: categories, days, tenths, unit",
        ),
    ],
)
def test_a_fault_is_told_in_a_sentence(old, new, sentence):
    assert old in GOOD
    assert f"bad.toml: {sentence}" in told(GOOD.replace(old, new))


def test_an_experiment_needs_arms():
    assert told(GOOD.split("[arms]")[0]) == ["bad.toml: either arms or arms_from must be given, got neither"]


def test_all_faults_are_told_at_once():
    text = (
        GOOD.replace("horizon = 200", "horizon = 0\nsed = 1").replace("cvar", "cvr").replace("floor = 2", "floor = -2")
    )
    lines = told(text)
    assert len(lines) == 4
    assert all(line.startswith("bad.toml: ") for line in lines)


def test_a_long_quotation_is_cut():
    long = GOOD.replace("floor = 2", f'floor = "{"x" * 10_000}"').replace("seed = 7", f'seed = "{"y" * 10_000}"')
    assert all(len(line) < 600 for line in told(long))


@pytest.mark.parametrize("line", ["horizon = ", "= 5", "[arms", 'title = "never closed', "horizon = 1\nhorizon = 2"])
def test_a_slip_in_the_syntax_is_told_with_its_line(line):
    (sentence,) = told("seed = 1\n" + line)
    assert sentence.startswith("bad.toml is not valid TOML: ")
    assert "at line 2" in sentence or "at end of document" in sentence


def test_files_that_are_no_experiments(tmp_path, monkeypatch):
    for path, reason in ((tmp_path / "no.toml", "No such file"), (tmp_path, "Is a directory"), ("a\0b", "null")):
        with pytest.raises(PrimumError, match=f"cannot read .*{reason}"):
            Experiment.load(path)
    (tmp_path / "binary.toml").write_bytes(b"title = 1\n\x89HDF\xff\n")
    with pytest.raises(PrimumError, match=r"binary\.toml is not a text file in UTF-8 \(at line 2"):
        Experiment.load(tmp_path / "binary.toml")
    monkeypatch.setattr(toml, "LARGEST_FILE", 5)
    with pytest.raises(PrimumError, match="too much for an experiment file"):
        Experiment.load(tmp_path / "binary.toml")


@pytest.mark.parametrize(
    "hostile",
    [
        "value" + ".a" * 5000 + " = 1",
        "x = " + "[" * 5000 + "]" * 5000,
        "seed = " + "9" * 5000,
        "seed = " + "9" * 4000,
        f"value = {{ name = 'cvar', alpha = {'9' * 400} }}",
        "value = { name = ['cvar'] }",
        "value = { name = { name = 'cvar' } }",
        "policies = [[[['besa-plus']]]]",
        "policies = ''",
        "arms = [1]",
        "arms.a.b.c = 1",
        "title = 5",
        "arms_from = 'paper-mixture'",
        "arms_from = [{}]",
        "value = 'cvar(alpha=__import__(os))'",
        "",
    ],
)
def test_hostile_texts_are_refused(hostile):
    assert all(len(line) < 1000 for line in told(hostile))


words = st.text(st.characters(exclude_categories=["Cs"]))
plain = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner),
    max_leaves=12,
)


@given(st.dictionaries(words, plain))
def test_written_toml_is_read_back(data):
    text = "".join(f"{toml.key(name)} = {toml.value(item)}\n" for name, item in data.items())
    assert tomllib.loads(text) == data


def outcome(attempt):
    """The sentence that an attempt gives, if it fails as it should."""
    try:
        attempt()
    except PrimumError as error:
        return str(error)
    return "any: an experiment"


keys = st.sampled_from(
    ["title", "horizon", "replications", "seed", "steps", "value", "policies", "arms", "arms_from", "x"]
)
specs = st.dictionaries(
    st.sampled_from(["name", "floor", "alpha", "value"]),
    st.sampled_from(["cvar", "besa-plus", "constant", 1, -1, 0.5, True]) | plain,
)


@given(st.dictionaries(keys, plain | specs | st.lists(specs, max_size=3) | st.dictionaries(st.text("ab"), specs)))
def test_any_data_gives_an_experiment_or_a_sentence(data):
    assert outcome(lambda: Experiment.from_spec(data, "any")).startswith("any: ")


@given(st.integers(0, len(GOOD)), st.integers(0, 12), st.text("[]{}\"'=.,\n #019-eabfx\0", max_size=4))
def test_a_damaged_text_gives_an_experiment_or_a_sentence(at, cut, put):
    text = GOOD[:at] + put + GOOD[at + cut :]
    assert outcome(lambda: Experiment.from_toml(text, "any")).startswith("any")


share = st.floats(0, 1)
arms = st.dictionaries(
    words.filter(str.strip),
    share.map(rewards.Constant)
    | share.map(rewards.Bernoulli)
    | st.tuples(st.floats(-9, 0), st.floats(0.1, 9)).map(lambda ends: rewards.Uniform(*ends)),
    min_size=1,
    max_size=4,
)


@st.composite
def experiments(draw):
    horizon = draw(st.integers(1, 2**31 - 1))
    mixture = draw(st.booleans())
    return Experiment(
        title=draw(words),
        horizon=horizon,
        replications=draw(st.integers(1, 2**31 - 1)),
        seed=draw(st.none() | st.integers(0, 2**64 - 1)),
        steps=draw(st.none() | st.sampled_from(["all", "last"]) | st.lists(st.integers(1, horizon), min_size=1)),
        value=draw(
            st.floats(1e-9, 1).map(values.CVaR) | st.floats(0, 1e300).map(values.MeanVariance) | st.just(values.Mean())
        ),
        policies=draw(
            st.lists(
                st.floats(0, 1e300).map(policies.BesaPlus) | st.just(policies.Besa()),
                min_size=1,
                unique_by=lambda policy: policy.label,
            )
        ),
        arms=None if mixture else draw(arms),
        arms_from=PaperMixture(arms=draw(st.integers(1, 9)), seed=draw(st.integers(0, 2**64 - 1))) if mixture else None,
    )


@given(experiments())
def test_an_experiment_survives_the_file(experiment):
    again = Experiment.from_toml(experiment.to_toml())
    assert again == experiment
    assert list(again.arms or ()) == list(experiment.arms or ())


def test_replacing_checks_again():
    experiment = Experiment.from_toml(GOOD)
    changed = experiment.replace(horizon=5, policies=["ucb1", policies.Besa()], seed=None)
    assert changed.policies == [policies.Ucb1(), policies.Besa()]
    assert (changed.horizon, changed.seed, changed.replications) == (5, None, 20)
    with pytest.raises(InvalidInput, match=r"^horizon must be a whole number in \[1, 2147483647\], got 0$"):
        experiment.replace(horizon=0)


def test_steps_list_from_numpy_is_refused_rather_than_misread():
    with pytest.raises(InvalidInput, match="steps must be"):
        Experiment.from_toml(GOOD).replace(steps=np.arange(3))
