"""The addresses of the laboratory: all that the page does, by a script."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest
from PIL import Image

from primum import Results
from primum.lab.http.schemas import Question
from primum.runs import Experiment

from .questions import data, question

KINDS = ("regret", "best-arm", "worst-arm", "reward", "final", "choices", "arms")


def finished(client, asked=None):
    """The id of a run that was followed to its end."""
    run = client.post("/api/runs", json=asked or data())
    assert run.status_code == 202, run.text
    id = run.json()["id"]
    assert events(client, id)[-1]["state"] == "finished"
    return id


def events(client, id):
    with client.stream("GET", f"/api/runs/{id}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        return [json.loads(line.removeprefix("data:")) for line in stream.iter_lines() if line.startswith("data:")]


def test_a_run_from_the_question_to_the_data(client):
    id = finished(client)
    results = Results.from_bytes(client.get(f"/api/runs/{id}/results.nc").content)
    assert results == question().experiment().run(progress=False)
    told = client.get(f"/api/runs/{id}/summary.json").json()
    row = results.summary().to_dict("records")[1]
    assert told["rows"][1]["regret_mean"] == row["regret_mean"]
    assert told["comparisons"][0]["sentence"] == str(results.compare("besa-plus", "ucb1"))
    table = pd.read_csv(io.BytesIO(client.get(f"/api/runs/{id}/summary.csv").content))
    assert table["regret_mean"].tolist() == pytest.approx(results.summary()["regret_mean"].tolist(), rel=1e-12)
    assert Experiment.from_toml(client.get(f"/api/runs/{id}/experiment.toml").text) == question().experiment()
    assert "primum.simulate(" in client.get(f"/api/runs/{id}/script.py").text
    assert client.get(f"/api/runs/{id}/command.sh").text.startswith("primum simulate -")


@pytest.mark.parametrize("kind", KINDS)
def test_each_figure_comes_in_all_forms(client, kind):
    id = finished(client)
    told = client.get(f"/api/runs/{id}/figures/{kind}.json").json()
    assert told["title"]
    assert told["data"]
    assert told["replications"] == 20
    assert "title" not in told["layout"], "the page has its own heading"
    with Image.open(io.BytesIO(client.get(f"/api/runs/{id}/figures/{kind}.png").content)) as image:
        assert image.width > 500
    assert b"<svg" in client.get(f"/api/runs/{id}/figures/{kind}.svg").content[:1000]
    assert len(pd.read_csv(io.BytesIO(client.get(f"/api/runs/{id}/figures/{kind}.csv").content))) > 1


def test_figures_take_a_statistic_a_scale_and_policies_to_leave_out(client):
    id = finished(client)
    address = f"/api/runs/{id}/figures/regret.json"
    median = client.get(address, params={"statistic": "median", "log": True, "hidden": "ucb1"}).json()
    assert median["layout"]["xaxis"]["type"] == "log"
    assert {trace["legendgroup"] for trace in median["data"]} == {"0"}
    unknown = client.get(address, params={"hidden": "usb1"})
    assert unknown.status_code == 422
    assert "did you mean 'ucb1'" in unknown.json()["errors"]["hidden"]


def test_a_replay_shows_the_duel(client):
    id = finished(client)
    steps = client.get(f"/api/runs/{id}/replay", params={"policy": 0, "first": 41, "count": 20}).json()["steps"]
    assert [step["step"] for step in steps] == list(range(41, 61))
    assert any(step["why"]["duels"] for step in steps)
    assert client.get(f"/api/runs/{id}/replay", params={"policy": 7}).status_code == 422
    assert client.get(f"/api/runs/{id}/replay", params={"first": 0}).status_code == 422


def test_a_question_is_previewed(client):
    told = client.post("/api/appraisal", json=data()).json()
    assert told["errors"] == {}
    assert told["best"] == ["new"]
    broken = client.post("/api/appraisal", json=data(value={"name": "formula", "text": "mean -"}, horizon="ten")).json()
    assert {"value.text", "horizon"} <= set(broken["errors"])
    assert broken["arms"][1]["mean"] == 0.5, "what is right is still looked at"


def test_the_cost_of_a_question_is_told_before_it_is_run(client):
    small = client.post("/api/cost", json=data()).json()
    assert small["fits"]
    large = client.post("/api/cost", json=data(horizon=1_000_000, replications=100_000)).json()
    assert not large["fits"]
    assert large["seconds"] > 100 * small["seconds"]
    refused = client.post("/api/runs", json=data(horizon=1_000_000, replications=100_000))
    assert refused.status_code == 422
    assert "times the limit" in refused.json()["errors"][""]
    assert client.post("/api/cost", json=data(horizon=0)).status_code == 422


def test_catalogue_and_presets(client):
    told = client.get("/api/catalogue").json()
    assert {"besa-plus", "ucb1"} <= {plugin["name"] for plugin in told["policies"]}
    for preset in client.get("/api/presets").json():
        asked = client.get(f"/api/presets/{preset['name']}")
        assert asked.status_code == 200, preset
        Question.model_validate_json(asked.text)
    assert client.get("/api/presets/bernouli").status_code == 404
    assert client.get("/api/presets/bernoulli", params={"arms": 51}).status_code == 422


def test_arms_from_a_csv_file(client):
    send = {"headers": {"content-type": "text/csv"}, "content": "arm,outcome\nold,10\nnew,30\nold,20\n"}
    told = client.post("/api/arms-from-csv", **send).json()
    assert (told["low"], told["high"]) == (10, 30)
    assert [arm["name"] for arm in told["arms"]] == ["old", "new"]
    assert told["arms"][0]["distribution"]["data"] == [0, 0.5]
    wider = client.post("/api/arms-from-csv", params={"low": 0, "high": 40}, **send).json()
    assert wider["arms"][0]["distribution"]["data"] == [0.25, 0.5]
    assert client.post("/api/arms-from-csv", json={}).status_code == 415


@pytest.mark.parametrize("kind", ["Application/JSON", "APPLICATION/json; charset=UTF-8"])
def test_media_types_are_the_same_in_capitals(client, kind):
    sent = {"content": json.dumps(data()), "headers": {"content-type": kind}}
    assert client.post("/api/appraisal", **sent).status_code == 200
    assert client.post("/api/runs", **sent).status_code == 202


def test_names_like_formulas_of_spreadsheets_are_text_in_tables(client):
    names = ["=cmd|'/c calc'!A0", "+1+1", "-2", "@SUM(A1)", "plain"]
    arms = [{"name": name, "distribution": f"constant(value=0.{i})"} for i, name in enumerate(names)]
    id = finished(client, data(arms=arms))
    found = pd.read_csv(io.BytesIO(client.get(f"/api/runs/{id}/figures/choices.csv").content), dtype=str)
    assert {*found["arm"]} == {"'=cmd|'/c calc'!A0", "'+1+1", "-2", "'@SUM(A1)", "plain (best)"}
    assert client.get(f"/api/runs/{id}/summary.csv").status_code == 200


def test_equal_questions_have_one_run_and_a_title_makes_another_link(client):
    first = finished(client)
    assert client.post("/api/runs", json=data()).json() | {"sentence": ""} == {
        "id": first,
        "state": "finished",
        "replications": 20,
        "of": 20,
        "share": 1.0,
        "seconds_left": None,
        "sentence": "",
    }
    titled = client.post("/api/runs", json=data(title="mine")).json()
    assert titled["id"] != first


def test_a_link_opens_the_question_again(client):
    id = finished(client)
    again = client.get(f"/api/runs/{id}").json()
    assert Question.model_validate(again["question"]) == question()
    assert again["run"]["state"] == "finished"
    assert client.get(f"/api/runs/{'0' * 32}").status_code == 404
    assert client.get(f"/api/runs/{'0' * 32}/events").status_code == 404
    assert client.get("/api/runs/..%2f..%2fetc").status_code in (404, 422)


def test_the_page_asks_nothing_of_other_hosts(client):
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert "unsafe" not in policy
    assert "http://" not in page.text.replace("http://www.w3.org", "")
    assert "https://" not in page.text


def test_the_files_of_the_page_are_kept_for_ever_at_an_address_with_a_version(client):
    page = client.get("/").text
    scripts = [part.split('"')[0] for part in page.split('src="')[1:]]
    assert any("plotly" in script for script in scripts)
    for script in scripts:
        sent = client.get(script, headers={"accept-encoding": "gzip"})
        assert sent.status_code == 200
        assert sent.headers["content-encoding"] == "gzip"
        assert "immutable" in sent.headers["cache-control"]
    assert client.get(scripts[0].replace("/static/", "/static/0")).status_code == 404
    assert client.get(scripts[0], headers={"accept-encoding": "identity"}).headers.get("content-encoding") is None


def test_the_addresses_describe_themselves(client):
    schema = client.get("/openapi.json").json()
    assert "/api/runs/{id}/events" in schema["paths"]
    assert client.get("/docs").status_code == 200
