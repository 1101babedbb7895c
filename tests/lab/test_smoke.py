"""A run of the laboratory, by a script and in a browser: these tests also run with the oldest supported versions."""

from __future__ import annotations

import json

import pytest

from primum import Results

from .browsing import drawing, ends, finished
from .questions import data, question

pytestmark = pytest.mark.smoke


def test_by_a_script(client):
    id = client.post("/api/runs", json=data()).json()["id"]
    with client.stream("GET", f"/api/runs/{id}/events") as stream:
        told = [json.loads(line.removeprefix("data:")) for line in stream.iter_lines() if line.startswith("data:")]
    assert told[-1]["state"] == "finished"
    results = Results.from_bytes(client.get(f"/api/runs/{id}/results.nc").content)
    assert results == question().experiment().run(progress=False)
    assert client.get(f"/api/runs/{id}/figures/regret.json").json()["data"]
    assert client.get(f"/api/runs/{id}/figures/regret.png").content.startswith(b"\x89PNG")


def test_faults_are_told_by_field(client):
    refused = client.post("/api/runs", json=data(horizon=0))
    assert refused.status_code == 422
    assert "horizon" in refused.text


def test_in_a_browser(visitor):
    page = visitor.open()
    drawing(page)
    page.get_by_role("button", name="Run", exact=True).click()
    finished(page)
    assert all(regret > 0 for regret in ends(drawing(page)).values())
