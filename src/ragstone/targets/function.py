"""`py:module:function`: a function of the user's, plain or async, called in this process."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import sys
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from functools import partial
from importlib import import_module
from pathlib import Path

from ragstone.contracts.strict_json import NotJson, parse, written
from ragstone.errors import ConfigError, RagstoneError
from ragstone.targets.protocol import Answer, Ask, NoAnswer, Opening, answer_of, raised
from ragstone.targets.secret_words import shown_address

# A parameter with one of these names gets that part of the ask.
_PARTS = ("q", "qid", "paraphrase", "seed", "jitter", "knobs", "constraints")
_NAMED = {**{name: name for name in _PARTS}, "question": "q", "query": "q"}

Calling = Callable[[Ask], Callable[[], object]]
"""Turns an ask into a call that needs no more arguments."""


class Function:
    """The target; a plain function runs in a thread, so that it does not block other questions."""

    def __init__(
        self, name: str, function: Callable[..., object], allow_key: Collection[str] = ()
    ) -> None:
        self._allow_key = allow_key
        self._calling = _calling(name, function)
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 (an object with an async call)
        )

    async def ask(self, ask: Ask) -> Answer:
        value = await self._called(self._calling(ask))
        return value if isinstance(value, Answer) else answer_of(_plain(value), self._allow_key)

    async def _called(self, call: Callable[[], object]) -> object:
        try:
            value = call() if self._is_async else await _in_thread(call)
            return await value if inspect.isawaitable(value) else value
        except (SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            # Raised by the function itself: asyncio would end the run, for one question.
            raise raised(error) from error

    async def close(self) -> None:
        """Nothing to close."""


def open_function(address: str, opening: Opening) -> Function:
    """Imports the function of `py:module:function`, from the working folder first."""
    wrong = f"--target {shown_address(address)!r}"
    module, colon, name = address.removeprefix("py:").partition(":")
    if not module or not colon or not name:
        raise ConfigError(f"{wrong}: expected py:module:function")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: object = import_module(module)
        for part in name.split("."):
            found = getattr(found, part, None)
    except ImportError as error:
        raise ConfigError(f"{wrong}: {error}") from error
    except SystemExit as error:
        raise ConfigError(
            f"{wrong}: importing {module} calls sys.exit({error.code!r}); what ends the program "
            'belongs under if __name__ == "__main__":'
        ) from error
    except Exception as error:
        kind = type(error).__name__
        raise ConfigError(f"{wrong}: importing {module} raised {kind}: {error}") from error
    if not callable(found):
        raise ConfigError(f"{wrong}: {module} has no function {name}")
    return Function(address, found, opening.endpoint.allow_key)


def _calling(name: str, function: Callable[..., object]) -> Calling:
    """Chooses how to call it: by the names of its parameters, or with one object as over HTTP."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        parameters = {}  # type: ignore[assignment]
    known = [key for key in parameters if key in _NAMED]
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = {
        key
        for key, value in parameters.items()
        if value.default is value.empty and value.kind not in variable
    }
    if any(_NAMED[key] == "q" for key in known) and needed <= set(known):
        return lambda ask: partial(function, **{key: getattr(ask, _NAMED[key]) for key in known})
    first = next(iter(parameters), None)
    if first is not None and needed <= {first}:
        return lambda ask: partial(function, ask.body())
    raise ConfigError(
        f"--target {name!r}: expected a function of q, and if it wants them seed, jitter, knobs, "
        "qid, paraphrase, constraints; or of one object with q, seed, jitter and knobs; "
        f"found {name.rpartition(':')[2]}({', '.join(parameters)})"
    )


async def _in_thread(call: Callable[[], object]) -> object:
    """Runs it in a daemon thread: one that hangs past its time-out does not keep Python alive."""
    done: Future[object] = Future()
    # A future that runs is not cancelled by a time-out, so its late result does not raise.
    done.set_running_or_notify_cancel()

    def work() -> None:
        try:
            done.set_result(call())
        except BaseException as error:
            # As a failure: a future cannot carry every exception (StopIteration, CancelledError),
            # and one that ends Python (SystemExit) must not end the run.
            known = isinstance(error, NoAnswer | RagstoneError)
            done.set_exception(error if known else raised(error))

    threading.Thread(target=work, daemon=True).start()
    return await asyncio.wrap_future(done)


def _plain(value: object) -> object:
    """Converts the value to JSON and back, so that it is checked as a reply over HTTP is."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    try:
        return parse(written(value).encode("utf-8", "surrogatepass"))
    except NotJson as error:
        raise NoAnswer("bad_answer", f"the function's result is not JSON: {error}") from None
