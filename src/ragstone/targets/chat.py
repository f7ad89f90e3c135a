"""`openai:URL#model`: an OpenAI-compatible chat endpoint that answers from evidence alone.

The key is read from OPENAI_API_KEY, sent to the URL that was named, and written nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragstone.errors import ConfigError
from ragstone.targets.endpoint import Endpoint
from ragstone.targets.guard import Evidence, Guard, Verdict
from ragstone.targets.http import Poster
from ragstone.targets.protocol import (
    OVER_HTTP,
    Answer,
    Ask,
    NoAnswer,
    Opening,
    Stages,
    Target,
    open_target,
)
from ragstone.targets.secret_words import shown_address

KEY = "OPENAI_API_KEY"
# Knobs that are sent to the endpoint; the others are for the evidence target and the guard.
_PASSED_ON = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "frequency_penalty")


class Chat:
    """Retrieves from one target, asks the endpoint, and checks its answer with the guard."""

    def __init__(
        self, url: str, model: str, evidence: Target, guard: Guard, opening: Opening
    ) -> None:
        key = os.environ.get(KEY, "")
        self._poster = Poster(url, opening, {"Authorization": f"Bearer {key}"} if key else {})
        self._model = model
        self._evidence = evidence
        self._guard = guard

    async def ask(self, ask: Ask) -> Answer:
        stages = Stages()
        k = ask.knobs.get("k")
        depth = k if isinstance(k, int) and k > 0 else None
        found = evidence_of(await self._evidence.ask(ask), depth)
        shown = self._guard.admissible(found)
        stages.ended("retrieval")
        output = ""
        tokens: Mapping[str, float] = {}
        if shown:
            output, tokens = await self._complete(ask, shown)
            stages.ended("llm")
        verdict = self._guard.judge(output, found, ask.constraints)
        stages.ended("guard")
        return Answer(
            verdict.answer_json,
            tuple(item.id for item in shown),
            stages.ms,
            tokens,
            _cost(tokens, ask.knobs),
            _view(verdict, output),
        )

    async def _complete(
        self, ask: Ask, shown: Sequence[Evidence]
    ) -> tuple[str, Mapping[str, float]]:
        """Asks the endpoint; returns the model's text and the tokens it took."""
        messages = self._guard.messages(ask.q, shown, ask.constraints)
        body: dict[str, object] = {"model": self._model, "messages": messages, "temperature": 0}
        if ask.seed is not None:
            body["seed"] = ask.seed
        body.update((name, ask.knobs[name]) for name in _PASSED_ON if name in ask.knobs)
        match ask.knobs.get("response_format", "json_schema"):
            case "json_schema":
                schema = self._guard.schema(shown, ask.constraints)
                named = {"name": "answer", "strict": True, "schema": schema}
                body["response_format"] = {"type": "json_schema", "json_schema": named}
            case "json_object":
                body["response_format"] = {"type": "json_object"}
        reply = await self._poster.post(body, ask)
        return _content(reply), _tokens(reply)

    async def close(self) -> None:
        await self._poster.close()
        await self._evidence.close()


def open_chat(address: str, opening: Opening) -> Chat:
    """Opens `openai:http://localhost:8080/v1#small` and the target that gives the evidence."""
    url, hash, model = address.removeprefix("openai:").partition("#")
    if not url or not hash or not model:
        raise ConfigError(f"--target {shown_address(address)!r}: expected openai:URL#model")
    if opening.evidence is None:
        raise ConfigError(
            "openai: answers from evidence and from nothing else; say where it comes from with "
            "--evidence TARGET, such as index:PATH or py:module:function"
        )
    url = url.rstrip("/")
    if not url.endswith("/chat/completions"):
        url += "/chat/completions"
    if opening.endpoint.body is not None or opening.endpoint.reply:
        raise ConfigError("--body and --reply: the form of openai: requests and replies is fixed")
    # The headers are for this endpoint: the evidence may come from another host.
    shared = replace(opening.endpoint, header=())
    if opening.evidence.partition(":")[0] not in OVER_HTTP:
        shared = Endpoint()
    beneath = Opening(opening.concurrency, texts=True, withdraw=opening.withdraw, endpoint=shared)
    evidence = open_target(opening.evidence, beneath)
    return Chat(url, model, evidence, Guard(support=opening.guard_support), opening)


def evidence_of(answer: Answer, depth: int | None) -> tuple[Evidence, ...]:
    """Reads the evidence from the `topk` of a retrieving target; every entry needs its text."""
    topk = answer.extra.get("topk")
    if not isinstance(topk, list):
        raise NoAnswer("bad_answer", "the evidence target gave no topk with id and text")
    found = []
    for item in topk[:depth]:
        id, text = (item.get("id"), item.get("text")) if isinstance(item, dict) else (None, None)
        if not isinstance(id, str) or not isinstance(text, str):
            raise NoAnswer("bad_answer", f"the evidence target gave no text for {id!r}")
        found.append(Evidence(id, text, str(item.get("source", "corpus"))))
    return tuple(found)


def _content(reply: object) -> str:
    """Reads the model's text; `content` may be null, as some endpoints send an empty text."""
    match reply:
        case {"choices": [{"message": {"content": str(content)}}, *_]}:
            return content
        case {"choices": [{"message": {**message}}, *_]} if message.get("content") is None:
            return ""
    raise NoAnswer("bad_answer", "the reply has no choices[0].message.content")


def _tokens(reply: object) -> Mapping[str, float]:
    usage = reply.get("usage") if isinstance(reply, dict) else None
    if not isinstance(usage, dict):
        return {}
    counts = {"in": usage.get("prompt_tokens"), "out": usage.get("completion_tokens")}
    return {name: count for name, count in counts.items() if isinstance(count, int)}


def _cost(tokens: Mapping[str, float], knobs: Mapping[str, object]) -> float | None:
    """The cost in dollars, when the knobs name the prices of a million tokens."""
    price_in, price_out = knobs.get("usd_per_million_in"), knobs.get("usd_per_million_out")
    if not (tokens and isinstance(price_in, int | float) and isinstance(price_out, int | float)):
        return None
    dollars = tokens.get("in", 0) * price_in + tokens.get("out", 0) * price_out
    return round(dollars / 1e6, 12)


def _view(verdict: Verdict, output: str) -> dict[str, object]:
    """The fields of the trace that say what the guard rejected, and why."""
    if verdict.ok:
        return {"ok": True}
    rejected = {"says": verdict.says, "output": output[:2000]}
    return {"ok": False, "reason": verdict.reason, "rejected": rejected}
