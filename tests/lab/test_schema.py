"""Requests made up from the description of the addresses: none finds a mistake of the laboratory."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error

from primum.lab.app import create

DESCRIBED = create(None).openapi()["paths"]
OPERATIONS = [(method.upper(), path) for path, methods in DESCRIBED.items() for method in methods]


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=[" ".join(each) for each in OPERATIONS])
def test_no_request_finds_a_mistake(client, method, path):
    schema = schemathesis.openapi.from_asgi("/openapi.json", client.app)

    @given(case=schema[path][method].as_strategy())
    @settings(max_examples=50, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    def check(case):
        case.call_and_validate(checks=[not_a_server_error])

    check()
