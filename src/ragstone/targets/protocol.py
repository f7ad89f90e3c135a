"""The protocol of a target: one question in, one answer out; targets are opened by address.

A target is anything with `ask` and `close`. `ask` gives an Answer or raises NoAnswer; the runner,
the latency sweep and the stability run need nothing more of it.
"""

from __future__ import annotations

import asyncio
import pkgutil
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Literal, Protocol, runtime_checkable

from ragstone.contracts.record import Allowing, problems, shown
from ragstone.contracts.records.trace_records import TRACE
from ragstone.errors import ConfigError, RagstoneError
from ragstone.extras import install_line
from ragstone.targets.endpoint import Endpoint
from ragstone.targets.secret_words import shown_address

Reason = Literal[
    "timeout",  # no answer within the time allowed for a question
    "transport",  # the connection was refused, reset or cut
    "http_status",  # the server answered, and not with 200
    "bad_answer",  # an answer came that breaks its contract
    "exception",  # the function raised
    "exited",  # the process ended before it answered
]


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to ask: its wording, and the seed, jitter and knobs to ask it under.

    `paraphrase`, `seed` and `jitter` are None where the run does not vary them. `constraints` are
    the locked constraints of the gold item, for targets that use the guard.
    """

    qid: str
    q: str
    paraphrase: int | None = None
    seed: int | None = None
    jitter: str | None = None
    knobs: Mapping[str, object] = field(default_factory=dict)
    constraints: tuple[str, ...] = ()

    def body(self) -> dict[str, object]:
        """The JSON object that a server or process gets.

        >>> Ask("A1", "Who wrote X?", seed=2).body()
        {'q': 'Who wrote X?', 'seed': 2, 'jitter': None, 'knobs': {}}
        """
        return {"q": self.q, "seed": self.seed, "jitter": self.jitter, "knobs": dict(self.knobs)}


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply of a pipeline; `extra` keeps the fields that the trace contract does not name.

    `answer_json` is None from a target that only retrieves.
    """

    answer_json: Mapping[str, object] | None = None
    retrieved_ids: tuple[str, ...] = ()
    stage_ms: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, float] = field(default_factory=dict)
    cost_usd: float | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


class NoAnswer(Exception):
    """Why there is no answer: a code to count by and a sentence to read.

    `again` says that asking once more may help; `after` is how many seconds the server wants us to
    wait before that.
    """

    def __init__(
        self, reason: Reason, says: str, *, again: bool = False, after: float | None = None
    ) -> None:
        self.reason: Reason = reason
        self.says = says
        self.again = again
        self.after = after
        super().__init__(f"{reason}: {says}")


@runtime_checkable
class Target(Protocol):
    """A pipeline that can be asked; many calls of `ask` may run at once."""

    async def ask(self, ask: Ask) -> Answer:
        """Returns the answer or raises NoAnswer; may be cancelled at any time."""
        ...

    async def close(self) -> None:
        """Closes connections and ends processes."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of one attempt: an answer or a failure, when it began and how long it took."""

    ask: Ask
    answer: Answer | None
    failure: NoAnswer | None
    ts: float
    latency_ms: float


def raised(error: BaseException) -> NoAnswer:
    """The failure of a function that raised; it keeps the exception, for its traceback."""
    failure = NoAnswer("exception", f"{type(error).__name__}: {error}")
    failure.__cause__ = error
    return failure


async def attempt(target: Target, ask: Ask, timeout: float) -> Reply:
    """Asks once, within a time limit in seconds; never raises for what the target does."""
    ts, start = time.time(), time.perf_counter()
    answer: Answer | None = None
    failure: NoAnswer | None = None
    limit = asyncio.timeout(timeout)
    try:
        async with limit:
            answer = await target.ask(ask)
    except NoAnswer as error:
        failure = error
    except RagstoneError:
        # A mistake of the user in setting up the run, not a failure of this question.
        raise
    except Exception as error:
        failure = raised(error)
        if limit.expired():
            failure = NoAnswer("timeout", f"no answer within {timeout:g} s")
    return Reply(ask, answer, failure, ts, (time.perf_counter() - start) * 1000)


_OWN = ("answer_json", "retrieved_ids", "stage_ms", "tokens", "cost_usd")
# The runner writes these itself: a reply cannot claim to answer another question.
_ASKED = ("qid", "q_id", "q", "paraphrase", "seed", "jitter", "knobs", "run_id", "ts", "latency_ms")


def answer_of(value: object, allow_key: Collection[str] = ()) -> Answer:
    """Reads a reply, checked as strictly as a line of a trace.

    >>> answer_of({"answer_json": {"claim": "X."}, "retrieved_ids": ["p1"], "index": "v2"}).extra
    {'index': 'v2'}
    >>> answer_of({"answer_json": {"claim": 7}})
    Traceback (most recent call last):
        ...
    ragstone.targets.protocol.NoAnswer: bad_answer: answer_json.claim: expected a string, found 7
    """
    if not isinstance(value, dict):
        raise NoAnswer("bad_answer", f"expected an object, found {shown(value)}")
    for name, reason in problems(TRACE, value, Allowing({}, allow_key)):
        raise NoAnswer("bad_answer", f"{name}: {reason}")
    if all(value.get(name) is None for name in ("answer_json", "retrieved_ids", "topk", "refused")):
        raise NoAnswer("bad_answer", "expected answer_json or retrieved_ids, found neither")
    return Answer(
        value.get("answer_json"),
        tuple(value.get("retrieved_ids") or ()),
        value.get("stage_ms") or {},
        value.get("tokens") or {},
        value.get("cost_usd"),
        {key: item for key, item in value.items() if key not in (*_OWN, *_ASKED)},
    )


@dataclass(frozen=True, slots=True)
class Opening:
    """What a factory gets besides the address.

    `concurrency` is how many questions are asked at once, `evidence` the address of the target
    that a chat model answers from; `texts` tells that target to return the texts with the ids. A
    target calls `withdraw` when it finds out later that an answer it gave cannot be trusted.
    `endpoint` is for targets that speak HTTP. With `guard_support` the guard of a chat model also
    looks up numbers and quotations.
    """

    concurrency: int = 8
    evidence: str | None = None
    texts: bool = False
    withdraw: Callable[[Ask, NoAnswer], None] = lambda ask, why: None
    endpoint: Endpoint = field(default_factory=Endpoint)
    guard_support: bool = False


Factory = Callable[[str, Opening], Target]

GROUP = "ragstone.targets"
_KNOWN = "py:module:function, http://host/path, cmd:PROGRAM, index:PATH or openai:URL#model"
# Scheme → factory, imported when it is used; it gets the whole address.
SCHEMES: Mapping[str, str] = {
    "py": "ragstone.targets.function:open_function",
    "http": "ragstone.targets.http:open_http",
    "https": "ragstone.targets.http:open_http",
    "cmd": "ragstone.targets.command:open_command",
    "openai": "ragstone.targets.chat:open_chat",
    "index": "ragstone.targets.embedded:open_embedded",
}

OVER_HTTP = ("http", "https", "openai")


def open_target(address: str, opening: Opening | None = None) -> Target:
    """Opens `py:module:function`, `http://...`, `cmd:...`, `index:...` or `openai:...`.

    A package adds a scheme with an entry point in the group `ragstone.targets`: its name is the
    scheme, and it is called with the address and an Opening.
    """
    scheme, place, added = _factory_of(address)
    opening = opening or Opening()
    must_be_address(address, opening.endpoint)
    if not added and scheme != "openai" and opening.guard_support:
        raise ConfigError("--guard-support: only openai: targets answer behind the guard")
    try:
        factory: Factory = pkgutil.resolve_name(place)
    except ModuleNotFoundError as error:
        says = f"a target of the kind {scheme}: needs {error.name}, which is not installed"
        known = scheme in OVER_HTTP and error.name == "aiohttp"
        raise ConfigError(f"{says}: {install_line('aiohttp')}" if known else says) from None
    return factory(address, opening)


def must_be_address(address: str, endpoint: Endpoint) -> None:
    """Refuses an address of no known kind, or one that cannot be asked so; opens nothing."""
    scheme, _, added = _factory_of(address)
    if not added and scheme not in OVER_HTTP and endpoint.given:
        flags = ", ".join(endpoint.given)
        raise ConfigError(f"{flags}: only http:, https: and openai: targets are asked over HTTP")


def _factory_of(address: str) -> tuple[str, str, bool]:
    """The scheme of an address, where its factory is, and whether a package added it."""
    scheme, colon, rest = address.partition(":")
    if not colon or not rest:
        raise ConfigError(f"--target {shown_address(address)!r}: expected {_KNOWN}")
    added = [entry.value for entry in entry_points(group=GROUP, name=scheme)]
    place = added[0] if added else SCHEMES.get(scheme)
    if place is None:
        shown = shown_address(address)
        raise ConfigError(f"--target {shown!r}: {scheme!r} is no known kind; there are {_KNOWN}")
    return scheme, place, bool(added)


class Stages:
    """Times the stages of one answer, in milliseconds."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        self._last = time.perf_counter()

    def ended(self, name: str) -> None:
        now = time.perf_counter()
        self.ms[name] = round((now - self._last) * 1000, 3)
        self._last = now
