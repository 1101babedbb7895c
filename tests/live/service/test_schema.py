"""Requests made up from the description of the addresses: none finds a mistake of the service."""

from __future__ import annotations

import itertools

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from tests.live.joining import ON_SERVER
from tests.problems import mostly_long

from .test_api import ALLOWED, FREE, LETTERS

pytestmark = [pytest.mark.slow, pytest.mark.hypothesis]

OPERATIONS = [*ALLOWED, *FREE]
CHANGES = [each for each in OPERATIONS if each[0] != "GET"]  # in make test: what can break most
EXAMPLES = [2, pytest.param(25, marks=pytest.mark.long)]  # for each role
CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]
PATIENT_SECONDS = 300  # for an answer: on a busy machine the default of 10 cancels requests, which are then refused
KNOWN = {
    "participant": "P-1",
    "name": "Ann",
    "arm": "new",
    "roles": ["enrol"],
    "outcome": 1,
    "reason": "x",
    "text": "x",
}


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("operation", mostly_long(OPERATIONS, CHANGES), ids=" ".join)
def test_no_request_finds_a_mistake(served, operation, examples):
    method, path = operation
    schema = schemathesis.openapi.from_asgi("/openapi.json", served.client.app, headers=served.headers("enrol"))
    served.live.enrol("P-1", who="test")
    served.live.admit("Ann", ["monitor"], who=ON_SERVER)
    numbers = itertools.count()

    def check(person):
        @given(case=schema[path][method].as_strategy())
        @settings(max_examples=examples, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        def requests(case):
            if next(numbers) % 2:  # with what is there: made-up names are never found
                if isinstance(case.body, dict):
                    case.body = {key: KNOWN.get(key, part) for key, part in case.body.items()}
                if "name" in case.path_parameters:
                    case.path_parameters["name"] = "Ann"
            case.headers = {**(case.headers or {}), **served.headers(person)}
            case.call_and_validate(checks=CHECKS, timeout=PATIENT_SECONDS)

        requests()

    for letter in ALLOWED.get((method, path), ""):
        check(LETTERS[letter])
    check("everything")
