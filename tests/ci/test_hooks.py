"""The hooks for pre-commit, run by pre-commit itself, which installs them from a clone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from ci.fresh_python import reaches_an_index
from ci.repository import Repository
from command import ragstone

PROJECT = Path(__file__).parents[2]
HOOKS = ("ragstone-check", "ragstone-gold-lint", "ragstone-gold-verify")
WEAK = '{"qid": "Q9", "question": "Is it?", "answerable": true, "gold_claim_substr": ["a"]}\n'

Hook = Callable[[str], tuple[int, str]]


def declared() -> dict[str, dict[str, object]]:
    text = (PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    return {hook["id"]: hook for hook in yaml.safe_load(text)}


def test_every_hook_is_a_command_of_ragstone() -> None:
    assert tuple(declared()) == HOOKS
    for hook in declared().values():
        command = str(hook["entry"]).split()
        assert command[0] == "ragstone"
        assert ragstone(*(word for word in command[1:] if word != "--"), "--help").code == 0
        assert hook["language"] == "python"


def test_the_name_of_a_file_is_never_a_flag(tmp_path: Path) -> None:
    """A pull request chooses the names of its files, and every hook that is given them."""
    folder = tmp_path / "--config=evil.toml"
    folder.mkdir()
    (tmp_path / "evil.toml").write_text("nonsense = ")
    (folder / "gold.jsonl").write_text('{"qid": "A", "answerable": false}\n')
    given = [hook for hook in declared().values() if hook.get("pass_filenames", True)]
    assert given
    for hook in given:
        words = str(hook["entry"]).split()
        assert words[-1] == "--"
        ran = ragstone(*words[1:], "--config=evil.toml/gold.jsonl", cwd=tmp_path)
        assert (ran.code, ran.out) == (0, b"--config=evil.toml/gold.jsonl: gold, 1 line, ok\n")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environment that it makes, once for all tests of this file."""
    if not reaches_an_index(tmp_path_factory.mktemp("asked")):
        pytest.skip("pip reaches no package index here, and pre-commit installs hooks from one")
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as it is now, as a repository with one commit."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=PROJECT, capture_output=True
    )
    if listed.returncode:
        pytest.skip("pre-commit installs from a git repository, and this is a copy without one")
    copy = tmp_path_factory.mktemp("source")
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (PROJECT / name).is_file():
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((PROJECT / name).read_bytes())
    known = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for words in (["init", "-q"], ["add", "-A"], [*known, "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=copy, check=True)
    return copy


@pytest.fixture
def repository(tmp_path: Path, source: Path) -> Repository:
    made = Repository(tmp_path / "repository", ci="none")
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=source, capture_output=True, text=True, check=True
    )
    hooks = [{"id": name} for name in HOOKS]
    config = {"repos": [{"repo": str(source), "rev": head.stdout.strip(), "hooks": hooks}]}
    (made.path / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    made.git("add", "-A")
    return made


@pytest.fixture
def hook(repository: Repository, home: Path) -> Hook:
    """Runs one hook over everything that is staged; gives its exit code and its output."""

    def run(name: str) -> tuple[int, str]:
        repository.git("add", "-A")
        ran = subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", name, "--all-files", "--verbose"],
            cwd=repository.path,
            env={**os.environ, "PRE_COMMIT_HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )
        said = ran.stdout + ran.stderr
        return ran.returncode, said

    return run


def test_files_that_keep_their_contract_pass_and_others_do_not(
    hook: Hook, repository: Repository
) -> None:
    code, said = hook("ragstone-check")
    assert code == 0, said
    assert "eval/gold.jsonl: gold, 3 lines, ok" in said
    (repository.path / "eval/gold_more.jsonl").write_text('{"qid": "Q9", "answerable": "yes"}\n')
    code, said = hook("ragstone-check")
    assert code == 1
    assert "eval/gold_more.jsonl:1: answerable: expected true or false" in said


def test_a_weak_gold_set_does_not_pass(hook: Hook, repository: Repository) -> None:
    assert hook("ragstone-gold-lint")[0] == 0
    gold = repository.path / "eval/gold.jsonl"
    gold.write_text(gold.read_text() + WEAK)
    code, said = hook("ragstone-gold-lint")
    assert code == 1
    assert "Q9: " in said


def test_a_gold_set_that_was_changed_after_it_was_frozen_does_not_pass(
    hook: Hook, repository: Repository
) -> None:
    code, said = hook("ragstone-gold-verify")
    assert code == 1 and "freeze" in said
    frozen = ragstone("gold", "freeze", "--who", "Ann", "--why", "read", cwd=repository.path)
    assert frozen.code == 0, frozen.err
    assert hook("ragstone-gold-verify")[0] == 0
    gold = repository.path / "eval/gold.jsonl"
    gold.write_text(gold.read_text().replace("30 days", "40 days"))
    code, said = hook("ragstone-gold-verify")
    assert code == 1
    assert "Q001" in said
