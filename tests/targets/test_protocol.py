"""The protocol: one contract for every reply, and a target from anywhere."""

from __future__ import annotations

import asyncio
import json

from good_lines import diagnosed
from hypothesis import example, given
from hypothesis import strategies as st

from ragstone.contracts.questions import QUESTIONS, questions_of
from ragstone.contracts.record import Given, problems
from ragstone.contracts.records.trace_records import TRACE
from ragstone.errors import ContractError
from ragstone.targets import protocol
from ragstone.targets.protocol import Answer, Ask, NoAnswer, Target, answer_of, attempt

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["claim", "citations", "constraints_echo", "in", "out", "llm", "id", "x"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
NAMES = [field.path[0] for field in TRACE.fields] + ["topk", "index_hash"]


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4))
@example({"answer_json": {"claim": True}})
@example({"retrieved_ids": [], "cost_usd": True})
@example({"retrieved_ids": [], "tokens": {"in": "3"}})
@example({"retrieved_ids": [], "stage_ms": {"llm": 3}})
def test_a_reply_is_taken_exactly_when_it_keeps_the_contract_of_a_trace(value):
    said = any(value.get(name) is not None for name in ("answer_json", "retrieved_ids", "topk"))
    good = said and not list(problems(TRACE, value, {}))
    try:
        answer_of(value)
    except NoAnswer as error:
        assert error.reason == "bad_answer"
        assert not good
    else:
        assert good


def test_a_reply_cannot_say_which_question_it_belongs_to():
    answer = answer_of({"qid": "other", "q": "?", "ts": 1, "retrieved_ids": [], "index_hash": "a"})
    assert answer.extra == {"index_hash": "a"}


ECHO = """
from ragstone.targets.protocol import Answer

class Echo:
    async def ask(self, ask): return Answer({"claim": f"{self.address} {ask.q}"})
    async def close(self): pass

def open_echo(address, opening):
    target = Echo()
    target.address = address
    return target
"""


def test_another_package_adds_a_kind_of_target_by_an_entry_point(tmp_path, monkeypatch):
    (tmp_path / "echo_of_test.py").write_text(ECHO)
    installed = tmp_path / "echo_of_test-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: echo-of-test\nVersion: 1\n")
    (installed / "entry_points.txt").write_text(
        f"[{protocol.GROUP}]\necho = echo_of_test:open_echo\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    target = protocol.open_target("echo:anything")
    assert isinstance(target, Target)
    reply = asyncio.run(attempt(target, Ask("A1", "Who?"), 1.0))
    assert reply.answer == Answer({"claim": "echo:anything Who?"})


def test_an_attempt_never_raises_for_what_the_target_does():
    class Slow:
        async def ask(self, ask: Ask) -> Answer:
            await asyncio.sleep(30)
            return Answer()

        async def close(self) -> None:
            """Nothing is held."""

    class Broken(Slow):
        async def ask(self, ask: Ask) -> Answer:
            raise TimeoutError("its own, not ours")

    late = asyncio.run(attempt(Slow(), Ask("A1", "Who?"), 0.01)).failure
    assert str(late) == "timeout: no answer within 0.01 s"
    broken = asyncio.run(attempt(Broken(), Ask("A1", "Who?"), 5)).failure
    assert str(broken) == "exception: TimeoutError: its own, not ours"


ITEMS = st.dictionaries(
    st.sampled_from([field.name for field in QUESTIONS.fields]), VALUES, max_size=4
)


@given(st.lists(ITEMS, max_size=3), st.booleans())
def test_a_gold_set_is_refused_or_asked_in_full(items, named):
    if named:
        items = [{"question": "Who?", **item, "qid": f"Q{n}"} for n, item in enumerate(items)]
    held = [json.dumps(item).encode() for item in items]
    bad = diagnosed(QUESTIONS, "gold", held, {}, unique="qid")
    assert outcome(held, None) == outcome(held, Given({"qid": "qid"}))
    questions, refused = outcome(held, None)
    assert refused or len(questions) == len(items)
    assert set(bad) <= set(refused)


def outcome(held, told):
    """The questions, or what is wrong with them."""
    try:
        return questions_of("gold", held, told), []
    except ContractError as error:
        return (), error.diagnostics
