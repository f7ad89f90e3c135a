"""docs/pull-request.md, followed to the letter: from an empty folder to a red pull request."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import docs_code
import pytest
from ci.comments_server import serving
from ci.fresh_python import reaches_an_index
from ci.github_jobs import GitHub
from ci.workflow_runner import PROJECT, Runner

PAGE = PROJECT / "docs/pull-request.md"


class Reader:
    """Somebody who does what the page says, block by block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blocks = list(docs_code.blocks(PAGE.read_text(encoding="utf-8")))

    def block(self, first: str) -> str:
        """The text of the only block that begins so."""
        (found,) = [each for each in self.blocks if each.lines[0].startswith(first)]
        return "\n".join(found.lines) + "\n"

    def save(self, name: str) -> None:
        """A block whose first line names a file becomes that file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.block(f"# {name}"), encoding="utf-8")

    def type(self, first: str, code: int = 0) -> str:
        """The commands of a block, typed into a shell; pushing is left to whoever plays GitHub."""
        typed = [line[2:] for line in self.block(f"$ {first}").splitlines() if line[:2] == "$ "]
        script = "\n".join(line for line in typed if not line.startswith("git push"))
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        known = {
            f"GIT_{who}_{what}": "a@b.c"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        ran = subprocess.run(
            ["bash", "-ec", script],
            cwd=self.folder,
            env={**os.environ, **known, "PATH": tools},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout


def test_the_page_leads_to_a_red_pull_request(tmp_path: Path) -> None:
    started = time.monotonic()
    user = Reader(tmp_path / "mine")
    user.folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=user.folder, check=True)
    user.type("ragstone init")
    user.save("pipeline.py")
    subprocess.run([sys.executable, "pipeline.py"], cwd=user.folder, check=True)
    assert user.type("ragstone gate").splitlines()[-1].startswith("SHIP: ")
    user.save(".github/workflows/ragstone.yml")
    workflow = user.block("# .github/workflows/ragstone.yml")
    user.type("git add")
    with serving() as comments:
        runner = Runner(
            tmp_path / "runner", user.folder, GITHUB_API_URL=comments.url, no_proxy="127.0.0.1"
        )
        runner.inputs = {"venv": sys.prefix}
        pushed = runner.workflow(runner.start("push", "main"), workflow)
        assert pushed.code == 0, pushed.log
        user.type("git checkout")
        told = {"pull_request": {"number": 1, "base": {"ref": "main"}}}
        red = runner.workflow(runner.start("pull_request", "careless", **told), workflow)
    assert red.code == 1, red.log
    said = comments.held[0]["body"]
    quoted = [line[2:] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("> ")]
    assert quoted
    assert all(line in said.splitlines() for line in quoted)
    assert "### answers: Broke" in said and "<code>Q003</code>" in said
    # Reading and typing are the rest of the ten minutes; installing is measured below.
    assert time.monotonic() - started < 120


@pytest.mark.long
def test_the_action_installs_itself_with_the_hashes_of_its_lock(github: GitHub) -> None:
    """Slow, and the only test of the action that needs a package index."""
    if not reaches_an_index(github.runner.root / "asked"):
        pytest.skip("pip reaches no package index here, and the action installs from one")
    github.runner.extra |= {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name == "HOME"
    }
    github.repository.branch("careless", Q003="It was founded by two friends.")
    started = time.monotonic()
    job = github.pull_request("careless", venv="", python=sys.executable)
    assert job.code == 1, job.log
    assert github.comments.held[0]["body"].count("DO NOT SHIP") == 1
    assert (job.temp / "ragstone-venv/bin/ragstone").exists()
    # A path, a wheel or a git address goes over it; the project is one of these.
    again = github.pull_request("careless", venv="", python=sys.executable, source=str(PROJECT))
    assert again.code == 1, again.log
    assert time.monotonic() - started < 600
