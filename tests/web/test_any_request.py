"""Requests of every shape that the OpenAPI file allows or forbids, made by schemathesis: none meets a fault of ours.

What comes back is a status, a type and a body that the file names for the path. ``ANY_REQUESTS=300 pytest
tests/web/test_any_request.py`` sends more of each.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import small_tickets
from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app
from autokb.web.middleware import ServiceLimits

EXAMPLES = int(os.environ.get("ANY_REQUESTS", "8"))  # of each path and kind
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
load_all_checks()


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=str)
def test_no_request_meets_a_fault_or_what_is_not_documented(
    hand_made: Workspace, tmp_path: Path, mode: GenerationMode
) -> None:
    kb = SupportKB(hand_made)
    kb.add([small_tickets.write(tmp_path / "tickets.json")], "tickets")
    kb.tickets.build()
    headers = {"authorization": f"Bearer {kb.keys.create('admin').key}"}
    app = create_app(hand_made.folder, limits=ServiceLimits(requests_a_minute=0))
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=headers)
    statuses: set[int] = set()
    asked = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @given(case=operation.as_strategy(mode))
        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def send(case: Case) -> None:
            response = case.call(headers=headers)
            statuses.add(response.status_code)
            case.validate_response(response, checks=CHECKS)  # type: ignore[arg-type]

        try:
            send()
            asked += 1
        except Exception as error:
            if "Unsatisfiable" not in type(error).__name__:  # no such request can be made: nothing can be wrong with it
                raise
    assert asked >= 15 and statuses <= {200, 400, 401, 404, 405, 422}
    assert 200 in statuses or mode == GenerationMode.NEGATIVE
