"""Requests made up from the description of the addresses: none finds a mistake of the laboratory."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from .questions import data

schema = schemathesis.pytest.from_fixture("described")
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture
def described(client):
    """The description, and one run that there is."""
    client.post("/api/runs", json=data())
    return schemathesis.openapi.from_asgi("/openapi.json", client.app)


@schema.parametrize()
@settings(
    max_examples=60,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_request_finds_a_mistake(case):
    case.call_and_validate(checks=CHECKS)
