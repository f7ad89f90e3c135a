"""Every gate that windows can judge is a rule on the board, and can raise an alert."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from builders import gold, trace
from hypothesis import given
from hypothesis import strategies as st
from serve.running_server import serving, until

from ragstone.errors import ConfigError
from ragstone.gates.gate import Op, Threshold
from ragstone.serve.alert_rules import gate_rules_in
from ragstone.serve.judged_records import ANSWERS, AUDIT, gated_live
from ragstone.serve.serve_settings import serve_settings
from ragstone.suites.config_file import Config, read

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


@pytest.mark.parametrize("suite", [ANSWERS, AUDIT], ids=lambda suite: suite.name)
def test_every_metric_of_a_suite_is_watched_or_named_as_one_that_is_not(suite: Any) -> None:
    """With a gate on each of them; that a trace did not come is no number of a window."""
    options = suite.options(**({"keep": "all"} if suite is ANSWERS else {}))
    names = {metric.name for metric in suite.metrics(options) if not metric.barred}
    gates = dict.fromkeys(names - {"missing"}, 0.5)
    table = {"gates": gates, **({"keep": "all"} if suite is ANSWERS else {})}
    live = gated_live(Config(whole={suite.name: table}), suite)
    watched = {name for name, gate in live.metrics.items() if gate is not None}
    assert watched | {*live.others} == {*gates}
    assert not watched & {*live.others}
    assert len(watched) >= 8


@pytest.mark.parametrize("table", ["answers.missing", "answers.hegded", "audit.p5", "nothing.chr"])
def test_a_rule_on_what_is_not_watched_is_an_error(tmp_path: Path, table: str) -> None:
    path = tmp_path / "ragstone.toml"
    path.write_text(f'[serve.alerts]\n{table} = "> 0.1"\n')
    with pytest.raises(ConfigError, match=r"ragstone\.toml: unknown key serve\.alerts"):
        serve_settings(read(path))


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
        names = [each.rpartition("(")[2] for each in board["unwatched"]]
        assert names == ["answers.support)", "answers.precision[level=1])"]
        behind = server.get(f"/live/rows.json?id={quote(alerts[0]['id'], safe='')}").json
        assert {row["qid"] for row in behind["rows"]} == {"Q2"}
        assert {row["claim"] for row in behind["rows"]} == {trace("Q2")["answer_json"]["claim"]}
        text = server.get("/metrics").body.decode()
        assert 'ragstone_window_value{metric="answers.under_refusal"} 0.4' in text
        assert 'ragstone_alert{alert="answers.under_refusal"} 1' in text
