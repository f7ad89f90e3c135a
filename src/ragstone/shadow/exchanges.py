"""A request and its reply as they passed by: what was asked, and what was answered, in JSON."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from ragstone.contracts.json_paths import BadPath
from ragstone.contracts.kinds import KINDS
from ragstone.contracts.mapped_fields import Mapped, parse_mapped
from ragstone.contracts.mapped_values import read_mapped
from ragstone.contracts.packed import WINDOWS, Damaged, TooLarge, unpacked_body
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import ConfigError
from ragstone.shadow.live_answer import LiveAnswer, Unread, arm_in, name_in, question_in
from ragstone.targets.reply_fields import NotThere, reader

# Where the question is in the JSON of a request: a path, or a function that finds it.
QuestionAt = str | Callable[[object], object]
# Where the fields of the answer are in the JSON of a reply, as `--reply` says it; or a function
# that makes a trace or a live record of it.
AnswerAt = Mapping[str, str] | Callable[[object], object]

# What pairs keep beyond a trace; without them a pair is as good as the rest of it.
_BESIDE = ("index_hash", "delta_s", "lambda_states", "lambda_final")
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json")
_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*")

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Body:
    """The headers of a message, and its body in the pieces that it came in."""

    headers: Headers
    parts: tuple[bytes, ...]

    def header(self, name: bytes) -> bytes:
        return next((value for key, value in self.headers if key.lower() == name), b"")

    def json(self, what: str, most: int) -> object:
        """What the body says; Unread where it is no JSON."""
        if not is_json(self.header(b"content-type")):
            raise Unread(f"{what} is not JSON, by its Content-Type")
        packing = self.header(b"content-encoding").decode("latin-1").strip().lower()
        data = b"".join(self.parts)
        if packing not in ("", "identity"):
            if packing not in WINDOWS:
                raise Unread(f"{what} is packed in a way that is not known")
            try:
                data = unpacked_body(data, packing, most)
            except (Damaged, TooLarge) as error:
                raise Unread(f"{what} is packed: {error}") from None
        try:
            return parse(data.strip(), explain=False)
        except NotJson:
            raise Unread(f"{what} is not JSON") from None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, its reply, when it was sent (in milliseconds) and how long that took."""

    request: Body
    reply: Body
    ts: int
    latency_ms: float


def is_json(content_type: bytes) -> bool:
    """Whether a Content-Type is that of one JSON value.

    >>> [is_json(b"application/json; charset=utf-8"), is_json(b"application/x-ndjson")]
    [True, False]
    """
    kind = content_type.decode("latin-1").partition(";")[0].strip().lower()
    return _JSON.fullmatch(kind) is not None


class ExchangeReader:
    """Finds question and answer in what passed by; how is checked when it is made."""

    def __init__(self, question: QuestionAt | None, answer: AnswerAt | None, most: int) -> None:
        self._question = _question_reader(question)
        self._answer = _answer_reader(answer)
        self._most = most

    def read(self, exchange: Exchange, is_chosen: Callable[[str], bool]) -> LiveAnswer | None:
        """The live answer, if its question is chosen; Unread says why there is none."""
        asked = exchange.request.json("the request", self._most)
        question = self._question(asked)
        if not is_chosen(question):
            return None
        said = self._answer(exchange.reply.json("the answer", self._most))
        arm = arm_in(said)
        if arm.perf.latency_ms is None:
            arm = replace(arm, perf=replace(arm.perf, latency_ms=exchange.latency_ms))
        passed = _TRACEPARENT.fullmatch(exchange.request.header(b"traceparent"))
        return LiveAnswer(
            question,
            arm,
            id=secrets.token_hex(16),
            ts=exchange.ts,
            qid=name_in(asked, "qid", "q_id") or name_in(said, "qid", "q_id"),
            trace_id=name_in(said, "trace_id") or (passed[1].decode() if passed else ""),
        )


def _question_reader(question: QuestionAt | None) -> Callable[[object], str]:
    if question is None:
        return question_in
    if callable(question):
        find: Callable[[object], object] = question
        return lambda value: _asked(find(value), "the function for the question")
    mapped = _mapped("question", question)
    return lambda value: _asked(_at(mapped, value), question)


def _asked(found: object, at: str) -> str:
    if not isinstance(found, str) or not found.strip():
        raise Unread(f"there is no question: {at} gives no text")
    return found


def _answer_reader(answer: AnswerAt | None) -> Callable[[object], object]:
    if answer is None:
        return lambda value: value
    if not isinstance(answer, Mapping):
        return answer
    beside = {name: _mapped(name, answer[name]) for name in _BESIDE if name in answer}
    plain = reader({name: at for name, at in answer.items() if name not in beside})

    def read(value: object) -> object:
        try:
            made = plain(value)
        except NotThere:
            raise Unread("the answer lacks a field that is mapped") from None
        also = {name: _at(mapped, value) for name, mapped in beside.items()}
        return {**made, **also} if isinstance(made, dict) else made

    return read


def _mapped(name: str, text: str) -> Mapped:
    try:
        return parse_mapped(text)
    except BadPath as error:
        raise ConfigError(f"{name}: {error}") from None


def _at(mapped: Mapped, value: object) -> object:
    return read_mapped(mapped, value, KINDS["any"]).value
