"""The fuzzer itself: its strict reader is right, its judge sees what is wrong, its cases repeat."""

from __future__ import annotations

import json
import re
from random import Random

import pytest
from builders import gold, trace
from cli.broken_lines import LAX_JSON, WRONG_TYPES, Broken
from command import ragstone
from fuzzing import command_lines, families
from fuzzing.cases import Case
from fuzzing.judging import Ran, findings
from fuzzing.packings import packed, parquet, unpacked, verdict_of
from fuzzing.strict_reader import DAMAGED, Verdict, read
from good_lines import GOOD

NOTHING = Verdict(frozenset())


@pytest.mark.parametrize("broken", LAX_JSON + WRONG_TYPES, ids=lambda broken: broken.name)
def test_the_strict_reader_refuses_the_line_that_a_message_names(broken: Broken) -> None:
    ((name, content),) = broken.files.items()
    said = re.match(rf"{name}:(\d+): ", broken.says)
    assert said is not None
    assert int(said.group(1)) in (read(name.removesuffix(".jsonl"), content).lines or ())


def test_the_strict_reader_takes_good_lines() -> None:
    for record, lines, mapping in GOOD:
        if record.name in ("gold", "trace") and not mapping:
            content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
            assert read(record.name, content) == NOTHING


@pytest.mark.parametrize(
    ("record", "content", "lines"),
    [
        ("trace", b"", set()),
        ("gold", b"\n", {1}),
        ("trace", b'\n[{},\n\n{"qid": 7}, 1]\n', {4}),
        ("trace", b"[{}", None),
        ("trace", b"\xef\xbb\xbf{}\r\n\n \t{}\v\n", set()),
        ("trace", b"{}\n\xef\xbb\xbf{}", {2}),
        ("trace", b"{}\r{}\n{}", {1}),
        ("trace", b'{"x": ' + b"[" * 199 + b"]" * 199 + b"}", set()),
        ("trace", b'{"x": ' + b"[" * 200 + b"]" * 200 + b"}", {1}),
        ("trace", b'{"latency_ms": 1e15}\n{"latency_ms": 1e16}\n{"x": 1e999}', {2}),
        ("trace", b'{"ts": 1e300}\n{"ts": 1e999}\n{"ts": "2024-02-30"}', {2, 3}),
        ("trace", b'{"qid": "", "answer": 1}\n{"qid": "A", "answer": 1}', {1}),
    ],
)
def test_the_strict_reader_at_the_limits(
    record: str, content: bytes, lines: set[int] | None
) -> None:
    assert read(record, content).lines == lines


@pytest.mark.parametrize(
    ("answer", "good"),
    [
        ({"number": 5, "unit": None}, True),
        ({"any": ["x"], "number": None}, True),
        ({"all": [{"number": 5, "unit": None}]}, True),
        ({"any": None}, False),
        ({"number": 5, "foo": None}, False),
    ],
)
def test_null_is_absent_inside_an_expected_answer_too(answer: object, good: bool) -> None:
    line = json.dumps({**gold("A1"), "gold_answer": answer}).encode()
    assert read("gold", line).lines == (set() if good else {1})
    assert (ragstone("check", "--as", "gold", "-", stdin=line).code == 0) is good


def test_a_repeated_qid_is_refused_where_it_comes_again() -> None:
    items = [gold("A1"), gold("A2"), {**gold("A1"), "answerable": "yes"}, gold("A2")]
    content = b"".join(json.dumps(item).encode() + b"\n" for item in items)
    assert read("gold", content).lines == {3, 4}


def test_a_verdict_does_not_depend_on_how_a_file_is_packed() -> None:
    rows = [trace("A1"), {**trace("A2"), "latency_ms": 1e300}, trace("A3")]
    content = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    table = parquet(Random(0), rows)
    assert table is not None
    files = [packed(Random(seed), content, how) for seed in range(9) for how in ("gzip", "zstd")]
    assert {unpacked(data) for data in files} == {content}
    assert {verdict_of("trace", data) for data in (*files, content, table)} == {
        Verdict(frozenset({2}))
    }
    assert verdict_of("trace", files[0][:-3]) == verdict_of("trace", files[1][:-3]) == DAMAGED


CASE = Case("check", ("check", "a"), expected={"a": Verdict(frozenset({2}))})


@pytest.mark.parametrize(
    ("ran", "says"),
    [
        (Ran(2, b"", "a:2: json: no\n"), ""),
        (Ran(2, b"", "ragstone: a fault in ragstone itself: ValueError\n"), "a fault"),
        (Ran(1, b"", "Traceback (most recent call last):\n  x\nValueError: y\n"), "a fault"),
        (Ran(-11, b"", ""), "exit code -11"),
        (Ran(4, b"", "?"), "exit code 4"),
        (Ran(2, b"{}", "a:2: json: no\n"), "exit 2, and standard output is not empty"),
        (Ran(2, b"", "a:2: json: no\n", ("out.html",)), "exit 2, and written: out.html"),
        (Ran(2, b"", ""), "exit 2, and not a word"),
        (Ran(0, b"a: ok", ""), "a: bad lines that are not refused (exit 0): 2"),
        (Ran(2, b"", "a:1: json: no\na:2: json: no\n"), "a: good lines that are refused: 1"),
    ],
)
def test_the_judge_finds_what_must_not_be(ran: Ran, says: str) -> None:
    found = findings(CASE, ran)
    assert found[0].startswith(says) if says else found == []


def test_a_damaged_file_must_be_refused_and_a_good_one_taken() -> None:
    damaged = Case("check", (), expected={"a": DAMAGED})
    assert findings(damaged, Ran(0, b"ok", "")) == ["a: damaged, and taken with exit 0"]
    assert findings(damaged, Ran(2, b"", "ragstone: input file a is damaged: x")) == []
    good = Case("check", (), expected={"a": NOTHING})
    assert findings(good, Ran(0, b"ok", "")) == []
    (found,) = findings(good, Ran(2, b"", "ragstone: input file a is damaged: x"))
    assert found.startswith("a: good, and refused")


def test_a_case_is_the_same_every_time_and_another_under_another_seed() -> None:
    numbers = range(60)
    made = [families.make_case(5, number) for number in numbers]
    assert made == [families.make_case(5, number) for number in numbers]
    assert [case.family for case in made] == [families.family_of(number) for number in numbers]
    others = [families.make_case(6, number) for number in numbers]
    assert sum(a == b for a, b in zip(made, others, strict=True)) < 6


def test_every_command_has_a_family(monkeypatch: pytest.MonkeyPatch) -> None:
    families.must_be_complete()
    known = command_lines.parsers()
    monkeypatch.setattr(families, "parsers", lambda: {**known, "brand new": known["score"]})
    with pytest.raises(SystemExit, match="no family for: brand new"):
        families.must_be_complete()
