"""The recorded responses of the article in the documents are those that the laboratory gives."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
RECORDED = json.loads((DOCS / "learn.json").read_text())


@pytest.fixture(scope="module")
def rounded():
    spec = importlib.util.spec_from_file_location("learn", DOCS / "learn.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.rounded


def told(client, request):
    address, _, body = request.partition(" ")
    if not body:
        return client.get(address)
    return client.post(address, content=body, headers={"content-type": "application/json"})


@pytest.mark.parametrize("apart", [6, pytest.param(1, marks=pytest.mark.long)])
def test_the_recording_is_up_to_date(lab, rounded, apart):
    """All requests in the long form, else runs and each sixth of the others."""
    client = lab.client
    few = [request for request in RECORDED if not request.startswith("/api/runs")][::apart]
    recorded = {request: RECORDED[request] for request in RECORDED if request.startswith("/api/runs") or request in few}
    for request in recorded:
        if request.startswith("/api/runs {"):
            client.get(f"/api/runs/{told(client, request).json()['id']}/events")
    stale = []
    for request, response in recorded.items():
        now = rounded(told(client, request).json())
        if "/figures/" in request:  # its curves are bytes, whose last digit may depend on the processor
            now, response = (
                {key: each[key] for key in ("title", "subtitle", "replications")} for each in (now, response)
            )
        if now != response:
            stale.append(request)
    assert stale == [], "run docs/learn.py, which is part of make figures"
