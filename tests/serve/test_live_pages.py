"""The live board and the rows behind its alerts, of a server that runs and of its folder."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from command import Process
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from serve.recorded_hour import COVERAGE_DROP, INDEX_DRIFT, SLOW, START, records
from serve.running_server import Server, serving, until
from written_spans import openinference, tracer

from ragstone.serve.moments import minute_in, minute_name
from ragstone.serve.page_routes import PAGES

FIRST = START // 60_000
UNTIL = SLOW[0] + 4


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("live")) as running:
        for begin in range(0, UNTIL, 10):
            assert running.send(*records(range(begin, min(begin + 10, UNTIL)))).status == 200
        last = minute_name(FIRST + UNTIL - 4)
        until(lambda: running.get("/live.json").json["minute"] == last)
        yield running


@pytest.fixture(scope="module")
def board(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/live.json").json
    return found


def raised(board: dict[str, Any], name: str) -> dict[str, Any]:
    found = [each for each in board["alerts"] if (each["alert"], each["state"]) == (name, "raised")]
    assert len(found) == 1, found
    return found[0]


def rows(server: Server, alert: dict[str, Any]) -> dict[str, Any]:
    answer = server.get(f"/live/rows.json?id={quote(alert['id'], safe='')}")
    assert answer.status == 200
    found: dict[str, Any] = answer.json
    return found


def test_the_board_has_every_number_with_its_rule(board: dict[str, Any]) -> None:
    numbers = {each["name"]: each for each in board["numbers"]}
    wanted = ("coverage", "citation_accuracy", "delta_s_median", "delta_s_p90", "divergence")
    assert set(wanted) | {"index_hashes", "top_ten_tau", "p95_ratio", "p95_llm"} <= set(numbers)
    assert numbers["coverage"]["rule"] == "< 0.7 for 5m"
    assert (numbers["coverage"]["value"], numbers["coverage"]["status"]) == (1.0, "PASS")
    # A minute by itself for each of the hour; what came before the first record is not there.
    values = numbers["coverage"]["values"]
    assert len(values) == len(board["records"]) == 60
    assert values.count(0.5) == COVERAGE_DROP[1] - COVERAGE_DROP[0]
    assert board["records"][-1] == 50
    assert numbers["p95_ratio"]["status"] == "FAIL"
    budget = {each["name"]: each for each in board["budgets"]}
    assert budget["coverage"]["missed"] == 25 * (COVERAGE_DROP[1] - COVERAGE_DROP[0])


def test_an_alert_leads_to_the_rows_that_caused_it(server: Server, board: dict[str, Any]) -> None:
    coverage = rows(server, raised(board, "coverage"))
    assert (coverage["looked_at"], coverage["total"], len(coverage["rows"])) == (250, 125, 100)
    assert {row["why"] for row in coverage["rows"]} == {"coverage 0.0"}
    spike = rows(server, raised(board, "delta_s_p90"))
    assert {row["why"] for row in spike["rows"]} == {"ΔS 0.7"}
    drift = rows(server, raised(board, "index_hashes"))
    assert [(row["index_hash"], row["qid"]) for row in drift["rows"]] == [("other", "Q7")]
    assert drift["rows"][0]["at"].startswith(minute_name(FIRST + INDEX_DRIFT)[:16])
    slow = rows(server, raised(board, "p95_ratio"))
    assert slow["total"] == 50
    assert all(row["why"].startswith("llm 3") for row in slow["rows"])
    assert slow["rows"][0]["claim"].startswith("It is ")
    assert len(slow["rows"][0]["retrieved"]) == 10


def test_the_page_leads_from_the_alert_to_its_rows(server: Server, board: dict[str, Any]) -> None:
    page = server.get("/live").body.decode()
    alert = raised(board, "index_hashes")
    assert f'href="/live/rows?id={quote(alert["id"])}"' in page
    assert 'http-equiv="refresh"' not in page
    assert "1 alert stands" in page
    shown = server.get(f"/live/rows?id={quote(alert['id'])}").body.decode()
    assert "index other" in shown


def test_the_page_loads_itself_again_only_where_that_is_asked_for(server: Server) -> None:
    page = server.get("/live?refresh=30").body.decode()
    assert '<meta http-equiv="refresh" content="30">' in page
    assert "Stop that" in page
    assert server.get("/live?refresh=1").status == 400


@pytest.mark.parametrize("id", ["", "coverage", "coverage/raised/1", "../alerts.jsonl", "x" * 501])
def test_an_alert_that_there_is_not_has_no_rows(server: Server, id: str) -> None:
    for address in ("/live/rows", "/live/rows.json"):
        answer = server.get(f"{address}?id={quote(id, safe='')}")
        assert answer.status == (400 if len(id) > 500 else 404)


def test_a_folder_shows_the_same_without_a_port_while_the_server_runs(
    server: Server, board: dict[str, Any], ragstone: Process
) -> None:
    data = ("--data", str(server.folder / ".ragstone" / "live"))
    ran = ragstone("serve", *data, "--get", "/live.json")
    assert ran.code == 0, ran.err
    assert {**ran.json, "late": 0} == board
    alert = raised(board, "coverage")
    ran = ragstone("serve", *data, "--get", f"/live/rows.json?id={alert['id']}")
    assert ran.json == rows(server, alert)
    ran = ragstone("serve", "--data", "none", "--get", "/live.json")
    assert (ran.code, "no live board" in ran.json["error"]) == (1, True)


def test_texts_stay_out_of_rows_where_the_file_says_so(
    tmp_path: Path, server: Server, board: dict[str, Any], ragstone: Process
) -> None:
    ragstone.folder.write("ragstone.toml", "[report]\ntexts = 'none'\n")
    data = ("--data", str(server.folder / ".ragstone" / "live"))
    alert = raised(board, "coverage")
    for form in ("/live/rows.json", "/live/rows"):
        ran = ragstone("serve", *data, "--get", f"{form}?id={alert['id']}")
        assert ran.code == 0
        assert b"Q0" in ran.out
        assert b"It is " not in ran.out
        assert b"question 0?" not in ran.out


def test_a_server_without_records_says_what_to_do(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert server.get("/live.json").json["minute"] == ""
        assert "/v1/records" in server.get("/live").body.decode()


def test_rows_that_are_forgotten_are_not_shown(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for begin in range(0, 26, 13):
            server.send(*records(range(begin, begin + 13)))
        until(lambda: server.get("/live.json").json["alerts"])
        alert = raised(server.get("/live.json").json, "coverage")
        assert rows(server, alert)["total"] > 0
        ids = json.dumps({"ids": [f"Q{number}" for number in range(10)]}).encode()
        server.ask("POST", "/v1/forget", ids, Content_Type="application/json")
        found = rows(server, alert)
        assert (found["gone"], found["rows"], found["total"]) == (True, [], 0)


@settings(max_examples=20)
@given(st.integers(0, 4_000_000_00))
def test_a_minute_is_read_as_it_is_written(minute: int) -> None:
    assert minute_in(minute_name(minute)) == minute


@pytest.mark.parametrize("path", ["/live", "/live/rows"])
def test_a_live_page_and_its_data_say_the_same(
    server: Server, board: dict[str, Any], path: str
) -> None:
    from serve.test_pages import MENTIONED

    kind = next(each for each in PAGES if each.path == path)
    query = f"?id={quote(raised(board, 'coverage')['id'])}" if path == "/live/rows" else ""
    every = {each.name for each in fields(kind.page)}
    assert set(server.get(f"{path}.json{query}").json) == every
    assert every <= MENTIONED


def test_the_rows_behind_an_alert_of_spans_are_whole_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server's own clock bounds the windows, so the spans are those of minutes ago.
    monkeypatch.setattr("opentelemetry.sdk.trace.time_ns", lambda: time.time_ns() - 200 * 10**9)
    settings = "late = '1s'\nsamples = 10\nbaseline = {all = 0.001}\n"
    (tmp_path / "ragstone.toml").write_text(f"[serve]\n{settings}")
    with serving(tmp_path) as server:
        with tracer(OTLPSpanExporter(f"{server.url}/v1/traces")) as spans:
            for number in range(12):
                openinference(spans, f"Q{number}", "Who?", "Ada.", {"d1": "Ada wrote it."})
        later = {"question": "later", "retrieval": {}, "ts": time.time()}
        assert server.send(later).status == 200
        until(lambda: server.get("/live.json").json["alerts"])
        found = rows(server, raised(server.get("/live.json").json, "p95_ratio"))
        assert (found["looked_at"], found["total"]) == (12, 12)
        row = found["rows"][0]
        assert (row["question"], row["claim"], row["retrieved"]) == ("Who?", "Ada.", ["d1"])
        assert row["why"].startswith("all ")
