"""What is published is the same bytes wherever it is built, and needs nobody's secret."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

from ragstone._version import __version__

PROJECT = Path(__file__).parent.parent
PUBLISH = (PROJECT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
UNTIL = "Until the first version is published, `pip install .`"


class Clone:
    """A small package with the script, the README's line and the builder of this project."""

    def __init__(self, folder: Path, **tables: bool) -> None:
        self.folder = folder
        for name in ("scripts/release", "pyproject.toml", "LICENSE", "src/ragstone/_version.py"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, folder / name)
        for key, value in tables.items():
            with (folder / "pyproject.toml").open("a") as file:
                file.write(f"\n[tool.hatch.build]\n{key} = {str(value).lower()}\n")
        (folder / "README.md").write_text(UNTIL)
        (folder / ".gitignore").write_text("dist/\n")
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *words: str) -> None:
        known = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *known, *words], cwd=self.folder, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def build(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["scripts/release", "--build-only"],
            cwd=self.folder,
            env={**os.environ, "VENV": sys.prefix},
            capture_output=True,
            text=True,
        )


def test_two_builds_of_a_commit_are_the_same_bytes(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    # What is not committed is not published.
    (tmp_path / "src/ragstone/secret.py").write_text("")
    ran = clone.build()
    assert ran.returncode == 0, ran.stderr
    wheel, archive = sorted((tmp_path / "dist").iterdir())
    assert (wheel.suffix, archive.suffix) == (".whl", ".gz")
    assert b"secret" not in wheel.read_bytes()


def test_a_build_that_holds_the_time_is_refused(tmp_path: Path) -> None:
    ran = Clone(tmp_path, reproducible=False).build()
    assert ran.returncode == 1
    assert "Two builds of one commit differ" in ran.stderr


def test_a_tag_is_the_version_and_the_readme_knows_that_it_is_published(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    clone.git("tag", "v9.9")
    assert "The tag is v9.9 and the version " in clone.build().stderr
    clone.git("tag", "-d", "v9.9")
    (tmp_path / "src/ragstone/_version.py").write_text('__version__ = "9.9"\n')
    clone.commit()
    clone.git("tag", "v9.9")
    assert "README.md says" in clone.build().stderr
    (tmp_path / "README.md").write_text("It is published.\n")
    clone.commit()
    clone.git("tag", "-f", "v9.9")
    assert clone.build().returncode == 0


def test_the_readme_says_how_to_install_before_and_after_the_first_tag() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    # scripts/test-wheel takes the first such line, and runs it on an index with the built wheel.
    lines = re.findall(r"^\$ (pip install .*)$", readme, re.MULTILINE)
    assert lines[0].split() == ["pip", "install", "ragstone"]
    # At the tag itself, scripts/release asks for the opposite.
    assert UNTIL in readme or __version__ != "0.2.0.dev0"


def test_publishing_needs_no_secret_and_runs_no_code_that_can_change() -> None:
    workflow = yaml.safe_load(PUBLISH)
    # YAML reads the key `on` as true.
    assert workflow[True] == {"push": {"tags": ["v*"]}}
    jobs = workflow["jobs"]
    assert (workflow["permissions"], jobs["build"]["permissions"]) == ({}, {"contents": "read"})
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets" not in PUBLISH and "password" not in yaml.dump(workflow)
    steps = [step for job in jobs.values() for step in job["steps"]]
    actions = [step["uses"] for step in steps if "uses" in step]
    assert [each for each in actions if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []
    assert [step["run"] for step in steps if "run" in step] == ["make release"]


def test_the_wheel_is_tried_on_every_python_that_the_package_names() -> None:
    steps = yaml.safe_load(PUBLISH)["jobs"]["build"]["steps"]
    (pythons,) = [step["with"]["python-version"] for step in steps if "setup-python" in str(step)]
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    named = [each.split(" :: ")[-1] for each in project["classifiers"] if "3." in each]
    assert pythons.split() == named
