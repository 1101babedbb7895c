"""A design beside equal randomisation over HTTP: the numbers of `primum.trials`, and sentences for everything else."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from contextlib import asynccontextmanager

import numpy as np
import pytest

from primum import policies, rewards, trials
from primum.lab.http.design_routes import waited_for
from primum.lab.trials.computing import STEPS, Computation
from primum.lab.trials.settings import MOST_PATIENTS, Trial, TrialSettings
from primum.lab.trials.stopping import Deadline

ADDRESS = "/api/trials/operating-characteristics"
TEST = trials.PooledZ(alpha=0.05, sided="greater")
NULL, EFFECT = [rewards.Bernoulli(0.3)] * 2, [rewards.Bernoulli(0.3), rewards.Bernoulli(0.5)]


def told(client, **settings):
    answer = client.get(ADDRESS, params=settings)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(client, **settings):
    answer = client.get(ADDRESS, params=settings)
    assert answer.status_code == 422, answer.text
    return answer.json()["errors"]


def value(given):
    return given["value"]


def test_two_binary_arms_are_exact(client):
    given = told(client, patients=60, policy="thompson", burn_in=3)
    design = trials.Design(arms=["control", "new"], patients=60, policy=policies.Thompson(), burn_in=3, analysis=TEST)
    assert given["next"] is None
    for found, policy in zip(given["designs"], (policies.Thompson(), policies.UniformRandom()), strict=True):
        law = trials.exact(design.replace(policy=policy), progress=False)
        assert found["trials"] == 0
        assert value(found["type_1"]) == pytest.approx(law.type_1(0.3))
        assert found["largest_type_1"]["value"] == pytest.approx(law.largest_type_1().value)
        assert value(found["power"]) == pytest.approx(law.reject(0.3, 0.5))
        assert [value(each) for each in found["patients"]] == pytest.approx(law.patients(0.3, 0.5).tolist())
        assert value(found["on_better"]) == pytest.approx(law.patients(0.3, 0.5)[1])
        assert value(found["on_better_sd"]) == pytest.approx(law.patients_sd(0.3, 0.5)[1])
        assert value(found["worse_majority"]) == pytest.approx(law.worse_majority(0.3, 0.5))
        assert value(found["successes"]) == pytest.approx(law.successes(0.3, 0.5))
        assert value(found["gain"]) == pytest.approx(law.successes(0.3, 0.5) - 60 * 0.4, abs=1e-9)
        assert value(found["bias"]) == pytest.approx(law.bias(0.3, 0.5), abs=1e-9)
        assert found["curve"]["type_1"][30] == pytest.approx(law.type_1(found["curve"]["p"][30]))
        assert all(found[name]["exact"] and found[name]["error"] == 0 for name in ("type_1", "power", "bias"))
        assert sum(found["allocation"]["probability"]) == pytest.approx(1)


def test_the_distribution_of_the_allocation_is_exact_too(client):
    (chosen, _) = told(client, patients=40, policy="thompson", effect=-0.2)["designs"]
    counts, chances = chosen["allocation"]["patients"], chosen["allocation"]["probability"]
    assert chosen["allocation"]["width"] == 1
    mean = sum(count * chance for count, chance in zip(counts, chances, strict=True))
    assert mean == pytest.approx(value(chosen["on_better"])) == pytest.approx(value(chosen["patients"][0]))


def test_more_arms_are_simulated_as_in_the_package(client):
    given = told(client, arms=3, patients=50, replications=300)
    design = trials.Design(
        arms=["control", "new 1", "new 2"], patients=50, policy=policies.BesaPlus(), burn_in=5, analysis=TEST
    )
    scenarios = {
        "null": [rewards.Bernoulli(0.3)] * 3,
        "effect": [rewards.Bernoulli(0.3), rewards.Bernoulli(0.5), rewards.Bernoulli(0.3)],
    }
    equal = design.replace(policy=policies.UniformRandom())
    oc = trials.operate({"a": design, "b": equal}, scenarios, replications=300, seed=1, progress=False).data
    assert given["arms"] == list(design.arms)
    assert given["better"] == ["new 1"]
    for found, name in zip(given["designs"], "ab", strict=True):
        at = oc.sel(design=name, scenario="effect")
        assert found["trials"] == 300
        assert value(found["type_1"]) == pytest.approx(float(oc["reject"].sel(design=name, scenario="null")))
        assert value(found["power"]) == pytest.approx(float(at["reject"]))
        assert found["power"]["error"] == pytest.approx(float(at["reject_error"]))
        for each in ("power_any", "power_all", "best"):
            assert value(found[each]) == pytest.approx(float(at[each]))
        assert [value(each) for each in found["patients"]] == pytest.approx(at["patients"].values.tolist())
        assert value(found["on_better"]) == pytest.approx(float(at["patients"].sel(arm="new 1")))
        assert value(found["gain"]) == pytest.approx(float(at["gain"]))
        assert value(found["bias"]) == pytest.approx(float(at["bias"].sel(arm="new 1")))
        assert sum(found["allocation"]["probability"]) == pytest.approx(1)
    assert given["next"] in (None, 1_000)


def test_more_replications_sharpen_the_numbers(client):
    asked = {"patients": 40, "delay": 10}
    few, more = (told(client, **asked, replications=count)["designs"][0] for count in (100, 1_000))
    assert more["power"]["error"] < few["power"]["error"] / 2
    assert max(more["curve"]["error"]) < max(few["curve"]["error"])


def test_numeric_outcomes_are_simulated_as_in_the_package(client):
    given = told(client, outcome="numeric", analysis="welch-t", deviation=0.25, patients=40, replications=100)
    shapes = [(mean * size, (1 - mean) * size) for mean in (0.3, 0.5) for size in [mean * (1 - mean) / 0.25**2 - 1]]
    low, high = (rewards.Beta(*shape) for shape in shapes)
    assert (low.mean, low.variance**0.5) == pytest.approx((0.3, 0.25))
    design = trials.Design(
        arms=["control", "new"],
        patients=40,
        policy=policies.BesaPlus(),
        burn_in=5,
        analysis=trials.WelchT(alpha=0.05, sided="greater"),
    )
    chosen, _ = given["designs"]
    played = chosen["trials"]  # fewer than were asked for on a busy machine
    oc = trials.operate({"a": design}, {"effect": [low, high]}, replications=played, seed=1, progress=False).data
    assert value(chosen["power"]) == pytest.approx(float(oc["reject"].item()))
    assert value(chosen["successes"]) == pytest.approx(float(oc["outcome"].item()))
    assert not chosen["power"]["exact"]
    assert chosen["largest_type_1"] is None


def test_a_drift_is_simulated_beside_exact_numbers(client):
    chosen, equal = told(client, patients=60, drift=0.3, replications=300)["designs"]
    assert chosen["type_1"]["exact"]
    assert chosen["power"]["exact"]
    scenario = trials.Scenario(NULL, drift=0.3)
    design = Trial(TrialSettings(patients=60)).chosen
    oc = trials.operate({"a": design}, {"drift": scenario}, replications=chosen["trials"], seed=1, progress=False).data
    assert value(chosen["type_1_drift"]) == pytest.approx(float(oc["reject"].item()))
    assert chosen["type_1_drift"]["error"] > 0
    assert value(chosen["type_1_drift"]) > value(equal["type_1_drift"])


def test_a_probability_that_no_trial_shows_is_not_called_certain(client):
    (chosen, _) = told(client, control=0, effect=0, delay=15, patients=20)["designs"]
    assert value(chosen["type_1"]) == 0
    assert chosen["type_1"]["error"] > 0.001
    assert not chosen["type_1"]["exact"]


def test_equal_arms_have_no_better_one(client):
    given = told(client, effect=0, patients=30)
    assert given["better"] == []
    assert given["designs"][0]["on_better"]["value"] is None
    assert given["sentence"].startswith("All arms are equally good; type I error is")


def test_the_sentence_compares_with_equal_randomisation(client):
    given = told(client, patients=148, policy="besa-plus(floor=2)")
    assert given["sentence"] == (
        "Compared with equal randomisation, 51 more of 148 patients get the better treatment; power falls from 80.5 % "
        "to 63.0 %; type I error is 7.7 % instead of the nominal 5 %, and up to 13.4 % at other success probabilities."
    )
    assert "takes allocation as fixed in advance" in given["warning"]
    assert told(client, patients=30, analysis="conditional-exact")["warning"] == ""


def test_a_policy_is_given_by_name_text_or_json(client):
    written = ("besa-plus(floor=2)", json.dumps({"name": "besa-plus", "floor": 2}))
    first, second = (told(client, patients=30, policy=text) for text in written)
    assert first == second
    assert first["designs"][0]["name"] == "BESA+ (floor 2)"


@pytest.mark.parametrize(
    ("settings", "place", "words"),
    [
        ({"arms": 1}, "arms", "greater than or equal to 2"),
        ({"arms": 6}, "arms", "less than or equal to 5"),
        ({"patients": MOST_PATIENTS + 1}, "patients", "less than or equal to"),
        ({"patients": "9" * 400}, "patients", "patients"),
        ({"patients": "many"}, "patients", "integer"),
        ({"control": "nan"}, "control", "control"),
        ({"effect": 0.9}, "effect", r"effect must be in [-0.3, 0.7]"),
        ({"outcome": "numeric"}, "analysis", "needs outcomes 0 and 1"),
        ({"outcome": "numeric", "deviation": 0.46, "analysis": "welch-t"}, "deviation", "deviation must be less than"),
        ({"outcome": "numeric", "control": 0, "analysis": "welch-t"}, "deviation", "with mean 0"),
        ({"effect": "1e999"}, "effect", "effect"),
        ({"alpha": 0}, "alpha", "greater than 0"),
        ({"sided": "both"}, "sided", "greater"),
        ({"policy": "oracle"}, "policy", "knows the true values"),
        ({"policy": "__import__('os')"}, "policy", "cannot read"),
        ({"policy": "besa-pls"}, "policy", "did you mean 'besa-plus'?"),
        ({"policy": "{"}, "policy", "not JSON"),
        ({"policy": '{"name": ["besa"]}'}, "policy", "no policy named"),
        ({"policy": "besa-plus(floor=-1)"}, "policy.floor", "floor must be"),
        ({"policy": "a(" * 900}, "policy", ""),
        ({"policy": "x" * 3_000}, "policy", "at most"),
        ({"value": "cvar(alpha=2)"}, "value.alpha", "alpha must be"),
        ({"analysis": "pooledz"}, "analysis", "did you mean 'pooled-z'?"),
        ({"analysis": "conditional-exact", "arms": 3}, "analysis", "need two arms"),
        ({"analysis": "conditional-exact", "patients": 400}, "analysis", "choose fewer patients"),
        ({"analysis": "unconditional-exact", "patients": 90, "delay": 6}, "analysis", "choose fewer patients"),
        ({"analysis": "randomisation-test", "patients": 600}, "analysis", "at most 500 patients"),
        ({"replications": 10**6}, "replications", "less than or equal to"),
        ({"unknown": 1}, "unknown", "no field named 'unknown'"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(client, settings, place, words):
    assert words in refused(client, **settings)[place]


def test_all_wrong_plugins_are_named_at_once(client):
    assert set(refused(client, policy="x", value="y", analysis="z")) == {"policy", "value", "analysis"}


def test_a_rule_without_randomness_has_no_randomisation_test(client):
    errors = refused(client, analysis="randomisation-test", policy="round-robin", burn_in=0, patients=10)
    assert "no power" in errors["analysis"]


def test_the_design_file_gives_the_same_designs(client):
    answer = client.get("/api/trials/design.toml", params={"patients": 40, "drift": 0.2, "policy": "thompson"})
    assert answer.headers["content-disposition"] == 'attachment; filename="design.toml"'
    plan = trials.Plan.from_toml(answer.text)
    trial = Trial(TrialSettings(patients=40, drift=0.2, policy="thompson"))
    assert plan == trial.plan()
    assert list(plan.scenarios) == ["null", "effect", "drift"]
    assert list(plan.designs) == ["Thompson sampling", "equal"]


def test_the_commands_name_the_design_as_a_shell_reads_it(client):
    operate, start = told(client, patients=20, policy="besa-plus(floor=2)")["commands"]
    assert operate == "primum trial operate design.toml --report report"
    assert start == "primum trial start design.toml --journal trial.db --design 'BESA+ (floor 2)'"


def test_the_report_is_an_archive(client):
    answer = client.get("/api/trials/report.zip", params={"patients": 20})
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        page = archive.read("report/index.html").decode()
        plan = trials.Plan.from_toml(archive.read("report/plan.toml").decode())
    assert "BESA+ and equal randomisation" in page
    assert plan.designs["BESA+"].patients == 20
    assert client.get("/api/trials/report.zip", params={"patients": 0}).status_code == 422


def test_the_catalogue_has_what_can_run_a_trial(client):
    given = client.get("/api/trials/catalogue").json()
    assert {"besa-plus", "uniform-random", "posterior-best"} <= set(given["policies"])
    assert "oracle" not in given["policies"]
    assert {"name": "pooled-z", "title": "Pooled Z"}.items() <= next(
        each for each in given["analyses"] if each["name"] == "pooled-z"
    ).items()
    for name in given["policies"]:
        assert client.get("/api/trials/design.toml", params={"policy": name}).status_code == 200, name
    for each in given["analyses"]:
        assert client.get("/api/trials/design.toml", params={"analysis": each["name"]}).status_code == 200, each
    refused = client.get("/api/trials/design.toml", params={"analysis": "boundary"})
    assert "boundary is the final test of a stopping rule, and trials of the laboratory have none" in refused.text


def test_a_posterior_probability_is_exact_for_small_trials_only(client):
    small, large = (
        told(client, analysis="posterior-superiority", patients=count)["designs"][0]["power"] for count in (30, 70)
    )
    assert small["exact"]
    assert not large["exact"]
    answer = client.get("/api/trials/report.zip", params={"analysis": "posterior-superiority", "patients": 100})
    assert "use the commands instead" in answer.json()["errors"][""]


def test_a_client_that_goes_away_stops_the_simulation():
    class Gone:
        async def is_disconnected(self):
            return True

    async def left():
        async with asynccontextmanager(waited_for)(Gone()) as deadline:
            deadline.allow(60)
            for _ in range(10):
                await asyncio.sleep(0)
            return deadline.left

    assert asyncio.run(left()) == 0


def test_a_simulation_stops_when_nobody_waits(manager):
    computation = Computation(Trial(TrialSettings(arms=2, patients=37, delay=20)), manager.trials)
    deadline = Deadline(60)
    computation.simulate(STEPS[0], deadline)
    deadline.stop()
    assert computation.simulate(STEPS[-1], deadline) is None
    assert computation.replications == STEPS[0]
    assert computation.designs()[0].trials == STEPS[0]


def test_the_frontier_has_other_designs_with_valid_tests_below_the_ceiling(client):
    answer = client.get("/api/trials/frontier", params={"patients": 30, "effect": 0.4, "burn_in": 0, "coin": 0.3})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    own, *others = found["points"]
    assert own["own"]
    assert not any(each["own"] for each in others)
    assert (own["coin"], own["burn_in"], own["policy"]["name"]) == (0.3, 0, "besa-plus")
    design = trials.Design(
        arms=["control", "new"], patients=30, policy=own["policy"], coin=0.3,
        analysis=trials.ConditionalExact(sided="greater"),
    )  # fmt: skip
    law = trials.exact(design, progress=False)
    assert own["power"] == pytest.approx(law.reject(0.3, 0.7))
    assert own["share"] == pytest.approx((law.patients(0.3, 0.7)[1] + law.patients(0.7, 0.3)[0]) / 60)
    curve = found["ceiling"]
    for each in found["points"]:
        limit = np.interp(each["power"], curve["power"], curve["share"])
        assert each["share"] <= limit + 1e-3  # the curve is drawn by 41 points
    assert sum(each["shown"] for each in others) in (1, 2)
    assert f"{100 * own['share']:.1f} % of the patients on the better treatment" in found["sentence"]


@pytest.mark.parametrize(
    "settings",
    [{"arms": 3}, {"outcome": "numeric"}, {"drift": 0.1}, {"patients": 400}, {"effect": -0.1}, {"delay": 40}],
)
def test_where_there_is_no_frontier_a_sentence_says_so(client, settings):
    if settings.get("outcome"):
        settings = settings | {"analysis": "welch-t"}
    found = client.get("/api/trials/frontier", params=settings).json()
    assert (found["points"], found["ceiling"]) == ([], {"share": [], "power": []})
    assert "primum trial frontier compares others by simulation" in found["sentence"]
