"""What a retrieval report says of types, sections and shares is true of the rows in front of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import write_jsonl
from command import ragstone as command
from suites.retrieval.retrieval_builders import chunk, item, run

import ragstone
from ragstone.report.document.blocks import Picture, Table
from ragstone.suites import in_parts

Record = dict[str, Any]
FOUND_TYPES = "come from what was found"


def typed(qid: str, *hits: tuple[str, str]) -> Record:
    return run(qid, topk=[{"id": each, "score": 1.0, "type": kind} for each, kind in hits],
               ΔS=[0.3 for _ in hits])  # fmt: skip


def gold_of(kinds: dict[str, int], **fields: Any) -> list[Record]:
    """Questions t0, t1 ... and p0, p1 ..., each with a chunk of its own name."""
    return [
        item(f"{kind}{n}", relevant=[f"{kind}{n}"], negatives=[], **fields)
        for kind, many in kinds.items()
        for n in range(many)
    ]


def one_table_of_ten() -> tuple[list[Record], list[Record]]:
    log = [typed(f"p{n}", (f"p{n}", "prose")) for n in range(10)]
    log += [typed("t0", ("t0", "table")), *(typed(f"t{n}", ("p1", "prose")) for n in range(1, 10))]
    return gold_of({"t": 10, "p": 10}), log


def recalls(report: Any) -> dict[str, float]:
    return {kind: row["R@5"]["value"] for kind, row in report.data["by_type"].items()}


def table(report: Any, title: str) -> Table:
    (found,) = [each for each in report.blocks if isinstance(each, Table) and each.title == title]
    return found


def test_types_from_the_log_alone_put_what_is_unknown_first_and_say_so() -> None:
    gold, log = one_table_of_ten()
    report: Any = ragstone.retrieval(gold, log)
    assert list(recalls(report).items()) == [("unknown", 0.0), ("prose", 1.0), ("table", 1.0)]
    shown = table(report, "By type")
    assert shown.rows[0][:2] == ("unknown", 9)
    assert FOUND_TYPES in shown.says
    assert any(FOUND_TYPES in each for each in report.warnings)
    assert report.data["types_from_log"] == 11
    picture = next(each for each in report.blocks if isinstance(each, Picture))
    assert "table" not in picture.alt


def test_types_of_gold_or_of_the_manifest_are_those_of_all_questions() -> None:
    gold, log = one_table_of_ten()
    chunks = [chunk(each["qid"], type="table" if each["qid"][0] == "t" else "prose")
              for each in gold]  # fmt: skip
    own = [{**each, "type": "table" if each["qid"][0] == "t" else "paragraph"} for each in gold]
    for report in (ragstone.retrieval(gold, log, manifest=chunks), ragstone.retrieval(own, log)):
        assert recalls(report) == {"prose": 1.0, "table": 0.1}
        assert report.data["types_from_log"] == 0
        assert FOUND_TYPES not in table(report, "By type").says
        assert not [each for each in report.warnings if FOUND_TYPES in each]


def test_gold_names_types_of_its_own_and_outranks_the_manifest() -> None:
    gold = [item("q1", type="howto"), item("q2", type="caption"), item("q3", type="")]
    report: Any = ragstone.retrieval(gold, [run("q1")], manifest=[chunk(type="code")])
    assert list(report.data["by_type"]) == ["code", "figure", "howto"]


def test_any_relevant_id_and_any_line_of_the_log_may_tell_the_type() -> None:
    gold = [item("q1", relevant=["a", "b"]), item("q2", relevant=["c"]), item("q3")]
    log = [typed("q1", ("b", "code")), typed("q3", ("c", "table"))]
    report: Any = ragstone.retrieval(gold, log)
    sizes = {kind: row["missing"]["denominator"] for kind, row in report.data["by_type"].items()}
    assert sizes == {"unknown": 1, "code": 1, "table": 1}


def test_the_canary_says_where_types_come_from() -> None:
    """Both logs tell the types of both."""
    gold, shadow = one_table_of_ten()
    live = [line for line in shadow if line["qid"] != "t0"]
    report: Any = ragstone.canary(gold, live, shadow)
    assert list(report.data["by_type"]) == ["unknown", "prose", "table"]
    assert list(report.data["deltas_by_type"]) == ["unknown", "prose", "table"]
    for title in ("By type", "The difference by type"):
        assert FOUND_TYPES in table(report, title).says


def test_the_compact_object_begins_with_what_is_unknown(tmp_path: Path) -> None:
    gold, log = one_table_of_ten()
    write_jsonl(tmp_path / "gold.jsonl", gold)
    write_jsonl(tmp_path / "log.jsonl", log)
    words = ("retrieval", "--gold", "gold.jsonl", "--log", "log.jsonl", "--no-config", "--compact")
    ran = command(*words, cwd=tmp_path)
    assert list(json.loads(ran.out)["by_type"]) == ["unknown", "prose", "table"]
    assert FOUND_TYPES in ran.err
    assert FOUND_TYPES not in command(*words, "-q", cwd=tmp_path).err


def test_parts_tell_the_same_types(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, log = one_table_of_ten()
    whole: Any = ragstone.retrieval(gold, log)
    monkeypatch.setattr(in_parts, "parts_for", lambda work, memory: 3)
    parts: Any = ragstone.retrieval(gold, log, memory="1GB")
    assert parts.data["by_type"] == whole.data["by_type"]
    assert parts.data["types_from_log"] == whole.data["types_from_log"]


def odd(n: int) -> tuple[Record, Record]:
    """A question whose evidence is found, with an id that names its section in its own way."""
    own = f"S.1.p.B{n}"
    return item(f"q{n}", relevant=[own], anchor_section="S.1"), run(f"q{n}", ids=[own], cites=None)


def test_ids_that_name_no_section_are_unmeasurable_and_not_beside_it() -> None:
    gold, log = map(list, zip(*map(odd, range(10)), strict=True))
    gates = {"anchor_hit@5": 0.9, "coverage": "off", "citation_accuracy": "off"}
    report: Any = ragstone.retrieval(gold, log, gates=gates)
    (gate,) = [each for each in report.gates if each.name == "anchor_hit@5"]
    assert (gate.value, gate.status.value) == (None, "UNMEASURABLE")
    assert "--section-pattern" in gate.note
    assert report["anchor_hit@5"].value is None
    assert "10 questions retrieved only ids that name no section; they are not in anchor_hit" in (
        report.warnings
    )
    assert "the right section is not retrieved" not in [
        each["title"] for each in report.data["reading"]
    ]


def test_a_pattern_of_the_users_own_reads_the_section() -> None:
    gold, log = map(list, zip(*map(odd, range(10)), strict=True))
    report: Any = ragstone.retrieval(gold, log, section_pattern=r"^(S\.[0-9]+)\.p\.B")
    assert (report["anchor_hit@5"].value, report["anchor_hit@5"].denominator) == (1.0, 10)
    assert report.settings["section_pattern"] == r"^(S\.[0-9]+)\.p\.B"


def test_one_id_that_names_its_section_makes_a_question_measurable() -> None:
    gold = [item("q1", anchor_section="S.1"), item("q2", anchor_section="S.1")]
    log = [run("q1", ids=["a", "S.2.p.Bk1"]), run("q2", ids=["a", "b"])]
    report: Any = ragstone.retrieval(gold, log)
    assert (report["anchor_hit@5"].value, report["anchor_hit@5"].denominator) == (0.0, 1)


@pytest.mark.parametrize("pattern", ["S", "(S)(T)", "(?:S)"])
def test_a_section_pattern_has_one_group(pattern: str) -> None:
    with pytest.raises(ragstone.ConfigError, match="needs one group"):
        ragstone.retrieval([item()], [run()], section_pattern=pattern)


def test_the_words_over_recall_say_what_the_number_is() -> None:
    """Two relevant ids each, one of them found: every question has a relevant id, R@k is a half."""
    gold = [item(f"q{n}", relevant=[f"a{n}", f"b{n}"]) for n in range(6)]
    report: Any = ragstone.retrieval(gold, [run(f"q{n}", ids=[f"a{n}"]) for n in range(6)])
    picture = next(each for each in report.blocks if isinstance(each, Picture))
    assert "first 1 0.5000" in picture.alt
    assert picture.says.startswith(
        "Of a question's relevant ids, the share among the first k (R@k)"
    )
