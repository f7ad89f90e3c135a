"""What the server acknowledges is on the disk before it says so, as the kernel sees it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from serve.running_server import process_serving, until
from serve.test_watched_server import CONFIG, recent
from traced_calls import (
    Call,
    answers,
    calls_in,
    is_named_for_good,
    is_synced,
    is_there_for_good,
    renamed_too_soon,
    renames,
    traced,
    unlinks,
    written,
)

MARK = "marked-0123456789"


def a_span() -> bytes:
    """A request of OTLP with one span, of this moment."""
    span = {
        "traceId": "a" * 32,
        "spanId": "b" * 16,
        "name": MARK,
        "endTimeUnixNano": str(time.time_ns()),
    }
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()


@pytest.mark.parametrize("path", ["/v1/records", "/v1/traces"])
def test_a_record_is_synced_before_it_is_acknowledged(tmp_path: Path, path: str) -> None:
    log = tmp_path / "calls"
    body = a_span() if path == "/v1/traces" else json.dumps({"qid": "Q1", "q": MARK}).encode()
    with process_serving(tmp_path, before=traced(log)) as server:
        assert server.ask("POST", path, body, Content_Type="application/json").status == 200
        assert server.stop() == 0
    calls = calls_in(log, tmp_path)
    (answer,) = answers(calls)
    writes = written(calls, MARK, tmp_path / ".ragstone" / "live")
    assert any(is_there_for_good(calls, write, answer.begins, tmp_path) for write in writes)


def test_what_a_failing_disk_did_not_take_is_taken_back_for_good(tmp_path: Path) -> None:
    """The sender was told that nothing is stored: a power loss must not bring it back."""
    log = tmp_path / "calls"
    journal = tmp_path / ".ragstone" / "live" / "journals" / "000000001.journal"
    before = traced(log, "-P", str(journal), "-e", "inject=fsync:error=EIO:when=1")
    with process_serving(tmp_path, before=before) as server:
        assert server.send({"qid": "Q1", "q": MARK}).status == 503
        server.stop(9)
    calls = calls_in(log, tmp_path)
    (cut,) = [call for call in calls if call.name == "ftruncate"]
    assert is_synced(calls, cut, calls[-1].ends + 1)
    assert MARK not in journal.read_text("latin-1")


def test_what_is_renamed_or_removed_in_the_folder_of_data_is_safe_before(tmp_path: Path) -> None:
    """Records move from file to file when something is forgotten, and closed minutes are saved."""
    log, data = tmp_path / "calls", tmp_path / ".ragstone" / "live"
    (tmp_path / "ragstone.toml").write_text(CONFIG)
    with process_serving(tmp_path, before=traced(log)) as server:
        marked = [{**each, "question": MARK} for each in recent(range(3), each=2)]
        assert server.send(*marked, {"qid": "Q7", "q": "gone"}).status == 200
        until(lambda: server.get("/v1/windows").json)
        forgets = json.dumps({"ids": ["Q7"]}).encode()
        answer = server.ask("POST", "/v1/forget", forgets, Content_Type="application/json")
        assert answer.json == {"forgotten": 1}
        assert server.stop() == 0
    calls = calls_in(log, tmp_path)
    last = answers(calls)[-1]
    assert renames(calls, data)
    assert [*renamed_too_soon(calls, data)] == []
    for unlink, path in unlinks(calls, data):
        ends = [write.ends for write in written(calls, MARK, data) if write.path == path]
        if ends:
            assert _is_elsewhere(calls, path, data, ends[-1], unlink), f"{path} had the only copy"
            # What is to be forgotten has no name any more, when it is said to be forgotten.
            assert is_named_for_good(calls, unlink, path, last.begins)


def _is_elsewhere(calls: list[Call], path: str, data: Path, since: int, unlink: Call) -> bool:
    """Whether the folder was given another file since, safe with its name, when one is removed."""
    writes = [write for write in written(calls, "", data) if write.path != path]
    # Whoever removes a file has given the other one its name.
    named = [
        (call, new)
        for call, _, new in renames(calls, data)
        if since < call.ends < unlink.begins and call.thread == unlink.thread
    ]
    return any(
        is_synced(calls, write, unlink.begins) for write in writes if write.begins > since
    ) and (not named or is_named_for_good(calls, *named[-1], unlink.begins))


def test_what_cannot_be_read_is_safe_elsewhere_before_it_is_cut_or_removed(tmp_path: Path) -> None:
    """A torn end of a journal and of the alerts, and a segment that is none, as a crash leaves."""
    data = tmp_path / ".ragstone" / "live"
    (tmp_path / "ragstone.toml").write_text(CONFIG)
    with process_serving(tmp_path) as server:
        server.send(*recent(range(3)))
        until(lambda: server.get("/v1/alerts").json["standing"])
        server.stop(9)
    (journal,) = (data / "journals").iterdir()
    alerts = data / "alerts.jsonl"
    for path in (journal, alerts):
        with path.open("ab") as file:
            file.write(MARK.encode())
    (data / "segments" / "000000000.parquet").write_bytes(b"no table")
    log = tmp_path / "calls"
    with process_serving(tmp_path, before=traced(log)) as server:
        until(lambda: server.get("/readyz").status == 200)
        assert server.stop() == 0
    calls = calls_in(log, tmp_path)
    replaced = [call for call, _, new in renames(calls, data) if new == str(alerts)]
    removed = [call for call, path in unlinks(calls, data) if path == str(journal)]
    assert (len(replaced), len(removed)) == (1, 1)
    for call in (*replaced, *removed):
        copies = written(calls, MARK, data / "aside")
        assert any(is_there_for_good(calls, copy, call.begins, data) for copy in copies), call
    moved = [each for each in renames(calls, data) if each[1].endswith("000000000.parquet")]
    assert moved
    (told,) = [call for call in calls if "000000000.parquet cannot be read" in call.words][:1]
    for rename, old, new in moved:
        assert is_named_for_good(calls, rename, old, told.begins)
        assert is_named_for_good(calls, rename, new, told.begins)


def test_an_alert_is_synced_before_its_minute_is_done_with(tmp_path: Path) -> None:
    log, data = tmp_path / "calls", tmp_path / ".ragstone" / "live"
    (tmp_path / "ragstone.toml").write_text(CONFIG)
    with process_serving(tmp_path, before=traced(log)) as server:
        server.send(*recent(range(3)))
        until(lambda: server.get("/v1/alerts").json["standing"])
        assert server.stop() == 0
    calls = calls_in(log, tmp_path)
    writes = written(calls, "coverage/raised", data)
    assert writes
    assert all(is_synced(calls, write, calls[-1].begins) for write in writes)
