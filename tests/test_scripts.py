"""The scripts of the project: they start, and they find the Pythons that really run."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tomllib
from pathlib import Path

import mypy.api
import pytest

PROJECT = Path(__file__).parent.parent
NAMES = (
    "apt-install",
    "deps",
    "lock",
    "pythons",
    "test-all",
    "test-image",
    "release",
    "test-wheel",
    "venv",
)
SCRIPTS = (".ci/run", ".ci/stage", ".ci/budget", *(f"scripts/{name}" for name in NAMES))
TOOLS = ("awk", "bash", "cat", "dirname", "env", "id", "sort", "wc")


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_bash_and_can_be_started(script: str) -> None:
    path = PROJECT / script
    subprocess.run(["bash", "-n", str(path)], check=True)
    assert path.stat().st_mode & stat.S_IXUSR


def fake_python(path: Path, version: str | None) -> None:
    """A program that says which version it is, or that does not run, as a version manager's may."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{f'echo {version} $0' if version else 'exit 127'}\n")
    path.chmod(0o755)


def started(script: str, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The script in an environment that has nothing but a PATH and a home folder."""
    programs = home / "bin"
    programs.mkdir(exist_ok=True)
    for tool in TOOLS:
        if not (programs / tool).exists():
            (programs / tool).symlink_to(str(shutil.which(tool)))
    return subprocess.run(
        [str(PROJECT / script), *arguments],
        env={"PATH": str(programs), "HOME": str(home)},
        capture_output=True,
        text=True,
    )


def test_a_python_is_one_that_runs(tmp_path: Path) -> None:
    versions = tmp_path / ".pyenv" / "versions"
    fake_python(tmp_path / "bin" / "python3.9", "3.9")
    fake_python(tmp_path / "bin" / "python3.11", "3.11")
    fake_python(tmp_path / "bin" / "python3.12", None)
    fake_python(versions / "3.8.1" / "bin" / "python3", "3.8")
    fake_python(versions / "3.11.4" / "bin" / "python3", "3.11")
    fake_python(versions / "3.12.9" / "bin" / "python3", "3.12")
    fake_python(versions / "3.12.10" / "bin" / "python3", "3.12")
    ran = started("scripts/pythons", tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        f"3.11 {tmp_path}/bin/python3.11",
        f"3.12 {versions}/3.12.10/bin/python3",
    ]


def test_a_stage_says_what_it_printed_how_long_it_took_and_whether_it_failed(
    tmp_path: Path,
) -> None:
    def stage(name: str, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(PROJECT / ".ci/stage"), name, "bash", "-c", command],
            env={"PATH": os.environ["PATH"], "TIMES": str(tmp_path / "times")},
            capture_output=True,
            text=True,
        )

    good = stage("good one", "echo out; echo err >&2")
    assert (good.returncode, good.stderr) == (0, "")
    assert re.fullmatch(r"\n== good one \(\d+ s\)\nout\nerr\n", good.stdout)
    # With this code xargs starts no other stage.
    bad = stage("bad", "echo why; exit 3")
    assert (bad.returncode, "why" in bad.stdout) == (255, True)
    assert bad.stderr == "bad failed: bash -c echo why; exit 3 exited with 3\n"
    rows = (tmp_path / "times").read_text().splitlines()
    assert [re.sub(r"^ +\d+ s  ", "", row) for row in rows] == ["good one", "bad"]


def fake_java(path: Path, version: str) -> None:
    """A program that says, as Java does, which version it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    path.chmod(0o755)


PROGRAMS = ("chromium", "zstd", "openssl", "strace", "zsh", "fish")


def with_all_programs(home: Path) -> None:
    for program in PROGRAMS:
        fake_python(home / "bin" / program, "1")
    fake_java(home / "bin" / "java", "17.0.15")


@pytest.mark.parametrize(
    ("version", "enough"),
    [("17.0.15", True), ("21", True), ("1.8.0_292", False), ("11.0.2", False)],
)
def test_spark_needs_java_17(tmp_path: Path, version: str, enough: bool) -> None:
    with_all_programs(tmp_path)
    fake_java(tmp_path / "bin" / "java", version)
    ran = started("scripts/deps", tmp_path, "--install")
    assert ran.returncode == (0 if enough else 1), ran.stderr
    assert ("There is no java here" in ran.stderr) is not enough


@pytest.mark.parametrize("program", [*PROGRAMS, "java"])
def test_what_is_missing_is_named_with_the_tests_that_are_skipped(
    tmp_path: Path, program: str
) -> None:
    with_all_programs(tmp_path)
    (tmp_path / "bin" / program).unlink()
    ran = started("scripts/deps", tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "")
    named, make_deps = ran.stderr.splitlines()
    assert named.startswith(f"There is no {program} here, so these tests are skipped: ")
    assert "apt-get install " in named and make_deps.startswith("make deps installs")


def test_packages_are_installed_only_when_asked_for(tmp_path: Path) -> None:
    programs = {
        "apt-get": f"echo called >> {tmp_path}/calls",
        # Whoever is not root needs it.
        "sudo": 'shift; exec "$@"',
    }
    (tmp_path / "bin").mkdir()
    for name, script in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    for asked, called in ((), False), (("--install",), True):
        started("scripts/deps", tmp_path, *asked)
        assert (tmp_path / "calls").exists() is called


def test_what_cannot_be_installed_is_an_error_when_asked_for(tmp_path: Path) -> None:
    ran = started("scripts/deps", tmp_path, "--install")
    assert ran.returncode == 1
    assert "no apt-get" in ran.stderr and "There is no chromium here" in ran.stderr


def test_no_file_of_the_repository_is_large() -> None:
    """An archive that slips into a commit stays in every clone for good."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True)
    sizes = {name: (PROJECT / name).lstat().st_size for name in listed.stdout.split("\0") if name}
    assert [name for name, size in sizes.items() if size > 1_000_000] == []


def locked(name: str) -> dict[str, list[str]]:
    """The requirements of a file in constraints/, each with its hashes."""
    text = (PROJECT / "constraints" / f"{name}.txt").read_text().replace("\\\n", "")
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {words[0]: [word for word in words if word.startswith("--hash=")] for words in lines}


@pytest.mark.parametrize("name", ["build", "build-spark", "core", "dev", "lowest", "spark"])
def test_every_locked_version_has_its_hashes(name: str) -> None:
    requirements = locked(name)
    assert requirements
    assert all("==" in each and hashes for each, hashes in requirements.items())


@pytest.mark.parametrize(
    ("name", "extra"), [("core", None), ("dev", "dev"), ("spark", "dev"), ("spark", "spark")]
)
def test_every_dependency_is_locked(name: str, extra: str | None) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"].get(extra, ())]
    names = {re.split(r"[<>=!~\[; ]", each)[0].lower().replace(".", "-") for each in asked}
    assert names <= {each.split("==")[0] for each in locked(name)}


def test_the_lowest_versions_are_those_of_the_package() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    allowed = [*project["dependencies"], *extras["http"], *extras["index"], *extras["stability"]]
    lowest = dict(each.split("==") for each in locked("lowest"))
    for requirement in allowed:
        name, bound = re.findall(r"^([\w.-]+)>=([\d.]+)", requirement)[0]
        found = lowest[name.lower().replace(".", "-")]
        assert re.fullmatch(rf"{re.escape(bound)}(\.0)*", found), requirement


def test_types_refuse_a_sum_of_floats(tmp_path: Path) -> None:
    floats = ("[0.1, 0.2]", "(x / 2 for x in (1, 2))", "{'a': 0.5}.values()")
    whole = ("[1, 2]", "(word > 'a' for word in ('a', 'b'))", "map(len, ('a', 'b'))")
    code = tmp_path / "sums.py"
    code.write_text("".join(f"print(sum({added}))\n" for added in (*floats, *whole)))
    config = ("--config-file", str(PROJECT / "pyproject.toml"), "--cache-dir", str(tmp_path))
    said, wrong, _ = mypy.api.run([*config, str(code)])
    assert wrong == ""
    assert set(re.findall(r"sums\.py:(\d+): error", said)) == {"1", "2", "3"}
