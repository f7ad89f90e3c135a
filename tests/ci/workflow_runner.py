"""Runs the steps of a workflow or of a composite action as GitHub's runner does, on this machine.

`run` steps are real: bash, in a workspace that is a clone of a real git repository, with a runner's
environment. `uses` steps are stand-ins, and are called so: FAKES.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ci.workflow_expressions import STATUS, as_text, filled, value

PROJECT = Path(__file__).parents[2]
TOKEN = "secret-of-the-workflow"
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")


@dataclass
class Step:
    """How one step ended, and what it printed."""

    name: str
    code: int
    log: str


@dataclass
class Job:
    """What is known of a job while its steps run, and after."""

    workspace: Path
    temp: Path
    env: dict[str, str]
    steps: list[Step] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    failed: bool = False

    @property
    def code(self) -> int:
        """The exit code of the step that failed first; 0 where none did."""
        return next((step.code for step in self.steps if step.code), 0)

    @property
    def log(self) -> str:
        return "".join(step.log for step in self.steps)

    @property
    def annotations(self) -> list[str]:
        """The workflow commands that the log shows; none are obeyed between stop-commands."""
        found, stopped = [], ""
        for line in self.log.splitlines():
            if stopped:
                stopped = "" if line == f"::{stopped}::" else stopped
            elif line.startswith("::stop-commands::"):
                stopped = line.removeprefix("::stop-commands::")
            elif re.match(r"::\w+ ", line):
                found.append(line)
        return found

    @property
    def summary(self) -> str:
        path = self.temp / "summary.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def names(self) -> list[str]:
        return [step.name for step in self.steps]


class Runner:
    """A runner with its caches and artifacts, for one repository."""

    def __init__(self, root: Path, repository: Path, **env: str) -> None:
        self.root, self.repository, self.extra = root, repository, env
        self.caches, self.artifacts = root / "caches", root / "artifacts"
        self.variables: dict[str, str] = {}
        # The folder with the `python` that a workflow sets up.
        self.python = Path(sys.executable).parent
        # Of an action that a workflow uses: inputs that the workflow does not give.
        self.inputs: dict[str, str] = {}
        self.number = 0

    def start(self, event: str, branch: str, **told: Any) -> Job:
        """A new job, with the branch checked out; `told` is what the event says besides."""
        self.number += 1
        here = self.root / f"job-{self.number}"
        workspace, temp = here / "work", here / "temp"
        temp.mkdir(parents=True)
        clone = ["git", "clone", "-q", "-b", branch, str(self.repository), str(workspace)]
        subprocess.run(clone, check=True)
        (temp / "event.json").write_text(json.dumps(told), encoding="utf-8")
        pull = event.startswith("pull_request")
        merged = event == "pull_request"
        kept = {"PATH": os.environ["PATH"], "HOME": str(here), "LANG": "C.UTF-8"}
        env = {
            **kept,
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": "http://127.0.0.1:1",
            "GITHUB_BASE_REF": told["pull_request"]["base"]["ref"] if pull else "",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(temp / "event.json"),
            "GITHUB_HEAD_REF": branch if pull else "",
            "GITHUB_REF": "refs/pull/1/merge" if merged else f"refs/heads/{branch}",
            "GITHUB_REF_NAME": "1/merge" if merged else branch,
            "GITHUB_REF_TYPE": "branch",
            "GITHUB_REPOSITORY": "owner/name",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": str(1000 + self.number),
            "GITHUB_SERVER_URL": "https://github.test",
            "GITHUB_STEP_SUMMARY": str(temp / "summary.md"),
            "GITHUB_WORKSPACE": str(workspace),
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(temp),
            **self.extra,
        }
        return Job(workspace, temp, env)

    def action(self, job: Job, inputs: Mapping[str, str], home: Path = PROJECT) -> Job:
        """The steps of a composite action, into the job."""
        declared = yaml.safe_load((home / "action.yml").read_text(encoding="utf-8"))
        unknown = set(inputs) - set(declared["inputs"])
        assert not unknown, f"the action has no input {unknown}"
        contexts = self._contexts(job)
        given = {name: str(each.get("default", "")) for name, each in declared["inputs"].items()}
        given |= inputs
        contexts["inputs"] = {name: filled(text, contexts, {}) for name, text in given.items()}
        env = {"GITHUB_ACTION_PATH": str(home)}
        assert declared["runs"]["using"] == "composite"
        self._all(job, declared["runs"]["steps"], contexts, env)
        functions = self._functions(job)
        job.outputs = {
            name: filled(each["value"], contexts, functions)
            for name, each in declared["outputs"].items()
        }
        return job

    def workflow(self, job: Job, text: str) -> Job:
        """The steps of a workflow's only job, and of the actions that it uses."""
        (declared,) = yaml.safe_load(text)["jobs"].values()
        contexts = self._contexts(job)
        given = declared.get("env", {}).items()
        env = {name: filled(str(each), contexts, {}) for name, each in given}
        self._all(job, declared["steps"], contexts, env)
        return job

    def _contexts(self, job: Job) -> dict[str, Any]:
        return {
            "github": {
                "token": TOKEN,
                "event_name": job.env["GITHUB_EVENT_NAME"],
            },
            "runner": {"temp": str(job.temp)},
            "vars": self.variables,
            "steps": {},
        }

    def _functions(self, job: Job) -> dict[str, Any]:
        return {
            "always": lambda: True,
            "cancelled": lambda: False,
            "failure": lambda: job.failed,
            "success": lambda: not job.failed,
            "hashFiles": lambda pattern: "abc" if any(job.workspace.glob(pattern)) else "",
        }

    def _all(
        self, job: Job, steps: list[dict[str, Any]], contexts: dict[str, Any], env: dict[str, str]
    ) -> None:
        for number, step in enumerate(steps):
            functions = self._functions(job)
            condition = str(step.get("if", "success()"))
            if not STATUS.search(condition):
                condition = f"success() && ({condition})"
            if not value(condition, contexts, functions):
                continue
            made = {name: as_text(each) for name, each in step.get("env", {}).items()}
            own = {**env, **{n: filled(each, contexts, functions) for n, each in made.items()}}
            name = str(step.get("name") or step.get("uses") or step["run"])
            if "run" in step:
                ended, outputs = self._run(job, step, contexts, own, number)
            else:
                given = {
                    key: filled(as_text(each), contexts, functions)
                    for key, each in step.get("with", {}).items()
                }
                ended, outputs = self._use(job, step["uses"], given)
            job.steps.append(Step(name, *ended))
            job.failed = job.failed or ended[0] != 0
            if "id" in step:
                contexts["steps"][step["id"]] = {"outputs": outputs}

    def _run(
        self,
        job: Job,
        step: dict[str, Any],
        contexts: dict[str, Any],
        env: dict[str, str],
        number: int,
    ) -> tuple[tuple[int, str], dict[str, str]]:
        told = job.temp / f"output-{number}"
        told.touch()
        script = job.temp / f"step-{number}.sh"
        # In a workflow GitHub fills these in; our own scripts have none, see test_action.py.
        script.write_text(filled(step["run"], contexts, self._functions(job)))
        folder = job.workspace / filled(step.get("working-directory", "."), contexts, {})
        ran = subprocess.run(
            [*BASH, str(script)],
            cwd=folder,
            env={**job.env, **env, "GITHUB_OUTPUT": str(told)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        lines = told.read_text(encoding="utf-8").splitlines()
        told.unlink()
        outputs = dict(line.split("=", 1) for line in lines)
        return (ran.returncode, ran.stdout.decode()), outputs

    def _use(
        self, job: Job, used: str, given: dict[str, str]
    ) -> tuple[tuple[int, str], dict[str, str]]:
        name = used.partition("@")[0]
        if name in FAKES:
            return FAKES[name](self, job, given)
        assert name.endswith("/ragstone"), f"this runner has no {used}"
        inner = Job(job.workspace, job.temp, job.env)
        self.action(inner, {**self.inputs, **given})
        return (inner.code, inner.log), inner.outputs


def _scope(job: Job) -> str:
    return job.env["GITHUB_REF"].replace("/", "_")


def fake_restore(runner: Runner, job: Job, given: dict[str, str]) -> Any:
    """As actions/cache/restore: the newest that fits, of this ref or of the base branch."""
    base = f"refs_heads_{job.env['GITHUB_BASE_REF'].replace('/', '_')}"
    for wanted in (given["key"], given.get("restore-keys") or given["key"]):
        found = [
            path
            for scope in (_scope(job), base)
            for path in (runner.caches / scope).glob("*")
            if path.name.startswith(wanted)
        ]
        if found:
            newest = max(found, key=lambda path: path.stat().st_mtime_ns)
            shutil.copytree(newest, given["path"])
            return (0, f"Cache restored from key: {newest.name}\n"), {}
    return (0, "Cache not found\n"), {}


def fake_save(runner: Runner, job: Job, given: dict[str, str]) -> Any:
    """As actions/cache/save: a key is written once, for the ref of the job."""
    target = runner.caches / _scope(job) / given["key"]
    assert not target.exists()
    shutil.copytree(given["path"], target)
    os.utime(target)
    return (0, f"Cache saved with key: {given['key']}\n"), {}


def fake_upload(runner: Runner, job: Job, given: dict[str, str]) -> Any:
    """As actions/upload-artifact: files under a name, and an address to look at them."""
    paths = (
        [path for line in given["path"].splitlines() for path in job.workspace.glob(line)]
        if ("*" in given["path"])
        else [job.workspace / given["path"]]
    )
    target = runner.artifacts / given["name"]
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in paths:
        shutil.copy(path, target)
    return (0, "uploaded\n"), {"artifact-url": f"https://github.test/artifacts/{given['name']}"}


def fake_checkout(runner: Runner, job: Job, given: dict[str, str]) -> Any:
    """As actions/checkout: the job has its clone from the start."""
    return (0, ""), {}


def fake_setup_python(runner: Runner, job: Job, given: dict[str, str]) -> Any:
    """As actions/setup-python: the Python of the runner is the one on PATH."""
    job.env["PATH"] = f"{runner.python}{os.pathsep}{job.env['PATH']}"
    return (0, ""), {}


FAKES = {
    "actions/cache/restore": fake_restore,
    "actions/cache/save": fake_save,
    "actions/checkout": fake_checkout,
    "actions/setup-python": fake_setup_python,
    "actions/upload-artifact": fake_upload,
}
