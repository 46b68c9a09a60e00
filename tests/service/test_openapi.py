"""The invoke API against its own OpenAPI document, with whatever schemathesis thinks of."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.service.configs import talkative
from tests.service.serving import Inside
from workbench.service.openapi import document

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    service = Inside(tmp_path_factory.mktemp("openapi"), talkative()).start()
    yield schemathesis.openapi.from_url(f"{service.url}/openapi.json")
    service.stop()


OPERATIONS = [(path, method.upper()) for path, methods in document()["paths"].items() for method in methods]


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_the_service_keeps_to_its_document(api: Any, path: str, method: str) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=api[path][method].as_strategy())
    def holds(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=CHECKS)

    holds()
