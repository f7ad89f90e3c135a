"""What `ragstone init` writes for CI, run: the workflow of GitHub and the job of GitLab."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from ci.fresh_python import PROJECT, build_wheel, fresh_python
from ci.repository import RIGHT, Repository
from ci.workflow_runner import Job, Runner

WORKFLOW = ".github/workflows/ragstone.yml"
PLACE_OF_THE_PIPELINE = "      # Put the step that runs your pipeline"
PIPELINE_STEP = "      - run: python pipeline.py\n"
WRONG = "It was founded by two friends."
BARE = (
    "RAGSTONE_SOURCE is a bare name, and a package index may have something else under it; "
    "give a path, a wheel or a git address"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("dist"))


# GitHub


class Workflow:
    """The workflow that `init` wrote, with the user's pipeline put into it."""

    def __init__(self, root: Path) -> None:
        self.repository = Repository(root / "repository")
        path = self.repository.path / WORKFLOW
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(PLACE_OF_THE_PIPELINE, PIPELINE_STEP + PLACE_OF_THE_PIPELINE))
        self.repository.commit(RIGHT)
        self.env = fresh_python(root / "python")
        self.runner = Runner(root / "runner", self.repository.path)
        self.runner.python = root / "python/bin"

    def __call__(self, branch: str, source: str) -> Job:
        told = {"pull_request": {"number": 1, "base": {"ref": "main"}}}
        job = self.runner.start("pull_request", branch, **told)
        job.env |= self.env
        self.runner.variables = {"RAGSTONE_SOURCE": source} if source else {}
        return self.runner.workflow(job, (job.workspace / WORKFLOW).read_text(encoding="utf-8"))


@pytest.fixture
def workflow(tmp_path: Path) -> Workflow:
    return Workflow(tmp_path)


def test_the_workflow_installs_from_the_source_and_decides(workflow: Workflow, wheel: Path) -> None:
    workflow.repository.branch("careless", Q003=WRONG)
    right = workflow("main", str(wheel))
    assert right.code == 0, right.log
    assert (workflow.runner.python / "ragstone").exists()
    wrong = workflow("careless", str(wheel))
    assert wrong.code == 1, wrong.log
    named = "answered though it has no answer (answers.under_refusal)"
    assert any(f"gate failed%3A {named}" in each for each in wrong.annotations)
    assert "DO NOT SHIP" in wrong.summary
    kept = {path.name for path in (workflow.runner.artifacts / "ragstone-report").iterdir()}
    assert kept == {"report.html", "report.md", "report.xml"}


def test_a_path_in_the_checkout_is_a_source(workflow: Workflow, wheel: Path) -> None:
    shutil.copy(wheel, workflow.repository.path)
    workflow.repository.commit(RIGHT)
    assert workflow("main", f"./{wheel.name}").code == 0


def test_without_a_source_the_first_step_says_what_to_set(workflow: Workflow) -> None:
    job = workflow("main", "")
    assert job.code == 2
    says = "set the repository variable RAGSTONE_SOURCE to a path, a wheel or a git address"
    assert job.annotations == [f"::error title=ragstone::{says}"]
    assert "Decide" not in job.names()


@pytest.mark.parametrize("name", ["ragstone", "ragstone==1.0", "ragstone[http]"])
def test_a_bare_name_is_no_source(workflow: Workflow, name: str) -> None:
    job = workflow("main", name)
    assert (job.code, job.annotations) == (2, [f"::error title=ragstone::{BARE}"])


# GitLab


class GitLab:
    """Runs the job `ragstone` of the template as GitLab's runner does; the cache is a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repository = Repository(root / "repository", ci="gitlab")
        self.env = fresh_python(root / "python")
        self.count = 0

    def __call__(self, branch: str, *, merge_request: bool, **variables: str) -> Any:
        self.count += 1
        work = self.root / f"job-{self.count}"
        clone = ["git", "clone", "-q", "-b", branch, str(self.repository.path), str(work)]
        subprocess.run(clone, check=True)
        job = self.declared(work)
        given = {
            "CI_PIPELINE_SOURCE": "merge_request_event" if merge_request else "push",
            "CI_DEFAULT_BRANCH": "main",
            **({} if merge_request else {"CI_COMMIT_BRANCH": branch}),
        }
        rule = next(each for each in job["rules"] if holds(each["if"], given))
        given |= {**job["variables"], **rule["variables"], **variables}
        key, (kept,) = expanded(job["cache"]["key"], given), job["cache"]["paths"]
        cache, policy = self.root / key, expanded(job["cache"]["policy"], given)
        if policy == "pull" and cache.exists():
            shutil.copytree(cache, work / kept)
        script = "\n".join(["python pipeline.py", *job["script"]])
        ran = subprocess.run(
            ["sh", "-ec", script],
            cwd=work,
            env={**self.env, **given},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if policy == "push" and ran.returncode == 0:
            shutil.rmtree(cache, ignore_errors=True)
            shutil.copytree(work / kept, cache)
        return ran, work

    def declared(self, work: Path) -> dict[str, Any]:
        """The job, from the file that .gitlab-ci.yml includes."""
        top = yaml.safe_load((work / ".gitlab-ci.yml").read_text(encoding="utf-8"))
        (included,) = top["include"]
        found: dict[str, Any] = yaml.safe_load((work / included["local"]).read_text("utf-8"))
        return found["ragstone"]


def expanded(text: str, variables: dict[str, str]) -> str:
    return re.sub(r"\$(\w+)", lambda match: variables.get(match.group(1), ""), text)


def holds(condition: str, variables: dict[str, str]) -> bool:
    one, two = (expanded(side, variables).strip('"') for side in condition.split(" == "))
    return one == two


@pytest.fixture
def gitlab(tmp_path: Path) -> GitLab:
    return GitLab(tmp_path)


def test_a_merge_request_is_compared_with_the_default_branch(gitlab: GitLab, wheel: Path) -> None:
    gitlab.repository.branch("careless", Q003=WRONG)
    source = {"RAGSTONE_SOURCE": str(wheel)}
    first, _ = gitlab("careless", merge_request=True, **source)
    assert first.returncode == 1, first.stdout
    assert "There is no accepted run of main yet, so nothing is compared." in first.stdout
    base, _ = gitlab("main", merge_request=False, **source)
    assert base.returncode == 0, base.stdout
    red, work = gitlab("careless", merge_request=True, **source)
    assert red.returncode == 1, red.stdout
    assert "1 broke: Q003" in red.stdout and "broke" not in first.stdout
    job = gitlab.declared(work)
    written = {*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]}
    assert all((work / name).stat().st_size for name in written)
    loose = {"RAGSTONE_ARGS": "--gates precision=0.1 chr=0.1 under_refusal=1"}
    assert gitlab("careless", merge_request=True, **source, **loose)[0].returncode == 0
    stricter = {"RAGSTONE_COMPARE_ARGS": "--max-regression precision=0.02"}
    again, _ = gitlab("careless", merge_request=True, **source, **loose, **stricter)
    assert again.returncode == 1, again.stdout


def test_a_failing_default_branch_is_not_accepted(gitlab: GitLab, wheel: Path) -> None:
    gitlab.repository.commit(RIGHT | {"Q003": WRONG})
    ran, _ = gitlab("main", merge_request=False, RAGSTONE_SOURCE=str(wheel))
    assert ran.returncode == 1
    assert not list(gitlab.root.glob("ragstone-main"))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ({}, "set the CI/CD variable RAGSTONE_SOURCE to a path, a wheel or a git address"),
        ({"RAGSTONE_SOURCE": "ragstone"}, BARE),
    ],
)
def test_without_a_source_the_job_says_what_to_set(
    gitlab: GitLab, source: dict[str, str], says: str
) -> None:
    ran, _ = gitlab("main", merge_request=True, **source)
    assert (ran.returncode, ran.stdout) == (2, f"ragstone: {says}\n")


# Everywhere


def tracked() -> list[Path]:
    """Every file of the project, but what only says what was."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.splitlines()
    if not listed:
        listed = [
            str(path.relative_to(PROJECT))
            for folder in (
                "src",
                "docs",
                "tests",
                "scripts",
                "action",
                "examples",
                "bench",
                "checks",
            )
            for path in (PROJECT / folder).rglob("*")
        ] + [path.name for path in PROJECT.iterdir()]
    return [PROJECT / name for name in listed if name not in ("CHANGELOG.md", OWN)]


OWN = os.path.relpath(__file__, PROJECT)
BY_NAME = re.compile(
    r"""(?:pip3?|uv|pipx)[^\n`|;&]* (?:install|add)[^\n`|;&]*[\s'"]ragstone(?![\w./-])"""
)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("pip install ragstone", True),
        ("python -m pip install -q 'ragstone==0.1'", True),
        ("pip install 'ragstone[http]'", True),
        ("uv tool install ragstone", True),
        ("pip install .", False),
        ("pip install ./ragstone", False),
        ("pip install git+https://example.com/ragstone.git", False),
        ("pip install ragstone-0.1-py3-none-any.whl", False),
    ],
)
def test_an_install_by_name_would_be_noticed(line: str, found: bool) -> None:
    assert bool(BY_NAME.search(line)) == found


def test_nothing_but_the_readme_tells_anybody_to_install_by_a_bare_name() -> None:
    files = [path for path in tracked() if path.is_file()]
    assert len(files) > 300
    said = []
    for path in files:
        text = path.read_bytes().decode("utf-8", "replace")
        said += [
            f"{path.relative_to(PROJECT)}: {found.group()}" for found in BY_NAME.finditer(text)
        ]
    # There it says from when on the name is ours (tests/test_release.py).
    assert said == ["README.md: pip install ragstone"]
