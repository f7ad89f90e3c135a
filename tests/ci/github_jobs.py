"""A repository on GitHub, played on this machine: its comments, and jobs that run the action."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from ci.comments_server import Comments
from ci.repository import Repository
from ci.workflow_runner import Job, Runner


class GitHub:
    """The repository, its comments, and jobs that run the action as a workflow would."""

    def __init__(self, root: Path, repository: Repository, comments: Comments) -> None:
        self.repository, self.comments = repository, comments
        self.runner = Runner(
            root, repository.path, GITHUB_API_URL=comments.url, no_proxy="127.0.0.1"
        )

    def job(self, event: str, branch: str, told: dict[str, Any], **inputs: str) -> Job:
        """The pipeline answers, and the action judges; dashes of inputs are underscores here."""
        job = self.runner.start(event, branch, **told)
        folder = job.workspace / inputs.get("working_directory", ".")
        subprocess.run([sys.executable, "pipeline.py"], cwd=folder, check=True)
        given = {name.replace("_", "-"): each for name, each in inputs.items()}
        return self.runner.action(job, {"venv": sys.prefix, **given})

    def push(self, branch: str = "main", **inputs: str) -> Job:
        return self.job("push", branch, {}, **inputs)

    def pull_request(
        self, branch: str, base: str = "main", title: str = "A change", **inputs: str
    ) -> Job:
        told = {"pull_request": {"number": 1, "title": title, "base": {"ref": base}}}
        return self.job("pull_request", branch, told, **inputs)
