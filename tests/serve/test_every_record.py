"""Whatever record is acknowledged survives a kill, is counted in its window, and is forgotten."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from long_runs import examples
from serve.running_server import process_serving, serving, until
from serve.test_watched_server import CONFIG, recent

from ragstone.serve.batch_reader import Read, read_records
from ragstone.serve.frames import Batch
from ragstone.serve.group_commit import Incoming
from ragstone.serve.live_store import LiveStore
from ragstone.serve.minute_rows import Judging, Line
from ragstone.serve.minute_windows import MinuteWindows
from ragstone.serve.moments import MINUTE
from ragstone.serve.otlp_spans import read_spans
from ragstone.serve.stored_lines import lines_of
from ragstone.serve.window_numbers import WindowSettings
from ragstone.suites.audit.options import AuditOptions

NOW = 1_767_225_600_000
NUMBERS = st.one_of(
    st.integers(1, 6_000).map(lambda digits: "9" * digits),
    st.integers(1, 6_000).map(lambda digits: "-" + "8" * digits),
    st.sampled_from(["1e400", "-1e400", "1e-400", "-0", "1e308", "4.9e-324", "0.1e+3", "1E5"]),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
)
ODD = (
    '\x00\x1f\x7f\x85\u00ad\u0301\u0600\u200b\u2028\u202e\ufeff\ufffe\uffff\U0001f468\U0010ffff"\\/'
)
TEXTS = st.one_of(
    st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"]))),
    st.sampled_from(["", " ", "0", "null", "a" * 5_000, "\u0301" * 25, "Ó\x93RSJ" * 20]),
)
QUOTED = st.one_of(
    TEXTS.map(json.dumps),
    TEXTS.map(lambda text: json.dumps(text, ensure_ascii=False)),
    # Halves of pairs, and pairs, as escapes; and other odd spellings.
    st.sampled_from([r'"\ud800"', r'"\udc00 x"', r'"\ud83d\ude00"', r'"\u0000"', r'"\/\b\f"']),
)
PLAIN = st.one_of(NUMBERS, QUOTED, st.sampled_from(["true", "false", "null", "[]", "{}"]))
DEEP = st.integers(1, 220).map(lambda depth: "[" * depth + "]" * depth)
KEYS = st.one_of(st.sampled_from(["", "a.b", "__proto__", "QID", "from_", 'a"b', "$", "1"]), TEXTS)


def an_object(
    keys: st.SearchStrategy[str], values: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    pairs = st.dictionaries(keys, values, max_size=4)
    return pairs.map(
        lambda some: "{" + ",".join(f"{json.dumps(key)}:{some[key]}" for key in some) + "}"
    )


VALUES = st.recursive(
    st.one_of(PLAIN, DEEP),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda some: f"[{','.join(some)}]"), an_object(KEYS, inner)
    ),
    max_leaves=6,
)
TS = st.one_of(
    st.sampled_from([str(NOW), str(NOW / 1000), '"2025-12-31T23:59:30Z"', "null"]), PLAIN
)
FIELDS = {
    **dict.fromkeys(("qid", "q_id", "q", "question", "trace_id", "x", "ragstone.live"), VALUES),
    "ts": TS,
    "retrieved_ids": st.one_of(
        VALUES, st.lists(QUOTED, max_size=3).map(lambda some: f"[{','.join(some)}]")
    ),
    "answer_json": an_object(st.sampled_from(["claim", "citations", "x"]), VALUES),
    "retrieval": an_object(st.sampled_from(["topk", "index_hash", "ΔS_list", "x"]), VALUES),
    "answer": an_object(st.sampled_from(["claim", "citations", "coverage", "ΔS", "x"]), VALUES),
    "perf": an_object(st.sampled_from(["t_retrieve_ms", "t_reason_ms"]), NUMBERS),
    "context": an_object(st.sampled_from(["build", "client"]), QUOTED),
    "latency_ms": NUMBERS,
}


@st.composite
def records(draw: st.DrawFn) -> bytes:
    """A record with a few fields, each as it should be or not."""
    names = draw(st.lists(st.sampled_from([*FIELDS]), min_size=1, max_size=4, unique=True))
    said = ",".join(f"{json.dumps(name)}:{draw(FIELDS[name])}" for name in names)
    return f"{{{said}}}".encode("utf-8", "surrogatepass")


@st.composite
def spans(draw: st.DrawFn) -> bytes:
    """A request with one root span that has an odd attribute."""
    value = draw(VALUES)
    key = draw(st.sampled_from(["metadata", "metadata.qid", "input.value", "output.value", "x"]))
    inside = draw(st.sampled_from(["stringValue", "intValue", "doubleValue", "arrayValue", "x"]))
    span = (
        f'{{"traceId":"{"a" * 32}","spanId":"{"b" * 16}","endTimeUnixNano":"{NOW}000000",'
        f'"startTimeUnixNano":"{NOW}000000","name":{draw(PLAIN)},'
        f'"attributes":[{{"key":"{key}","value":{{"{inside}":{value}}}}}]}}'
    )
    return f'{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}'.encode(
        "utf-8", "surrogatepass"
    )


NEIGHBOUR = b'{"qid":"good","q":"a good neighbour","retrieved_ids":["d1"]}'


@contextmanager
def killed(read: Read) -> Iterator[LiveStore]:
    """The store that begins with what a kill leaves of one that has acknowledged records."""
    with tempfile.TemporaryDirectory() as folder:
        data, copy = Path(folder) / "live", Path(folder) / "copy"
        store = LiveStore(data)
        batch = Batch("", "", NOW, tuple(read.records))
        receipt = store.submit(Incoming(batch, tuple(read.lines), 1)).result(60)
        assert receipt.stored + receipt.repeated == len(read.records)
        shutil.copytree(data, copy)
        again = LiveStore(copy)
        yield again
        again.close()
        store.close()


def unread(words: str) -> None:
    pytest.fail(words)


def holds(read: Read) -> None:
    """What must be true of every record that was taken."""
    kept = {record.id: record for record in read.records}
    with killed(read) as store:
        lines = [*lines_of(store.records(), unread)]
        assert {record.id: record for record, _ in lines} == kept
        # Different records may come out as one and the same line.
        assert len(lines) == len(kept)
        stored = zip(read.records, read.lines, strict=True)
        assert {record.id: line for record, line in lines} == {
            record.id: line for record, line in stored
        }
        windows = MinuteWindows(WindowSettings(samples=1), (), Judging(AuditOptions()))
        try:
            first = min(record.moment for record in kept.values()) // MINUTE
            last = max(record.moment for record in kept.values()) // MINUTE
            for record, line in lines:
                if record.kind == "span":
                    windows.add_span(line, record.moment)
                else:
                    windows.add(Line(record.moment, record.id, line))
            windows.advance((last + 10) * MINUTE)
            joined = sum(record.kind == "span" for record in kept.values())
            lost = sum(windows.losses.values())
            assert sum(windows.counts(first, last).values()) in (len(kept), len(kept) - joined)
            assert sum(windows.counts(first, last).values()) + (lost and joined) == len(kept)
            for record, _ in lines:
                windows.forget(frozenset([record.id]))
        finally:
            windows.close()
        odd = [record for record in kept.values() if "a good neighbour" not in record.text]
        assert store.forget([record.id for record in odd]) == len(odd)
        left = [record.text for record in store.records()]
        assert left == [record.text for record in kept.values() if record not in odd]


@given(odd=st.lists(records(), min_size=1, max_size=3))
@settings(deadline=None, max_examples=examples(15, 1_000))
def test_every_record_that_is_taken_is_kept_counted_and_forgotten(odd: list[bytes]) -> None:
    read = read_records(b"\n".join([*odd, NEIGHBOUR]), NOW)
    assume(len(read.records) > 1)
    # Windows are made for moments near each other; any other moment is looked at by itself.
    near = [abs(record.moment - NOW) < 10 * MINUTE for record in read.records]
    assume(all(near) or len(read.records) == 2)
    if not all(near):
        read.records, read.lines = read.records[:1], read.lines[:1]
    holds(read)


@given(body=spans())
@settings(deadline=None, max_examples=examples(8, 500))
def test_every_span_that_is_taken_is_kept_counted_and_forgotten(body: bytes) -> None:
    try:
        read = read_spans(body, NOW, protobuf=False)
    except Exception as error:
        assert type(error).__name__ == "InputError"
        return
    assume(read.records)
    holds(read)


LONG = b'{"qid":"x","q":"a long number","n":' + b"9" * 5_000 + b"}"


def test_a_number_of_5000_digits_stops_neither_a_start_nor_forgetting(tmp_path: Path) -> None:
    (tmp_path / "ragstone.toml").write_text(CONFIG)
    with process_serving(tmp_path) as server:
        answer = server.ask("POST", "/v1/records", LONG, Content_Type="application/json")
        assert (answer.status, answer.json["stored"]) == (200, 1)
        server.stop(9)
    with serving(tmp_path) as server:
        assert server.send(*recent(range(3), each=2)).json["stored"] == 6
        until(lambda: server.get("/v1/windows").json)
        body = json.dumps({"ids": ["x"]}).encode()
        answer = server.ask("POST", "/v1/forget", body, Content_Type="application/json")
        assert (answer.status, answer.json) == (200, {"forgotten": 1})
        assert server.get("/readyz").body == b"ok\n"
        assert server.stop() == 0
