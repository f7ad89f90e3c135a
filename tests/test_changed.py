"""What `.ci/run` leaves out for a change: never what the changed files are about."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import changed
import pytest
from changed import ALWAYS, MODULES, NEEDS, PROJECT, STAGES, TESTS, plan

EVERY_STAGE = " ".join(STAGES)


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True)
    return listed.stdout.split() or pytest.skip("this is no clone")


def left_out(path: str, *tests: str) -> list[str]:
    """Which of these test files do not run after a change of this path."""
    run = plan([path])["tests"].split() or ["tests"]
    return [test for test in tests if not any(f"{test}/".startswith(f"{each}/") for each in run)]


def test_the_table_names_only_what_is_there() -> None:
    files = tracked()
    for start, needs in NEEDS.items():
        assert any(path.startswith(start) for path in files), start
        for word in needs.split():
            assert word in (*STAGES, changed.EVERYTHING) or (PROJECT / word).exists(), word


def test_without_a_base_everything_runs() -> None:
    whole = plan(None)
    assert whole == {"stages": EVERY_STAGE, "tests": "", "docs": "", "budget": "55 95"}


ANYTHING = (
    "pyproject.toml",
    "constraints/dev.txt",
    "Makefile",
    ".ci/run",
    "tests/command.py",
    "new",
)


@pytest.mark.parametrize("path", ANYTHING)
def test_what_anything_may_depend_on_needs_everything(path: str) -> None:
    assert plan(["docs/ledger.md", path]) == plan(None)


def test_a_changed_test_runs_whatever_it_is() -> None:
    files = [path for path in tracked() if path.startswith("tests/") and "/test_" in path]
    assert [path for path in files if path.endswith(".py") and left_out(path, path)] == []


@pytest.mark.parametrize("path", ["LICENSE", "docs/ledger.md", "src/ragstone/gates/proof.py"])
def test_some_tests_always_run(path: str) -> None:
    assert left_out(path, *ALWAYS) == []


def test_tests_that_import_a_changed_module_run() -> None:
    """Whether the module was changed or one that it imports."""
    below = {name: changed.with_importers({name}) for name in list(MODULES)[:: len(MODULES) // 12]}
    for name, reached in below.items():
        path = str(MODULES[name].relative_to(PROJECT))
        importing = [file for file in TESTS.rglob("test_*.py") if changed.imports(file) & reached]
        names = [str(file.relative_to(PROJECT)) for file in importing]
        assert left_out(path, *names) == [], name


@pytest.mark.parametrize("file", ["rules.py", "rows.sql", "metrics.toml"])
def test_a_change_of_one_suite_runs_its_tests_and_those_of_all_suites(file: str) -> None:
    path = f"src/ragstone/suites/latency/{file}"
    needed = plan([path])
    assert (needed["stages"], needed["budget"]) == ("", "12 20")
    others = ["tests/suites/stability/test_stability.py", "tests/ledger/test_trend.py"]
    own = ["tests/suites/latency/test_latency.py"]
    all_suites = ["tests/suites/test_readings.py", "tests/test_names.py"]
    assert left_out(path, *others, *own, *all_suites) == others
    assert "docs/latency.md" in needed["docs"].split()
    assert "docs/ledger.md" not in needed["docs"].split()


@pytest.mark.parametrize("path", ["src/ragstone/errors.py", "src/ragstone/spark/read.py"])
def test_what_nearly_all_tests_are_about_has_the_budget_of_everything(path: str) -> None:
    assert plan([path])["budget"] == "55 95"


@pytest.mark.parametrize(
    ("path", "stages"),
    [
        ("src/ragstone/spark/new.py", "spark"),
        ("src/ragstone/engine/duck.py", "spark clickhouse lowest"),
        ("src/ragstone/serve/routes.py", "browser"),
        ("tests/report/test_saved.py", "browser"),
        ("docs/ledger.md", "site"),
        ("Dockerfile", "image"),
        ("src/ragstone/gates/proof.py", ""),
    ],
)
def test_a_stage_runs_where_its_files_changed(path: str, stages: str) -> None:
    assert plan([path])["stages"] == stages


def test_a_page_that_changed_is_run_and_no_other() -> None:
    assert plan(["docs/ledger.md"])["docs"] == "docs/ledger.md"
    assert plan(["tests/gates/test_proof.py"])["docs"] == "none"


class Clone:
    """A repository with this script, and a branch `origin/main`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "scripts").mkdir(parents=True)
        (folder / "docs").mkdir()
        (folder / "scripts/changed.py").write_text(Path(changed.__file__).read_text())
        self.git("init", "-q", "-b", "main")
        self.commit("src/ragstone/a.py")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")

    def git(self, *words: str) -> None:
        known = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *known, *words], cwd=self.folder, check=True, capture_output=True)

    def commit(self, path: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", path)

    def planned(self, *base: str) -> subprocess.CompletedProcess[str]:
        script = [sys.executable, "scripts/changed.py", *base]
        return subprocess.run(script, cwd=self.folder, capture_output=True, text=True)


def test_the_base_is_what_is_named_else_the_branch_that_head_is_ahead_of(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    everything = f"stages {EVERY_STAGE}\ntests \ndocs \nbudget 55 95\n"
    assert clone.planned().stdout == everything
    clone.commit("docs/page.md")
    ahead = clone.planned().stdout
    assert ahead.startswith("stages site\n") and "\ndocs docs/page.md\n" in ahead
    # What is not committed counts, and so does what git has not been told of.
    (tmp_path / "Dockerfile").write_text("")
    assert clone.planned().stdout.startswith("stages image site\n")
    assert clone.planned("HEAD").stdout.startswith("stages image\n")
    unknown = clone.planned("nowhere")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "There is no commit nowhere" in unknown.stderr
