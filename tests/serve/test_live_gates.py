"""Every gate that windows can judge is a rule on the board, and can raise an alert."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from builders import gold, refusal, trace
from hypothesis import given
from hypothesis import strategies as st
from serve.running_server import serving, until

from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError, InputError
from ragstone.gates.gate import Op, Threshold
from ragstone.serve.alert_rules import gate_rules_in
from ragstone.serve.asked import Asked
from ragstone.serve.judged_records import ANSWERS, AUDIT, gated_live, judging_by
from ragstone.serve.live_board import live_page
from ragstone.serve.live_state import live_state
from ragstone.serve.minute_rows import Line
from ragstone.serve.minute_windows import MinuteWindows
from ragstone.serve.serve_settings import serve_settings
from ragstone.suites.config_file import Config, read
from ragstone.suites.metric_titles import metrics_of
from ragstone.suites.registry import entries, suites

CONFIG = """
[answers.gates]
under_refusal = "<= 0.05"
hedged = "<= 0.5"
support = ">= 0.9"
[audit.gates]
refused = "<= 0.99"
[[answers.slices]]
where = { level = 1 }
gates = { precision = 0.9 }
[serve]
late = "60s"
samples = 20
[serve.alerts]
answers.hedged = "off"
"""
JUDGED = (ANSWERS, AUDIT)
OPS: tuple[Op, ...] = (">=", "<=", ">", "<", "=")


@given(st.sampled_from(OPS), st.floats(-2, 2), st.floats(-2, 2))
def test_a_rule_is_alarming_exactly_where_its_gate_does_not_pass(
    op: Op, limit: float, value: float
) -> None:
    gate = Threshold(op, limit)
    (rule,) = gate_rules_in({}, "", "answers", {"chr": gate})
    assert (rule.number, rule.minutes) == ("answers.chr", 5)
    for number in (value, limit, limit + 1e-12, limit - 1e-12):
        assert rule.holds(number) is not gate.holds(number)


def every_gate(suite: Any, **settings: Any) -> dict[str, float]:
    """A gate on each metric of a suite that may have one."""
    options = suite.options(**settings)
    names = [metric.name for metric in suite.metrics(options) if not metric.barred]
    return dict.fromkeys([*names, *(["judge.tone:polite"] if suite in JUDGED else [])], 0.5)


@pytest.mark.parametrize("suite", JUDGED, ids=lambda suite: suite.name)
def test_every_gate_of_a_suite_is_watched_or_named_as_one_that_is_not(suite: Any) -> None:
    keep = {"keep": "all"} if suite is ANSWERS else {}
    gates = every_gate(suite, **keep)
    live = gated_live(Config(whole={suite.name: {"gates": gates, **keep}}), suite)
    watched = {name for name, gate in live.metrics.items() if gate is not None}
    assert watched | {*live.unwatched} == {*gates}
    assert not watched & {*live.unwatched}
    assert all(live.unwatched.values())
    assert {*live.required} == {*gates}
    assert len(watched) >= 8


def test_every_gate_that_is_watched_is_measured_in_a_window(tmp_path: Path) -> None:
    """Also by what is no sum of rows, such as refusal_f1 and the times of the audit."""
    (tmp_path / "gold.jsonl").write_text(
        "".join(json.dumps(each) + "\n" for each in [gold("Q1"), gold("Q2", answerable=False)])
    )
    config = Config(
        whole={
            "answers": {"gates": every_gate(ANSWERS, keep="all"), "keep": "all"},
            "audit": {"gates": every_gate(AUDIT)},
            "serve": {"samples": 5},
        }
    )
    with Duck(1) as duck:
        judging = judging_by(config, [str(tmp_path / "gold.jsonl")], duck)
    settings = serve_settings(config)
    windows = MinuteWindows(settings.windows, settings.every_rule, judging)
    try:
        for number in range(40):
            one = trace("Q1") if number % 2 else refusal("Q2")
            text = json.dumps({**one, "latency_ms": 5, "cost_usd": 0.5})
            windows.add(Line(number * 10_000, str(number), text))
        (*_, last) = windows.advance(580_000)
    finally:
        windows.close()
    numbers = {name: each.value for name, each in last.numbers.items() if "." in name}
    assert {*numbers} == {rule.number for rule in settings.gate_rules}
    assert numbers["answers.refusal_f1"] == 1.0
    assert (numbers["audit.p95"], numbers["audit.cost"]) == (5.0, 0.5)


@pytest.mark.parametrize("suite", [each for each in suites() if each not in JUDGED])
def test_every_gate_of_another_suite_is_named(suite: Any) -> None:
    (table,) = [each.table for each in entries() if each.name == suite.name]
    if not table:
        return
    gates = {metric.name: 0.5 for metric in metrics_of(suite)}
    with Duck(1) as duck:
        config = Config(whole={table: {"gates": {**gates, "R@3": False}}})
        unwatched = judging_by(config, [], duck).unwatched
    assert {each.name for each in unwatched} == {f"{table}.{name}" for name in {*gates} - {"R@3"}}
    assert not any(each.required for each in unwatched)


def test_gates_on_answers_are_named_where_there_is_no_gold_set() -> None:
    """The defaults are not in force there."""
    with Duck(1) as duck:
        assert judging_by(Config(whole={"answers": {}}), [], duck).unwatched == ()
        config = Config(whole={"answers": {"gates": {"under": 0.1, "chr": False}}})
        (one,) = judging_by(config, [], duck).unwatched
    said = "the gate answers.under_refusal is not judged live: there is no gold set: give --gold"
    assert (str(one), one.required) == (said, True)


@pytest.mark.parametrize("table", ["answers.missing", "answers.hegded", "audit.p5", "nothing.chr"])
def test_a_rule_on_what_is_not_watched_is_an_error(tmp_path: Path, table: str) -> None:
    path = tmp_path / "ragstone.toml"
    path.write_text(f'[serve.alerts]\n{table} = "> 0.1"\n')
    with pytest.raises(ConfigError, match=r"ragstone\.toml: unknown key serve\.alerts"):
        serve_settings(read(path))


class Shown:
    """The windows of some records, as the live board shows them."""

    def __init__(self, config: Config, items: Any, records: Any, folder: Path) -> None:
        path = folder / "gold.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in items))
        with Duck(1) as duck:
            self.judging = judging_by(config, [str(path)], duck)
        settings = serve_settings(config)
        self.rules = settings.every_rule
        windows = MinuteWindows(settings.windows, self.rules, self.judging)
        try:
            for number, record in enumerate(records):
                windows.add(Line(number * 10_000, str(number), json.dumps(record)))
            (*_, last) = windows.advance(580_000)
            self._state = live_state(windows, last.numbers)
        finally:
            windows.close()

    def state(self) -> Any:
        return self._state

    def alerts(self) -> Any:
        return ()

    def fault(self) -> str:
        return ""

    def records(self, since: int, until: int) -> Any:
        return iter(())


ITEMS = [gold("Q1"), gold("Q2", answerable=False)]
RECORDS = [trace("Q1") if number % 2 else refusal("Q2") for number in range(40)]
# What the main question of answers cannot be judged without, in the gold set and in the records.
NEEDED = {"qid", "answer_json"}


@pytest.mark.parametrize(
    ("file", "field"),
    [
        ("", ""),
        *(("gold", name) for name in (*ITEMS[0], "gold_claim_substr and gold_citations")),
        *(("records", name) for name in RECORDS[0]),
        ("records", "all but those of no gold question"),
    ],
)
def test_the_board_is_green_only_where_the_main_question_was_judged(
    tmp_path: Path, file: str, field: str
) -> None:
    gone = {*field.split(" and ")}
    items, records = (
        [
            {key: value for key, value in each.items() if at != file or key not in gone}
            for each in some
        ]
        for at, some in (("gold", ITEMS), ("records", RECORDS))
    )
    if field.startswith("all but"):
        records = [{**each, "qid": f"other {each['qid']}"} for each in records]
    config = Config(whole={"serve": {"samples": 5}})
    try:
        page = live_page(Shown(config, items, records, tmp_path), Asked({}))
    except InputError:
        # Nothing is served by such a gold set.
        assert file == "gold"
        return
    judged = {(each.suite, each.name): each for each in page.judged}
    precision = judged.get(("answers", "precision"))
    tested = precision is not None and precision.samples > 0 and precision.value is not None
    assert (page.verdict.status == "PASS") <= tested, page.verdict
    if not field:
        assert page.verdict.title == "All is well", page.verdict
    if (file == "records" and field in NEEDED) or " " in field:
        assert page.verdict.status != "PASS"


@pytest.mark.parametrize(
    ("gates", "alerts", "green"),
    [
        ({}, {}, True),
        ({"support": 0.9}, {}, False),
        ({"support": 0.9}, {"answers": {"support": "off"}}, True),
        ({"nugget_recall": 0.9}, {}, False),
        ({"precision": False}, {}, False),
        ({}, {"answers": {"precision": "off"}}, False),
    ],
)
def test_the_board_is_green_only_where_every_gate_of_the_file_was_judged(
    tmp_path: Path, gates: Any, alerts: Any, green: bool
) -> None:
    config = Config(whole={"answers": {"gates": gates}, "serve": {"samples": 5, "alerts": alerts}})
    page = live_page(Shown(config, ITEMS, RECORDS, tmp_path), Asked({}))
    assert (page.verdict.status, page.verdict.title) == (
        ("PASS", "All is well") if green else ("UNMEASURABLE", "Not all is judged")
    ), page.verdict


def test_the_board_is_not_green_while_a_gate_fails(tmp_path: Path) -> None:
    items = [gold("Q1"), gold("Q2", answerable=False)]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(each) + "\n" for each in items))
    (tmp_path / "ragstone.toml").write_text(CONFIG)
    refused = {**trace("Q2"), "answer_json": {"claim": "not in context", "citations": []}}
    now = time.time_ns() // 10**6 // 60_000 * 60_000 + 30_000

    def some(minutes: range) -> list[dict[str, Any]]:
        """A minute has twenty right answers, and ten to a question that is to be refused."""
        return [
            {
                **(trace("Q1") if number < 20 else trace("Q2") if number < 24 else refused),
                "ts": now - minute * 60_000 + number,
            }
            for minute in minutes
            for number in range(30)
        ]

    with serving(tmp_path, "--gold", "gold.jsonl") as server:
        # Four minutes, of which the last are open: an alert takes five.
        server.send(*some(range(12, 8, -1)))
        board = until(lambda: (page := server.get("/live.json").json)["minute"] and page)
        assert board["verdict"]["status"] == "UNMEASURABLE"
        assert "(answers.under_refusal) is 0.4000" in board["verdict"]["because"]
        assert "All is well" not in server.get("/live").body.decode()
        server.send(*some(range(8, 0, -1)))
        alerts = until(lambda: server.get("/v1/alerts").json["standing"])
        assert [each["alert"] for each in alerts] == ["answers.under_refusal"]
        assert (alerts[0]["value"], alerts[0]["rule"]) == (0.4, "> 0.05 for 5m")
        board = until(
            lambda: (page := server.get("/live.json").json)["verdict"]["status"] == "FAIL" and page
        )
        numbers = {each["name"]: each for each in board["numbers"]}
        gates = {name: each["status"] for name, each in numbers.items() if "." in name}
        assert gates == {
            "answers.precision": "PASS",
            "answers.chr": "PASS",
            "answers.under_refusal": "FAIL",
            "answers.over_refusal": "PASS",
            "audit.refused": "PASS",
        }
        assert numbers["answers.under_refusal"]["limit"] == 0.05
        assert 0.4 in numbers["answers.under_refusal"]["values"]
        assert {each["name"]: each["required"] for each in board["unwatched"]} == {
            "answers.missing": False,
            "answers.support": True,
            "answers.precision[level=1]": True,
        }
        behind = server.get(f"/live/rows.json?id={quote(alerts[0]['id'], safe='')}").json
        assert {row["qid"] for row in behind["rows"]} == {"Q2"}
        assert {row["claim"] for row in behind["rows"]} == {trace("Q2")["answer_json"]["claim"]}
        text = server.get("/metrics").body.decode()
        assert 'ragstone_window_value{metric="answers.under_refusal"} 0.4' in text
        assert 'ragstone_alert{alert="answers.under_refusal"} 1' in text
