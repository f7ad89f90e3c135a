"""What a command costs: wall time, processor time and peak memory of one child process."""

from __future__ import annotations

import compileall
import ctypes
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

# PR_SET_CHILD_SUBREAPER of prctl(2).
_SUBREAPER = 36


def byte_code() -> None:
    """Leaves this package as pip leaves every other: with the byte code of its modules."""
    found = find_spec("ragstone")
    if found is None or not found.submodule_search_locations:
        raise SystemExit(f"{sys.executable} cannot import ragstone")
    compileall.compile_dir(found.submodule_search_locations[0], quiet=1)


@dataclass(frozen=True, slots=True)
class Cost:
    """One run of a command."""

    seconds: float
    cpu: float
    peak_mb: float
    code: int
    output: str


def run(command: Sequence[str], folder: Path | None = None, *, family: bool = False) -> Cost:
    """Runs a command and waits for it; the numbers are the kernel's own.

    Those of a `family` are of all processes that it starts, whoever ends first (Linux only); the
    peak is that of the largest.
    """
    if family:
        _adopt()
    started = time.perf_counter()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, text=True
    )
    output = child.stdout.read() if child.stdout else ""
    errors = child.stderr.read() if child.stderr else ""
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = status
    for pipe in filter(None, (child.stdout, child.stderr)):
        pipe.close()
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        raise SystemExit(f"{' '.join(command)} exited {code}:\n{errors}")
    usages = [usage, *(_left() if family else ())]
    cpu = sum(each.ru_utime + each.ru_stime for each in usages)
    return Cost(seconds, cpu, max(each.ru_maxrss for each in usages) / 1024, code, output)


def _adopt() -> None:
    """From here on, processes whose parent has ended are children of this one."""
    library = ctypes.CDLL(None, use_errno=True)
    if not sys.platform.startswith("linux") or library.prctl(_SUBREAPER, 1, 0, 0, 0):
        raise SystemExit("processor time of several processes is measured on Linux only")


def _left() -> Iterator[resource.struct_rusage]:
    """What those have used that are left of a command, when they end."""
    while True:
        try:
            yield os.wait4(-1, 0)[2]
        except ChildProcessError:
            return
