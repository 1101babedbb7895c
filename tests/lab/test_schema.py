"""Requests made up from the description of the addresses: none finds a mistake of the laboratory."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from primum.lab.http.app import create
from tests.problems import mostly_long

from .questions import data

pytestmark = [pytest.mark.slow, pytest.mark.hypothesis]

CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]
PATIENT_SECONDS = 300  # for an answer: on a busy machine the default of 10 cancels requests, which are then refused
DESCRIBED = create(None).openapi()["paths"]
OPERATIONS = [(method.upper(), path) for path, methods in DESCRIBED.items() for method in methods]
CHANGES = [each for each in OPERATIONS if each[0] != "GET"]  # in make test: what can break most
EXAMPLES = [2, pytest.param(50, marks=pytest.mark.long)]


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("operation", mostly_long(OPERATIONS, CHANGES), ids=" ".join)
def test_no_request_finds_a_mistake(client, operation, examples):
    method, path = operation
    schema = schemathesis.openapi.from_asgi("/openapi.json", client.app)
    known = client.post("/api/runs", json=data()).json()["id"]

    @given(case=schema[path][method].as_strategy())
    @settings(max_examples=examples, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    def check(case):
        if "id" in case.path_parameters:
            case.path_parameters["id"] = known  # one that is made up is never found, and that is tested elsewhere
        case.call_and_validate(checks=CHECKS, timeout=PATIENT_SECONDS)

    check()
