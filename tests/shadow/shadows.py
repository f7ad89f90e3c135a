"""Shadows that tests ask as `py:tests...`: one that answers, and some that misbehave."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

asked: list[str] = []
# Set while `held` may answer.
free = threading.Event()


def reply(q: str) -> dict[str, Any]:
    answer = {"claim": f"shadow of {q}", "citations": ["e1"]}
    hits = [{"id": "e1", "text": f"all about {q}"}]
    return {"answer_json": answer, "retrieved_ids": ["e1"], "topk": hits, "index_hash": "next"}


async def good(q: str) -> dict[str, Any]:
    asked.append(q)
    return reply(q)


def plain(q: str) -> dict[str, Any]:
    return reply(q)


async def by_its_words(q: str) -> dict[str, Any]:
    """Does what the question says: fails, stalls, breaks its contract, or answers."""
    if "fail" in q:
        raise ValueError("no")
    if "stall" in q:
        await asyncio.Event().wait()
    if "break" in q:
        return {"answer_json": {"claim": 7}}
    await asyncio.sleep(0)
    return reply(q)


def held(q: str) -> dict[str, Any]:
    """Answers once it may."""
    asked.append(q)
    free.wait(30)
    return reply(q)


def stuck(q: str) -> dict[str, Any]:
    """Never comes back, and cannot be cancelled."""
    threading.Event().wait()
    return reply(q)


async def hogging(q: str) -> dict[str, Any]:
    """Blocks the thread that asks."""
    free.wait(30)
    return reply(q)
