"""The shadow itself: a target that is opened when it is first needed, and asked once a question."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace

from ragstone.errors import RagstoneError
from ragstone.shadow.arm_records import arm_of_answer
from ragstone.shadow.live_answer import LiveAnswer
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pairs import ArmRecord
from ragstone.targets.masks import Masks
from ragstone.targets.protocol import OVER_HTTP, Ask, Opening, Target, attempt, open_target
from ragstone.targets.secret_words import secrets_in

# What cannot be opened is tried again after so many seconds: an index may be built meanwhile.
_OPEN_AGAIN = 30.0
# For connections and programs of the target to end.
LAST_SECONDS = 1.0


class Shadow:
    """Asks the shadow, and never raises for what it does."""

    def __init__(self, settings: MirrorSettings) -> None:
        self._settings = settings
        self._target: Target | None = None
        self._again = 0.0
        self._unopened = ""
        self._masks = Masks.of(secrets_in(settings.target))

    async def ask(self, live: LiveAnswer) -> tuple[ArmRecord | None, str]:
        """What the shadow says to a live question; else nothing, and why."""
        failure = self.open()
        if self._target is None:
            return None, failure
        try:
            reply = await attempt(
                self._target, Ask(live.qid, live.question), self._settings.timeout
            )
        except RagstoneError as error:
            return None, self._masks.text(f"exception: {error}")
        if reply.answer is None:
            return None, self._masks.text(str(reply.failure))
        return arm_of_answer(reply.answer, reply.latency_ms), ""

    def open(self) -> str:
        """Opens the target, unless it is open; why it cannot be, else ""."""
        if self._target is not None:
            return ""
        if time.monotonic() >= self._again:
            try:
                self._target = opened(self._settings)
                return ""
            except Exception as error:
                # A package's own target may raise anything.
                self._again = time.monotonic() + _OPEN_AGAIN
                self._unopened = self._masks.text(f"exception: it cannot be opened: {error}")
        return self._unopened

    async def close(self) -> None:
        """Ends its connections and programs, within a second."""
        if self._target is not None:
            with suppress(OSError, RagstoneError, TimeoutError):
                await asyncio.wait_for(self._target.close(), LAST_SECONDS)


def opened(settings: MirrorSettings) -> Target:
    """The target; its chunks come with their texts, which a ΔS that nobody logged needs."""
    endpoint = settings.endpoint
    if settings.target.partition(":")[0] in OVER_HTTP:
        # One question a connection: a reply cannot come under the question before or after it, and
        # a mirror that runs for months remembers no connection's questions.
        endpoint = replace(endpoint, keep_alive=False)
    opening = Opening(
        settings.concurrency, evidence=settings.evidence, texts=True, endpoint=endpoint
    )
    return open_target(settings.target, opening)
