"""One validator: an error has the same sentence and the same path in Python, in a file, in the API and in a preview."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from primum.errors import InvalidInput, PrimumError, place
from primum.lab.drafts.preview import preview
from primum.lab.http.schemas import Question
from primum.lab.jobs.manager import id_of
from primum.plugins import registry
from primum.runs import Experiment, toml
from primum.runs.validation import Made

from .questions import data

FILE = {
    "horizon": "a whole number in [1, 2147483647]",
    "replications": "a whole number in [1, 2147483647]",
    "seed": "a whole number in [0, 2^64 - 1]",
    "policies": "a non-empty list of policies by their names",
}
LABORATORY = {
    "horizon": "a whole number in [2, 1000000]",
    "replications": "a whole number in [1, 100000]",
    "seed": "a whole number in [0, 2^53 - 1]",
    "policies": "a list of 1 to 12 policies by their names",
}


def arm(distribution):
    """Changes of a question: a single arm with this distribution."""
    return {"arms": [{"name": "a", "distribution": distribution}]}


def deep(distribution, levels):
    for _ in range(levels):
        distribution = {"name": "clipped", "distribution": distribution}
    return distribution


BETA = {"name": "beta", "a": 0, "b": 1}
DEEPEST = "plug-ins and lists can be nested at most 16 deep"
REWARD = "a reward distribution is given by its name and parameters, got "
# what is changed in a question -> the sentence at each place; words in braces depend on the limits
ERRORS = [
    # unknown names
    ({"value": "cvr"}, {"value": "no value named 'cvr'; did you mean 'cvar'?"}),
    ({"value": {"name": ["cvar"]}}, {"value": "no value named \"['cvar']\"; did you mean 'cvar'?"}),
    ({"policies": ["ucb1", "besa+"]}, {"policies[1]": "no policy named 'besa+'; did you mean 'besa-plus'?"}),
    (arm("bernouli"), {"A": "no reward distribution named 'bernouli'; did you mean 'bernoulli'?"}),
    (
        {"value": {"name": "cvar", "estimator": "cell"}},
        {"value.estimator": "cvar: estimator: no choice named 'cell'; did you mean 'ceil'?"},
    ),
    # unknown keys
    ({"polices": []}, {"polices": "no key named 'polices'; did you mean 'policies'?"}),
    (
        {"policies": [{"name": "besa-plus", "flor": 2}]},
        {"policies[0].flor": "besa-plus: no parameter named 'flor'; did you mean 'floor'?"},
    ),
    ({"value": {"name": "mean", "x": 1}}, {"value.x": "mean: no parameter named 'x'; known: (it has none)"}),
    # missing
    ({"value": ...}, {"value": "value is missing; it must be a value by its name, for example 'cvar(alpha=0.1)'"}),
    ({"policies": ...}, {"policies": "policies is missing; it must be {policies}"}),
    (
        arm({"name": "bernoulli"}),
        {"A.probability": "bernoulli: probability is missing; it must be a number in [0, 1]"},
    ),
    # wrong types
    ({"horizon": "ten"}, {"horizon": "horizon must be {horizon}, got 'ten'"}),
    ({"horizon": True}, {"horizon": "horizon must be {horizon}, got True"}),
    ({"horizon": 2.5}, {"horizon": "horizon must be {horizon}, got 2.5"}),
    ({"title": 5}, {"title": "title must be a text, got 5"}),
    ({"policies": "besa"}, {"policies": "policies must be {policies}, got 'besa'"}),
    (arm(3), {"A": REWARD + "3"}),
    (arm({"low": 0}), {"A": REWARD + "{{'low': 0}}"}),
    (arm({"name": "constant", "value": "x"}), {"A.value": "constant: value must be a finite number, got 'x'"}),
    (
        {"value": {"name": "formula", "text": 5}},
        {"value.text": "formula: text must be a text, got 5"},
    ),
    (
        arm({"name": "empirical", "data": "/etc/passwd"}),
        {"A.data": "empirical: data must be a list, each a finite number, got '/etc/passwd'"},
    ),
    # out of bounds
    ({"horizon": 0}, {"horizon": "horizon must be {horizon}, got 0"}),
    ({"replications": -5}, {"replications": "replications must be {replications}, got -5"}),
    ({"seed": -1}, {"seed": "seed must be {seed}, got -1"}),
    ({"value": {"name": "cvar", "alpha": 1.5}}, {"value.alpha": "cvar: alpha must be in (0, 1], got 1.5"}),
    ({"value": "cvar(alpha=1.5)"}, {"value.alpha": "cvar: alpha must be in (0, 1], got 1.5"}),
    ({"policies": []}, {"policies": "policies must be {policies}, got []"}),
    (
        {"policies": [{"name": "mts", "levels": 2.5}]},
        {"policies[0].levels": "mts: levels must be a whole number in [2, 10000], got 2.5"},
    ),
    # parameters that do not fit together
    (
        arm({"name": "uniform", "low": 2, "high": 1}),
        {"A.low": "uniform: low must be less than high, got low=2 and high=1"},
    ),
    (
        arm({"name": "discrete", "values": [0, 1], "probabilities": [0.5, 0.6]}),
        {"A.probabilities": "discrete: probabilities must add up to 1, got 1.1"},
    ),
    # within others
    (
        arm({"name": "mixture", "components": ["uniform", BETA]}),
        {"A.components[1].a": "beta: a must be in [0.01, 1e+06], got 0"},
    ),
    (
        arm({"name": "clipped", "distribution": {"name": "mixture", "components": ["uniform", deep(BETA, 1)]}}),
        {"A.distribution.components[1].distribution.a": "beta: a must be in [0.01, 1e+06], got 0"},
    ),
    (
        arm("clipped(distribution=mixture(components=[uniform, clipped(distribution=beta(a=0, b=1))]))"),
        {"A.distribution.components[1].distribution.a": "beta: a must be in [0.01, 1e+06], got 0"},
    ),
    (
        arm({"name": "discrete", "values": [1, "x"], "probabilities": [0.5, 0.5]}),
        {"A.values[1]": "discrete: values[1] must be a finite number, got 'x'"},
    ),
    (
        arm({"name": "discrete", "values": [0, 1], "probabilities": [0.5, 2]}),
        {"A.probabilities[1]": "discrete: probabilities[1] must be in [0, 1], got 2"},
    ),
    (
        arm({"name": "mixture", "components": ["unifrm", "uniform", 3]}),
        {
            "A.components[0]": "no reward distribution named 'unifrm'; did you mean 'uniform'?",
            "A.components[2]": REWARD + "3",
        },
    ),
    # duplicates
    ({"policies": ["besa", "ucb1", {"name": "besa"}]}, {"policies[2]": "policies must differ, got 'besa' twice"}),
    # texts that cannot be read
    (
        {"value": "cvar(alpha=0.1"},
        {"value": "cannot read 'cvar(alpha=0.1'; a ')' is missing"},
    ),
    (
        {"value": {"name": "formula", "text": "mean - vra"}},
        {"value.text": "formula: 'vra' at position 8: no function named 'vra'; did you mean 'var'?"},
    ),
    # numbers that are none
    (
        arm({"name": "constant", "value": float("nan")}),
        {"A.value": "constant: value must be a finite number, got nan"},
    ),
    (
        arm({"name": "constant", "value": float("inf")}),
        {"A.value": "constant: value must be a finite number, got inf"},
    ),
    (arm({"name": "constant", "value": 10**400}), {"A.value": "constant: value must be a finite number, got inf"}),
    ({"horizon": float("nan")}, {"horizon": "horizon must be {horizon}, got nan"}),
    ({"seed": 10**400}, {"seed": "seed must be {seed}, got " + str(10**400)[:79] + "…"}),
    # deep
    (arm(deep("uniform", 16)), {"A" + 16 * ".distribution": DEEPEST}),
    # names of arms
    (
        {"arms": [{"name": " ", "distribution": "uniform"}]},
        {"N": "an arm's name must be a text that is not empty, got ' '"},
    ),
    # several at once
    (
        {"horizon": 0, "value": {"name": "cvar", "alpha": 2, "estimator": "x"}, "policies": ["bessa"]},
        {
            "horizon": "horizon must be {horizon}, got 0",
            "value.alpha": "cvar: alpha must be in (0, 1], got 2",
            "value.estimator": "cvar: estimator: no choice named 'x'; known: ceil, chen, fractional",
            "policies[0]": "no policy named 'bessa'; did you mean 'besa'?",
        },
    ),
]


def changed(changes):
    return {key: part for key, part in (data() | changes).items() if part is not ...}


def expected(sentences, limits, distribution, name):
    """The sentences by place, with the place of the only arm's distribution and name, and words for the limits."""
    told = {}
    for where, sentence in sentences.items():
        where = distribution + where[1:] if where.startswith("A") else name if where == "N" else where
        told[where] = sentence.format(**limits)
    return told


def file_of(question):
    """The same as an experiment file has it."""
    arms = {each["name"]: each["distribution"] for each in question["arms"]}
    return question | {"arms": arms}


def errors_of(attempt):
    with pytest.raises(PrimumError) as caught:
        attempt()
    return caught.value


KEYS = {field.name for field in dataclasses.fields(Experiment)}
cases = pytest.mark.parametrize(("changes", "sentences"), ERRORS, ids=[str(i) for i in range(len(ERRORS))])


@cases
def test_in_python_and_in_a_file(changes, sentences):
    spec = file_of(changed(changes))
    name = next(iter(spec["arms"]))
    wanted = expected(sentences, FILE, f"arms.{name}", 'arms." "')
    assert errors_of(lambda: Experiment.from_spec(spec)).by_place == wanted
    if {"value", "policies"} <= spec.keys() <= KEYS:  # else it is a TypeError, as with any function
        assert errors_of(lambda: Experiment(**spec)).by_place == wanted
    text = "\n".join(f"{toml.key(key)} = {toml.value(part)}" for key, part in spec.items())
    error = errors_of(lambda: Experiment.from_toml(text, "bad.toml"))
    assert error.by_place == wanted
    for line, each in zip(str(error).splitlines(), error.errors, strict=True):
        assert line == f"bad.toml: {each}"
        assert line.endswith(each.sentence)
        assert line.startswith(f"bad.toml: {place(each.outer)}")


@cases
def test_in_the_laboratory(client, changes, sentences):
    question = changed(changes)
    wanted = expected(sentences, LABORATORY, "arms[0].distribution", "arms[0].name")
    assert errors_of(lambda: Question.model_validate(question)).by_place == wanted
    body = json.dumps(question)
    for address, status in (("/api/cost", 422), ("/api/runs", 422), ("/api/appraisal", 200)):
        told = client.post(address, content=body, headers={"content-type": "application/json"})
        assert told.status_code == status
        assert told.json()["errors"] == wanted, address


@pytest.mark.parametrize(
    ("family", "key"), [("values", "value"), ("policies", "policies"), ("rewards", "arms")], ids=registry.FAMILIES
)
def test_a_plug_in_alone_has_the_same_sentence(family, key):
    """What `build` says of a plug-in is what is said of it in an experiment, with the rest of the path in front."""
    found = 0
    for changes, sentences in ERRORS:
        specs = changes.get(key)
        if (
            list(changes) != [key]
            or specs is ...
            or any(where in (key, "N") or "twice" in s for where, s in sentences.items())
        ):
            continue
        spec, prefix = specs, key
        if family != "values":
            spec, prefix = specs[-1], f"policies[{len(specs) - 1}]"
        if family == "rewards":
            spec, prefix = spec["distribution"], "A"
        told = errors_of(lambda spec=spec: registry.build(family, spec)).by_place
        assert {f"{prefix}.{where}" if where else prefix: sentence for where, sentence in told.items()} == {
            where: sentence.format() for where, sentence in sentences.items()
        }
        found += 1
    assert found >= 2


ONLY_IN_THE_LABORATORY = [
    ([], {"": "the experiment must be a table with arms, a value and policies, got []"}),
    (None, {"": "the experiment must be a table with arms, a value and policies, got None"}),
    (data(arms=[]), {"arms": "arms must be a list of 1 to 50 arms, got []"}),
    (data(arms={}), {"arms": "arms must be a list of 1 to 50 arms, got {}"}),
    (data(arms=[3]), {"arms[0]": "arms[0] must be a table with a name and a distribution, got 3"}),
    (
        data(arms=[{"distribution": "uniform"}]),
        {"arms[0].name": "name is missing; it must be a text of at most 100 characters on one line"},
    ),
    (
        data(arms=[{"name": "a", "distribution": "uniform", "x": 1}]),
        {"arms[0].x": "no key named 'x'; known: distribution, name"},
    ),
    (
        data(arms=[{"name": "a", "distribution": "uniform"}] * 2),
        {"arms[1].name": "arms must differ, got 'a' twice"},
    ),
    (
        data(arms=[{"name": "a\nb", "distribution": "uniform"}]),
        {"arms[0].name": "an arm's name must be a text of at most 100 characters on one line, got 'a\\nb'"},
    ),
    (
        data(title="x" * 201),
        {"title": "title must be a text of at most 200 characters, got 'xxxxxxxxxxxx...xxxxxxxxxxxxx'"},
    ),
    (
        data(steps="all"),
        {"steps": "no key named 'steps'; known: arms, horizon, policies, replications, seed, title, unit, value"},
    ),
    (data(horizon=None), {"horizon": "horizon must be a whole number in [2, 1000000], got None"}),
]


@pytest.mark.parametrize(
    ("sent", "wanted"), ONLY_IN_THE_LABORATORY, ids=[str(i) for i in range(len(ONLY_IN_THE_LABORATORY))]
)
def test_what_only_the_laboratory_says(client, sent, wanted):
    for address in ("/api/cost", "/api/appraisal"):
        told = client.post(address, content=json.dumps(sent), headers={"content-type": "application/json"})
        assert told.json()["errors"] == wanted


def test_whole_floats_are_whole_numbers_everywhere():
    """JSON has one kind of number, and Python's `simulate` takes 2e3 too."""
    question = Question.model_validate(data(horizon=50.0))
    assert (question.horizon, type(question.horizon)) == (50, int)
    assert preview(data(horizon=50.0)).errors == {}
    assert Experiment.from_spec(file_of(data(horizon=50.0))).horizon == 50


def test_a_question_is_read_as_pydantic_writes_it():
    question = Question.model_validate(data())
    assert Question.model_validate_json(question.model_dump_json()) == question
    assert Question.model_validate(question) is question
    with pytest.raises(InvalidInput, match="horizon must be"):
        Question.model_validate_json(json.dumps(data(horizon=1)))


@pytest.mark.parametrize("address", ["/api/appraisal", "/api/cost", "/api/runs"])
def test_each_plugin_of_a_question_is_read_once(client, monkeypatch, address):
    read, paths = Made.read, []

    def counted(rule, given, path, errors):
        paths.append(path)
        return read(rule, given, path, errors)

    monkeypatch.setattr(Made, "read", counted)
    assert client.post(address, json=data(title=f"counted for {address}")).is_success
    arms = [("arms", 0, "distribution"), ("arms", 1, "distribution")]
    assert sorted(paths, key=str) == sorted([*arms, ("value",), ("policies", 0), ("policies", 1)], key=str)


def test_what_is_not_ours_is_logged_with_its_trace(client, fresh_registry, caplog):
    from dataclasses import dataclass

    from primum import values

    @dataclass(frozen=True)
    class Moody(values.SafetyValue):
        """Cannot be made."""

        def __post_init__(self):
            raise RuntimeError("not today")

        @staticmethod
        def estimate(sample):
            return sample.mean()

    for attempt in (
        lambda: errors_of(lambda: Experiment.from_spec(file_of(data(value="moody")))).by_place,
        lambda: client.post("/api/cost", json=data(value="moody")).json()["errors"],
        lambda: client.post("/api/appraisal", json=data(value="moody")).json()["errors"],
    ):
        caplog.clear()
        assert attempt() == {"value": "RuntimeError: not today"}
        (logged,) = [record for record in caplog.records if record.name == "primum"]
        assert "not today" in str(logged.exc_info[1])
        assert logged.exc_info[2] is not None, "the trace"


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.just(10**400)
    | st.sampled_from(["mean", "uniform", "besa", "cvar(alpha=2)", "mixture(components=[", "a(b=c(d=["]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "low", "high", "distribution", "components", "alpha", "text", "x"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
garbage = plain | st.dictionaries(
    st.sampled_from(
        ["title", "arms", "value", "policies", "horizon", "replications", "seed", "steps", "arms_from", "x"]
    ),
    plain,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(garbage)
def test_any_data_gives_our_error_and_never_a_mistake_of_the_server(client, caplog, given):
    for read in (Experiment.from_spec, Question.model_validate):
        error = errors_of(lambda read=read: read(given))
        assert isinstance(error, InvalidInput)
        assert all(each.sentence for each in error.errors)
    body = json.dumps(given)
    for address in ("/api/cost", "/api/appraisal"):
        told = client.post(address, content=body, headers={"content-type": "application/json"})
        assert told.status_code in (200, 422), told.text
        assert told.json()["errors"]
    assert [record for record in caplog.records if record.levelname == "ERROR"] == [], "no exception but ours"


@pytest.mark.parametrize(
    ("unit", "place", "sentence"),
    [
        ("days", "unit", "unit must be a table with a name, low and high, got 'days'"),
        ({"name": "days", "low": 0}, "unit.high", "high is missing; it must be a finite number"),
        ({"name": "days", "low": 3, "high": 3}, "unit.low", "unit: low must be less than high, got low=3 and high=3"),
        ({"name": "d" * 31, "low": 0, "high": 9}, "unit.name", "name must be a text of at most 30 characters, got "),
        ({"name": "days", "low": "x", "high": 9}, "unit.low", "low must be a finite number, got 'x'"),
        ({"name": "days", "low": 0, "high": 9, "by": 1}, "unit.by", "no key named 'by'; known: high, low, name"),
    ],
)
def test_a_unit_that_is_wrong_gets_a_sentence(unit, place, sentence):
    errors = preview(data(unit=unit)).errors
    assert list(errors) == [place]
    assert errors[place].startswith(sentence)


def test_a_unit_is_part_of_a_question_but_not_of_its_experiment():
    unit = {"name": "days", "low": 10, "high": 490}
    asked = Question.model_validate(data(unit=unit))
    assert asked.model_dump()["unit"] == unit
    assert asked.experiment() == Question.model_validate(data()).experiment()
    assert id_of(asked) != id_of(Question.model_validate(data()))
    assert id_of(Question.model_validate(data(unit=None))) == id_of(Question.model_validate(data()))
