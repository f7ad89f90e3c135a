"""`http://`: a real server, and what it does wrong."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest
from running import lines, replies_in, run, start, until, written_in

from ragstone.targets.runner import Pace, Policy

FAST = ("--retries", "0")


def test_every_question_is_answered_in_gold_order(server, questions, tmp_path):
    found = run(questions(20), server.url("ask"), tmp_path / "t.jsonl", "--concurrency", "4")
    assert [line["qid"] for line in found] == [f"Q{n:04}" for n in (*range(10, 20), *range(10))]
    assert all(line["answer_json"]["claim"] == f"You asked: {line['q']}" for line in found)
    assert found[0]["retrieved_ids"] == ["p1#1", "p1#2"]
    assert found[0]["stage_ms"] == {"retrieval": 1.5}
    assert found[0]["latency_ms"] > 0


def test_the_body_is_that_of_the_contract_and_the_url_is_as_written(server, questions, tmp_path):
    run(questions(1), server.url("ask?tenant=a%20b"), tmp_path / "t.jsonl", "--seeds", "3")
    (asked,) = server.asked
    assert asked["body"] == {"q": "Question 0?", "seed": 3, "jitter": None, "knobs": {}}
    assert asked["path"] == "/ask?tenant=a%20b"


@pytest.mark.parametrize("path", ["chunked", "closing", "old"])
def test_replies_in_other_forms_are_read(path, server, questions, tmp_path):
    found = run(questions(5), server.url(path), tmp_path / "t.jsonl", *FAST)
    assert [line["answer_json"]["claim"] for line in found] == [
        f"You asked: {line['q']}" for line in found
    ]


def test_a_busy_server_is_asked_again_when_it_said(server, questions, tmp_path):
    found = run(questions(3), server.url("busy"), tmp_path / "t.jsonl", "--concurrency", "1")
    assert all("answer_json" in line for line in found)
    moments: dict[str, list[float]] = {}
    for asked in server.asked:
        moments.setdefault(asked["body"]["q"], []).append(asked["at"])
    assert all(second - first >= 1.0 for first, second in moments.values())


def test_server_errors_are_tried_again_and_client_errors_are_not(server, questions, tmp_path):
    gold = questions(2)
    assert "answer_json" in run(gold, server.url("broken"), tmp_path / "a.jsonl")[0]
    before = len(server.asked)
    (first, _) = run(gold, server.url("refused"), tmp_path / "b.jsonl")
    assert len(server.asked) - before == 2
    assert (first["ok"], first["reason"], first["error"]) == (
        False,
        "http_status",
        "HTTP status 400",
    )


@pytest.mark.parametrize(
    ("path", "reason"),
    [("cut", "transport"), ("nonsense", "bad_answer"), ("moved", "http_status")],
)
def test_a_failure_is_a_trace_without_an_answer(path, reason, server, questions, tmp_path):
    found = run(questions(2), server.url(path), tmp_path / "t.jsonl", *FAST)
    assert [line["reason"] for line in found] == [reason, reason]
    assert all("answer_json" not in line for line in found)


def test_a_question_that_takes_too_long_is_given_up(server, questions, tmp_path):
    (line,) = run(questions(1), server.url("stuck"), tmp_path / "t.jsonl", "--timeout", "0.2")
    assert (line["reason"], line["error"]) == ("timeout", "no answer within 0.2 s")


def test_no_more_questions_are_in_flight_than_allowed(server, questions, tmp_path):
    found = run(questions(60), server.url("most"), tmp_path / "t.jsonl", "--concurrency", "5")
    assert 2 <= max(line["most"] for line in found) <= 5


def test_the_rate_limit_hands_out_one_moment_after_another():
    async def moments() -> list[float]:
        pace = Pace(Policy(rate=50))
        clock = asyncio.get_running_loop().time
        start = clock()

        async def turn() -> float:
            await pace.turn()
            return clock() - start

        return sorted(await asyncio.gather(*(turn() for _ in range(6))))

    # Never early, but for the resolution of the clock; how late is the machine's affair.
    found = asyncio.run(moments())
    assert all(moment >= number / 50 - 0.002 for number, moment in enumerate(found))


def test_nothing_listens_so_every_question_fails_and_none_is_lost(questions, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/ask"
        found = run(questions(4), url, tmp_path / "t.jsonl", *FAST)
    assert [line["error"] for line in found] == ["the connection was refused"] * 4


def test_a_server_that_dies_in_mid_run_and_comes_back_costs_nothing(server, questions, tmp_path):
    output = tmp_path / "t.jsonl"
    gold = questions(300)
    running = start(gold, server.url("slow"), output, "--concurrency", "4", "--retries", "8")
    until(lambda: len(server.asked) >= 100, running)
    server.kill()
    answered = journalled(output)
    time.sleep(0.3)
    server.start()
    assert running.wait(timeout=60) == 0
    running.communicate()
    found = lines(output)
    assert [line["qid"] for line in found] == [line["qid"] for line in lines(gold)]
    assert all(line["answer_json"]["claim"] == f"You asked: {line['q']}" for line in found)
    times: dict[str, int] = {}
    for asked in server.asked:
        times[asked["body"]["q"]] = times.get(asked["body"]["q"], 0) + 1
    assert all(times[q] == 1 for q in answered)
    # Only what was in flight when the server died was asked a second time.
    assert sum(count > 1 for count in times.values()) <= 4


def journalled(output) -> set[str]:
    """The questions whose answers had reached the journal."""
    journal = output.with_name(output.name + ".journal").read_bytes()
    whole = journal[: journal.rfind(b"\n") + 1]
    path = output.with_name("seen.jsonl")
    path.write_bytes(whole)
    return {line["record"]["q"] for line in lines(path)[1:] if not line.get("failed")}


def test_questions_that_failed_are_the_only_ones_asked_again(server, questions, tmp_path):
    output = tmp_path / "t.jsonl"
    gold = questions(30)
    server.kill()
    running = start(gold, server.url("slow"), output, *FAST)
    assert running.wait(timeout=60) == 3
    running.communicate()
    assert all(line["reason"] == "transport" for line in replies_in(output))
    assert not output.exists()
    server.start()
    assert all("answer_json" in line for line in run(gold, server.url("slow"), output))
    before = len(server.asked)
    assert before == 30
    assert run(gold, server.url("slow"), output) == lines(output)
    assert len(server.asked) == before


def test_a_password_in_the_url_is_sent_and_written_nowhere(server, questions, tmp_path, capfd):
    url = server.url("ask").replace("http://", "http://me:sesame@")
    assert len(run(questions(1), url, tmp_path / "t.jsonl")) == 1
    assert server.asked[0]["authorization"] == "Basic bWU6c2VzYW1l"
    printed = capfd.readouterr()
    written = written_in(tmp_path, besides="asked.jsonl")
    assert "sesame" not in written + printed.out + printed.err
