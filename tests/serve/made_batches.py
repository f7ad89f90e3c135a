"""Batches for tests of the store."""

from __future__ import annotations

from hashlib import sha256

from ragstone.serve.frames import Batch, Stored
from ragstone.serve.group_commit import Incoming


def stored(text: str, moment: int = 1_000, name: str = "", qid: str = "") -> Stored:
    return Stored(sha256(text.encode()).hexdigest(), "trace", moment, name, qid, text)


def batch(*texts: str, key: str = "", arrived: int = 1_000) -> Batch:
    return Batch(key, "-".join(texts), arrived, tuple(stored(text) for text in texts))


def incoming(*texts: str, key: str = "") -> Incoming:
    return Incoming(batch(*texts, key=key), texts, sum(map(len, texts)))
