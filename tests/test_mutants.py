"""The changes that tests must notice: each can still be made, and one that survives is an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import mutants
import pytest

ROOT = Path(__file__).parent.parent
CHANGES = mutants.mutants(ROOT)
LIST = """
[[mutant]]
breaks = "two is more than one"
file = "src/sizes.py"
old = '{old}'
new = '{new}'
tests = ["tests/test_sizes.py"]
"""


def test_every_change_can_be_made_and_names_its_tests() -> None:
    assert [each.breaks for each in CHANGES if each.times(ROOT) != 1] == []
    assert len({each.breaks for each in CHANGES}) == len(CHANGES) >= 60
    named = {test.partition("[")[0] for each in CHANGES for test in each.tests}
    lacking = [
        test
        for test in named
        for path, _, function in [test.partition("::")]
        if f"def {function}" not in (ROOT / path).read_text(encoding="utf-8")
    ]
    assert lacking == []


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("> 1", "> 2", 0, "killed   two is more than one"),
        ("> 1", "> 1.5", 1, "SURVIVED two is more than one"),
        ("> 3", "> 2", 1, "src/sizes.py has 0 times: '> 3'"),
        ("return", "return (", 1, "tests/test_sizes.py ended with 2"),
    ],
)
def test_only_a_change_that_its_tests_notice_passes(
    tmp_path: Path, old: str, new: str, code: int, said: str
) -> None:
    files = {
        "src/sizes.py": "def is_many(number):\n    return number > 1\n",
        "tests/test_sizes.py": "from sizes import is_many\n\n\n"
        "def test_two_are_many():\n    assert is_many(2) and not is_many(1)\n",
        "checks/mutants.toml": LIST.format(old=old, new=new),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    words = [sys.executable, mutants.__file__, "--tree", str(tmp_path)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ran.returncode, said in ran.stdout) == (code, True), ran.stdout + ran.stderr
    assert (tmp_path / "src" / "sizes.py").read_text() == files["src/sizes.py"]
