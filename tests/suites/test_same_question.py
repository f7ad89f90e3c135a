"""Questions with one text under several ids: they are one question, whatever counts them."""

from __future__ import annotations

import pytest
from builders import gold, refusal, trace
from command import Command, Folder

import ragstone
from ragstone.comparison import compare_rows
from ragstone.engine.duck import Duck
from ragstone.measure.exact_interval import exact_interval

TEXTS = ("How long are deleted files kept?", "Who founded the company?")
SPELLED = (str.upper, str.lower, str.title, str)
IDS = 180


def two_texts() -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """180 ids, half of them answerable, with two texts that differ in case."""
    items, lines = [], []
    for number in range(IDS):
        qid, answerable = f"Q{number:03}", number % 2 == 0
        text = SPELLED[number % 3](TEXTS[number % 2])
        items.append(gold(qid, question=text, answerable=answerable))
        lines.append(trace(qid) if answerable else refusal(qid))
    return items, lines


@pytest.mark.parametrize("options", [{}, {"keep": "all"}, {"memory": "500MB"}])
def test_two_texts_under_many_ids_prove_no_more_than_two_questions(
    options: dict[str, str],
) -> None:
    items, lines = two_texts()
    report = ragstone.score(items, lines, **options)
    assert report["precision"].denominator == IDS // 2
    for name, hits in {"precision": 1, "chr": 1, "under_refusal": 0}.items():
        assert report[name].interval == pytest.approx(exact_interval(hits, 1))
    assert report["recall_frac@k"].interval == pytest.approx(exact_interval(1, 1))
    low, _ = exact_interval(1, 1)
    assert report["refusal_f1"].interval == pytest.approx((2 * low / (1 + low), 1.0))
    assert not any(gate.proven for gate in report.gates)
    assert any("180 ids ask the same 2 texts" in warning for warning in report.warnings)


def test_the_same_with_texts_of_their_own_is_proven() -> None:
    items, lines = two_texts()
    items = [{**item, "question": f"{item['question']} {item['qid']}"} for item in items]
    report = ragstone.score(items, lines)
    assert report["precision"].interval == exact_interval(IDS // 2, IDS // 2)
    assert all(gate.proven for gate in report.gates if gate.name != "missing")


def test_others_stay_questions_of_their_own() -> None:
    items = [gold(f"Q{number}") for number in range(8)]
    items += [gold(f"R{number}", question="Why?") for number in range(2)]
    lines = [trace(str(item["qid"])) for item in items]
    assert ragstone.score(items, lines)["precision"].interval[0] == exact_interval(9, 9)[0]


def test_power_calls_two_texts_too_small(folder: Folder, command: Command) -> None:
    items, lines = two_texts()
    folder.write("gold.jsonl", items)
    folder.write("trace.jsonl", lines)
    found = command("power", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json").json
    assert (found["large_enough"], found["questions"], found["flips"]) == (False, 2, None)
    assert "takes 17 questions even if none fails, and there is 1" in found["says"]
    said = command("power", "--gold", "gold.jsonl", "--trace", "trace.jsonl").text
    assert "disagree about the verdict cannot be told" in " ".join(said.split())


def test_a_change_of_one_text_is_one_change(folder: Folder, command: Command) -> None:
    items, lines = two_texts()
    folder.write("gold.jsonl", items)
    folder.write("old.jsonl", lines)
    folder.write("new.jsonl", [refusal(str(line["qid"])) for line in lines])
    found = command(
        *("score", "--gold", "gold.jsonl", "--system", "old=old.jsonl"),
        *("--system", "new=new.jsonl", "--json"),
    ).json
    changes = found["comparisons"]
    refused = next(each for each in changes if each["metric"] == "over_refusal")
    assert (refused["wins"] + refused["losses"], refused["p"] > 0.4) == (1, True)


@pytest.mark.parametrize("parts", [1, 7])
@pytest.mark.parametrize("saved", [False, True])
def test_compare_takes_one_text_for_one_question(
    parts: int, saved: bool, folder: Folder, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare_rows, "parts_for_rows", lambda duck, memory: parts)
    items, lines = two_texts()
    folder.write("gold.jsonl", items)
    folder.write("a.jsonl", lines)
    folder.write("b.jsonl", [refusal(str(line["qid"])) for line in lines])
    sides = ["a.jsonl", "b.jsonl"]
    if saved:
        sides = ["a.parquet", "b.parquet"]
        for side in "ab":
            flags = ("--trace", f"{side}.jsonl", "-o", f"{side}.parquet")
            command("score", "--gold", "gold.jsonl", *flags)
    gold_flags = () if saved else ("--gold", "gold.jsonl")
    ran = command("compare", *sides, *gold_flags, "--json")
    refused = ran.json["difference"]["over_refusal"]
    assert (ran.json["verdict"], ran.code) == ("CANNOT TELL", 0)
    assert (refused["questions"], refused["p"] > 0.4) == (1, True)
    assert any("180 ids ask the same 2 texts" in warning for warning in ran.json["warnings"])


def test_only_saved_rows_name_the_first_id_with_a_text(folder: Folder, command: Command) -> None:
    items, lines = two_texts()
    folder.write("gold.jsonl", items)
    folder.write("trace.jsonl", lines)
    command.score("-o", "rows.parquet", "-o", "rows.csv")
    rows = f"read_parquet('{folder.work / 'rows.parquet'}')"
    with Duck() as duck:
        firsts = duck.query(f"select first_asked, count(*) from {rows} group by all order by all")
    assert firsts == [("Q000", IDS // 2), ("Q001", IDS // 2)]
    # What a spreadsheet shows is what was judged, and an id there could be a formula.
    assert "first_asked" not in (folder.work / "rows.csv").read_text()
