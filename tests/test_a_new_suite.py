"""A seventh suite, declared and registered here, gets everything without another line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet
import pytest
from builders import write_jsonl
from command import Ran, ragstone

from ragstone import api
from ragstone.contracts.record import Field, Record
from ragstone.gates.main_question import MainQuestion
from ragstone.measure.metric import Mean, Ratio
from ragstone.report.charts.bars import Bar, bars
from ragstone.report.document.blocks import Block, Picture
from ragstone.suites import standard_blocks
from ragstone.suites.declaration import Arm, Check, Input, Outcome, Suite, Work
from ragstone.suites.options import Options
from ragstone.suites.registry import register, unregister
from ragstone.suites.signs import Rule

QID = Field("qid", "text", "the letter", required=True, filled=True)
LETTER = Record("letter", "A letter to answer.", (QID, Field("urgent", "flag", "answer today")))
REPLY = Record(
    "reply",
    "What was answered to a letter.",
    (QID, Field("polite", "flag", "says please"), Field("days", "number", "until the reply")),
)
POLITE = Ratio(name="polite", hit="polite", empty=1.0, gate=">= 0.5", says="Answered politely.")
PROMPT = Mean(name="prompt", value="1 / (1 + days)", empty=1.0, says="How promptly, on average.")


def rows(work: Work[Options], arm: Arm) -> None:
    work.duck.fill("rows", f"""
        select '{arm.name}' as arm, letters.qid, coalesce(polite, false) as polite,
            coalesce(days, 9)::double as days
        from letters left join {arm.table} as replies using (qid)
    """)  # fmt: skip


def shows(outcome: Outcome[Options]) -> list[Block]:
    svg = bars([Bar(name, m.value or 0.0) for name, m in outcome.first.items()])
    both = standard_blocks.arms_blocks(outcome, ["polite", "prompt"])
    rest = (*standard_blocks.slice_tables(outcome), *standard_blocks.offenders_block(outcome))
    return [Picture("Letters", svg, "two bars"), *both, *rest]


LETTERS = Suite(
    name="letters",
    package=__name__,
    options=Options,
    inputs=(
        Input(name="letters", record=LETTER, says="the letters", select="qid,", unique="qid"),
        Input(
            name="replies",
            record=REPLY,
            says="the replies",
            many=True,
            arms=True,
            select="qid, polite, days::varchar::double as days,",
        ),
    ),
    slices_of="letters",
    answered_in="replies",
    main=MainQuestion("how letters are answered", "polite=0.5", "give it letters"),
    metrics=lambda options: (POLITE, PROMPT),
    rows=rows,
    checks={"polite": Check("polite", "not polite", "is not polite")},
    readings=(Rule("rude", "teach manners", lambda signs: signs.bad("polite"), "not polite"),),
    compared=lambda metrics: metrics,
    shows=shows,
)


@pytest.fixture(autouse=True)
def _registered(tmp_path: Path) -> Iterator[None]:
    register(LETTERS, "letters", "judge how letters are answered")
    write_jsonl(tmp_path / "letters.jsonl", [{"qid": f"L{n}", "urgent": n < 2} for n in range(4)])
    for name, polite in (("old", 1), ("new", 3)):
        replies = [{"qid": f"L{n}", "polite": n < polite, "days": n} for n in range(4)]
        write_jsonl(tmp_path / f"{name}.jsonl", replies)
    toml = '[letters]\nletters = "letters.jsonl"\nreplies = "old.jsonl"\ngates = { prompt = 0.9 }\n'
    (tmp_path / "ragstone.toml").write_text(toml)
    yield
    unregister("letters")


def test_a_suite_is_all_that_is_needed(tmp_path: Path) -> None:
    def run(*words: str) -> Ran:
        return ragstone(*words, cwd=tmp_path)

    files = ("report.html", "report.md", "report.xml", "report.sarif", "rows.parquet")
    outputs = [word for name in files for word in ("-o", name)]
    given = ("letters", "--letters", "letters.jsonl", "--replies", "old.jsonl", "--no-config")
    ran = run(*given, "--by", "urgent", "--json", *outputs)
    found = ran.json
    assert (ran.code, found["decision"], found["polite"]) == (1, "FAIL", 0.25)
    assert [row["qid"] for row in found["offenders"]] == ["L1", "L2", "L3"]
    assert found["slices"]["urgent"]["true"]["polite"]["value"] == 0.5
    assert found["reading"][0]["reading"] == "teach manners"
    texts = [(tmp_path / name).read_text() for name in files[:4]]
    assert all("polite" in text for text in texts)
    assert "<svg" in texts[0]
    assert pyarrow.parquet.read_table(tmp_path / "rows.parquet").num_rows == 4
    systems = ("--system", "old=old.jsonl", "--system", "new=new.jsonl")
    both = run("letters", "--letters", "letters.jsonl", *systems, "--json", "--no-config").json
    assert both["comparisons"][0]["difference"] == 0.5
    assert run("gate", "--json").json["gates"]["letters.prompt"]["threshold"] == 0.9
    assert "how promptly" in run("explain", "letters.prompt").text.lower()
    assert "polite" in run("schema", "reply").json["properties"]
    assert "old.jsonl: reply, 4 lines, ok" in run("check", "old.jsonl").text
    called = api.call(LETTERS)(
        str(tmp_path / "letters.jsonl"), str(tmp_path / "old.jsonl"), by="urgent"
    )
    assert json.loads(called.to_json())["digest"] == found["digest"]
    assert found["digest"] != run(*given, "--strict", "--json").json["digest"]
