"""`.ci/run` as a whole: which stages it starts, in which order, what it prints, when it fails."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
# Stands where `make` is looked for: what it was asked for goes into a file, and `test` prints what
# pytest prints. Nothing here is about what the targets do.
MAKE = """#!/bin/sh
echo "$@" >> "{calls}"
case "$*" in *{failing}*) echo "it failed"; exit 2;; esac
case "$1" in test)
  echo "=== slowest 10 durations ==="
  echo "3.25s call     tests/test_dear.py::test_dear"
  echo "=== 5 passed in 1.00s ==="
  echo "a library's last words"
esac
"""

SCRIPTS = (".ci/run", ".ci/stage", ".ci/budget", "scripts/pythons", "scripts/changed.py")
# The Pythons of this machine are not among them.
TOOLS = ("awk", "bash", "cat", "dirname", "env", "git", "grep", "head", "mktemp", "rm", "sed", "sh")
TOOLS += ("sort", "tail", "tee", "wc", "xargs")


class Clone:
    """The parts of the project that `.ci/run` starts itself, in a repository of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        for name in SCRIPTS:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, self.folder / name)
        self.bin = folder / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        for version in ("3.11", "3.12"):
            named = f'[ "$1" = -c ] && echo {version} "$0" || exec "{sys.executable}" "$@"'
            self.program(f"python{version}", f"#!/bin/sh\n{named}\n")
        self.change("docs/page.md")
        self.git("init", "-q", "-b", "main")
        self.commit()

    def program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def change(self, name: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text("changed")

    def git(self, *words: str) -> None:
        known = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *known, *words], cwd=self.folder, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def run(
        self, *base: str, failing: str = "nothing"
    ) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        """What `.ci/run` did, and what it asked make for."""
        calls = self.folder.parent / "calls"
        calls.write_text("")
        self.program("make", MAKE.format(calls=calls, failing=failing))
        ran = subprocess.run(
            ["bash", ".ci/run", *base],
            cwd=self.folder,
            env={"PATH": str(self.bin), "HOME": str(self.folder), "CI": "true"},
            capture_output=True,
            text=True,
        )
        return ran, calls.read_text().splitlines()


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_without_a_base_every_stage_runs_and_the_tests_come_before_what_takes_long(
    clone: Clone,
) -> None:
    ran, calls = clone.run()
    assert ran.returncode == 0, ran.stderr
    assert calls[0] == "deps" and "test" in calls
    before, after = calls[: calls.index("test")], calls[calls.index("test") :]
    assert {"lint", "types"} <= set(before)
    whole = {"test-spark", "test-clickhouse", "test-lowest WORKERS=1", "site", "test-image"}
    assert {*whole, "docs PAGES=", "kills", "fuzz FUZZ=100 FUZZ_WORKERS=1", "test-wheel"} <= set(
        after
    )


def test_against_a_base_only_what_the_change_is_about_runs(clone: Clone) -> None:
    clone.change("docs/page.md")
    clone.change("docs/second.md")
    ran, calls = clone.run("HEAD")
    assert ran.returncode == 0, ran.stderr
    (tests,) = [call for call in calls if call.startswith("test TESTS=")]
    assert "-m 'not browser' tests/against " in tests and "tests/test_docs.py" in tests
    assert {"site", "docs PAGES=docs/second.md", "kills", "test-wheel"} <= set(calls)
    (part,) = [call for call in calls if call.startswith("mutants MUTANTS=")]
    assert part.partition("=")[2] in ("1/5", "2/5", "3/5", "4/5", "5/5")
    assert not {"test-spark", "test-clickhouse", "test-image"} & set(calls)
    (spark,) = [call for call in calls if call.startswith("test-spark SPARK_TESTS=")]
    assert "[context_lines]" in spark


def test_the_last_line_is_the_one_that_pytest_closes_with(clone: Clone) -> None:
    ran, _ = clone.run()
    lines = ran.stdout.splitlines()
    assert lines[-1] == "=== 5 passed in 1.00s ==="
    dearest = lines.index("== the ten dearest tests")
    assert lines[dearest + 1] == "3.25s call     tests/test_dear.py::test_dear"
    assert lines[dearest + 3].startswith("== budget: ")


@pytest.mark.parametrize("stage", ["lint", "test TESTS", "kills"])
def test_a_stage_that_fails_fails_the_run(clone: Clone, stage: str) -> None:
    ran, calls = clone.run("HEAD", failing=stage)
    assert ran.returncode != 0
    assert ("test-wheel" in calls) is False or stage == "kills"


def test_ci_fails_with_one_python(clone: Clone) -> None:
    (clone.bin / "python3.12").unlink()
    ran, _ = clone.run()
    assert ran.returncode == 1
    assert "must run on two Pythons" in ran.stderr


@pytest.mark.parametrize(
    ("seconds", "cpu", "over"),
    [(721, "10m0.5s 10m0.000s", True), (719, "10m0.5s 10m0.0s", False),
     (9999, "10m0.0s 9m59.9s", False), (10, "0m1.0s 0m1.0s", False)],
)  # fmt: skip
def test_a_run_is_over_its_budget_only_by_the_clock_and_in_processor_time(
    tmp_path: Path, seconds: int, cpu: str, over: bool
) -> None:
    (tmp_path / "times").write_text(f"0m0.5s 0m0.5s\n{cpu}\n")
    budget = [str(PROJECT / ".ci/budget"), "12", "20", str(seconds), str(tmp_path / "times")]
    ran = subprocess.run(budget, capture_output=True, text=True)
    assert (ran.returncode, "over its budget" in ran.stdout) == (int(over), over)
