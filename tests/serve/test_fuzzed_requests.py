"""Requests made up from the server's own description: each is answered, and none with 500."""

from __future__ import annotations

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from long_runs import examples
from serve.running_server import serving

TOKEN = "a-token-of-some-length"
# What a request may be answered with; a fault of the server's own is none of it.
KNOWN = {200, 302, 303, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 431}


# The inputs are made up inside of it, which `make ci-long` cannot see.
@pytest.mark.hypothesis
@pytest.mark.parametrize("token", ["", TOKEN])
def test_made_up_requests_are_answered(tmp_path: Path, token: str) -> None:
    environment = {"RAGSTONE_TOKEN": TOKEN} if token else {}
    with serving(tmp_path, **environment) as server:
        headers = {"Authorization": f"Bearer {TOKEN}"} if token else {}
        description = server.get("/openapi.json", **headers).json
        schema = schemathesis.openapi.from_dict(description)
        schema.config.update(base_url=server.url)
        for operation in schema.get_all_operations():

            @settings(
                max_examples=examples(5, long=200),
                deadline=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def answered(case: schemathesis.Case) -> None:
                # Nothing that was made up is the token.
                without = case.call(timeout=30, headers={"Authorization": "Bearer made-up"})
                assert without.status_code in KNOWN, without.text
                if token and case.path.startswith(("/v1/", "/metrics", "/openapi")):
                    assert without.status_code in (401, 429)
                    assert list(without.json()) == ["error"]
                elif token and case.path not in ("/livez", "/readyz"):
                    # Pages lead to where people sign in.
                    assert without.status_code != 200 or b"sign-in" in without.content
                answer = case.call(timeout=30, headers=headers)
                assert answer.status_code in KNOWN, answer.text

            _each(operation.ok(), answered)
        assert server.get("/readyz").body == b"ok\n"


def _each(operation: schemathesis.schemas.APIOperation, answered: object) -> None:  # type: ignore[type-arg]
    given(case=operation.as_strategy())(answered)()  # type: ignore[arg-type, misc]
