"""No thread ends in silence: a fault is counted and told, and the work goes on."""

from __future__ import annotations

import ast
import threading
from pathlib import Path

import pytest

import ragstone
from ragstone.errors import InputError
from ragstone.worker import Troubles, Worker, words_of

pytestmark = pytest.mark.python

SOURCE = Path(__file__).parent.parent / "src" / "ragstone"
# What draws the line of progress, and what runs a function of the user's for one call.
NO_WORKERS = {"worker.py", "progress.py", "targets/function.py"}


class Steps:
    """A worker's steps: each raises what it is told, or does its work."""

    def __init__(self, *raised: BaseException | None) -> None:
        self._raised = [*raised]
        self.worked = 0

    def __call__(self) -> bool:
        if not self._raised:
            return False
        error = self._raised.pop(0)
        if error is not None:
            raise error
        self.worked += 1
        return True


@pytest.mark.parametrize(
    "error",
    [KeyError("secret"), InputError("no"), OSError(28, "Full"), SystemExit("secret")],
)
def test_a_worker_goes_on_after_any_fault(
    error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    troubles, heard = Troubles(), list[tuple[str, bool]]()
    troubles.heard_by(lambda name, words, begins: heard.append((name, begins)))
    steps = Steps(None, error, error, None)
    worker = Worker("windows", steps, troubles)
    worker.start()
    worker.join(10)
    assert steps.worked == 2
    assert troubles.counts() == {"windows": 2}
    assert heard == [("windows", True), ("windows", False)]
    assert troubles.words == ""
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        f"ragstone: windows: {words_of(error)}; it is tried again",
        "ragstone: windows: it works again",
    ]
    assert "secret" not in lines[0]


def test_what_goes_wrong_now_is_in_one_line() -> None:
    troubles = Troubles()
    troubles.add("webhook", InputError("one"))
    troubles.add("windows", OSError(28, "No space left on device"))
    assert troubles.words == "webhook: one; windows: no space left on device"


def test_an_alarm_that_fails_is_counted_and_stops_nobody() -> None:
    troubles, heard = Troubles(), list[str]()

    def fails(name: str, words: str, begins: bool) -> None:
        raise ValueError(name)

    troubles.heard_by(fails)
    troubles.heard_by(lambda name, words, begins: heard.append(name))
    troubles.add("windows", InputError("no"))
    assert heard == ["windows"]
    assert troubles.counts() == {"windows": 1, "alarms": 1}


def test_one_wrapper_runs_every_thread() -> None:
    others = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr == threading.Thread.__name__:
                others |= {str(path.relative_to(SOURCE))}
    starting = {
        name
        for name in others
        if "threading.Thread(" in (SOURCE / name).read_text(encoding="utf-8")
    }
    assert starting == NO_WORKERS


def test_every_thread_of_the_server_is_a_worker() -> None:
    """The bar of a command is a thread, too, and so is a call that a target may have to give up."""
    source = Path(ragstone.__file__).parent
    with_threads = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "Thread(" in path.read_text(encoding="utf-8")
    }
    assert with_threads == {"worker.py", "progress.py", "targets/function.py"}
