"""A text of hundreds of thousands of characters is normal input, whatever it is made of.

No test here looks at a clock: where a pattern reads a text again from each of its characters, one
of these takes minutes instead of no time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from ragstone.contracts.ids import NotIds, ids_in
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError
from ragstone.gates.judge import split_flags
from ragstone.index.texts import sentences
from ragstone.matching.phrases import phrase_spans
from ragstone.matching.user_patterns import checked
from ragstone.report.text import visible
from ragstone.score_eval import NUMBER, holds
from ragstone.suites.answers.scu import DEFAULT_RULES, compile_rules
from ragstone.suites.answers.verdicts import Judging, prepare
from ragstone.suites.context.question_values import Documents
from ragstone.suites.spreadsheet_cells import cell
from ragstone.targets.guard import Evidence, Guard
from ragstone.targets.jitters import JITTERS
from ragstone.targets.plain_readings import readings

LENGTH = 200_000
PIECES = (
    *("a", "0", " ", "\n", ".", "?!", ",", "::", "-", "'", "\\'", "[", "(", "<", "`", "文", "_a"),
    *("a.", "a-", "www.", "http://a", "<urn:uuid:", "not true that ", "does not ", "null keys "),
)
JUDGED = compile_rules(DEFAULT_RULES)
LOCKED = ["X rejects null keys.", "It must log errors.", "Use only a.com."]


def list_of_ids(text: str) -> None:
    try:
        ids_in(f"['{text}")
    except NotIds:
        return
    raise AssertionError("the list is never closed")


def pattern(text: str) -> None:
    try:
        checked(f"{text}(", "here")
    except ConfigError:
        return
    raise AssertionError("the group is never closed")


def gate(text: str) -> None:
    try:
        split_flags([f"x{text}".replace(",", ";")])
    except ConfigError:
        return


@functools.cache
def engine() -> Duck:
    duck = Duck(threads=1)
    prepare(duck, Judging())
    return duck


def phrase_of_the_engine(text: str) -> None:
    engine().query("select holds($claim, $phrase)", {"claim": f"{text}1", "phrase": text})


READERS: dict[str, Callable[[str], object]] = {
    **JITTERS,
    "list_of_ids": list_of_ids,
    "document": Documents().of,
    "pattern": pattern,
    "gate": gate,
    "number": NUMBER.fullmatch,
    "phrase": lambda text: list(phrase_spans(f"1{text}", "0,0.0")),
    "phrase_of_the_scorer": lambda text: holds(f"{text}1", f"{text}"),
    "phrase_of_the_engine": phrase_of_the_engine,
    "cell": lambda text: cell(f"+0{text}!"),
    "sentences": lambda text: list(sentences(text, "prose")),
    "visible": visible,
    "contradiction": lambda text: JUDGED.contradiction(LOCKED, f"X accepts {text}"),
    "readings": readings,
    "guard": lambda text: Guard().judge(text, [Evidence("p1#2", "X.")], LOCKED),
}


@pytest.mark.parametrize("name", READERS)
def test_a_long_text_is_read_in_linear_time(name: str) -> None:
    for piece in PIECES:
        READERS[name](piece * (LENGTH // len(piece)))
