"""Makes one small change of the source after the other, and runs the tests that must notice it.

    checks/mutants.py [--part I/N] [--tree FOLDER]

`mutants.toml` beside this has the changes: the promise that each breaks, the file, its old text and
the new one, and the tests. All of it happens in a copy of the tree. Exits 1 if the old text is not
there exactly once, if a test fails without a change, or if a change survives its tests.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PASSED, FAILED = 0, 1
# A change may make a loop endless; a crowded machine is slow.
_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of one file that breaks a promise, and the tests that hold the promise."""

    breaks: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def times(self, tree: Path) -> int:
        """How often the old text is in its file: once, or the change means something else now."""
        return (tree / self.file).read_text(encoding="utf-8").count(self.old)


def mutants(tree: Path) -> list[Mutant]:
    table = tomllib.loads((tree / "checks" / "mutants.toml").read_text(encoding="utf-8"))
    return [Mutant(**{**each, "tests": tuple(each["tests"])}) for each in table["mutant"]]


def part_of(some: Sequence[Mutant], part: str) -> list[Mutant]:
    """Every n-th of them: neighbours break the same file, and are spread over the parts.

    >>> [part_of(range(7), part) for part in ("1/3", "3/3")]
    [[0, 3, 6], [2, 5]]
    """
    which, parts = map(int, part.split("/"))
    return list(some[which - 1 :: parts])


class Copy:
    """A copy of the files that git knows or would add; one of them can be changed for a while."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.folder = folder
        self._changes = 0
        known = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(known, cwd=tree, capture_output=True, check=True).stdout
        for name in filter(None, names.decode().split("\0")):
            if (tree / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(tree / name, folder / name)

    def write(self, name: str, text: str) -> None:
        """Byte code is known by the second of its source, so each change is of another second."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        self._changes += 1
        os.utime(path, (self._changes, self._changes))

    def run(self, tests: Sequence[str]) -> int:
        """How pytest ends; 124 if it does not."""
        words = ("-q", "-x", "-p", "no:cacheprovider", "--no-header", *tests)
        try:
            return subprocess.run(
                [sys.executable, "-m", "pytest", *words],
                cwd=self.folder,
                env={
                    **os.environ,
                    "PYTHONPATH": str(self.folder / "src"),
                    # To import the plugins takes four times as long as most of these tests.
                    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                },
                stdout=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return 124


def survivors(copy: Copy, some: Sequence[Mutant]) -> Iterator[str]:
    """Runs the tests of each change, and says which change they do not notice."""
    for each in some:
        if (times := each.times(copy.folder)) != 1:
            yield f"{each.file} has {times} times: {each.old!r}"
            return
    tests = sorted({test for each in some for test in each.tests})
    if (code := copy.run(tests)) != PASSED:
        yield f"without a change the tests end with {code}"
        return
    for each in some:
        text = (copy.folder / each.file).read_text(encoding="utf-8")
        copy.write(each.file, text.replace(each.old, each.new))
        code = copy.run(each.tests)
        copy.write(each.file, text)
        print("killed  " if code == FAILED else "SURVIVED", each.breaks, flush=True)
        if code != FAILED:
            yield f"{each.file}: {each.breaks}: {' '.join(each.tests)} ended with {code}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="1/1", help="I/N: every N-th change, from the I-th on")
    parser.add_argument("--tree", type=Path, default=Path(__file__).parent.parent)
    given = parser.parse_args()
    some = part_of(mutants(given.tree), given.part)
    with tempfile.TemporaryDirectory() as folder:
        left = list(survivors(Copy(given.tree, Path(folder)), some))
    print(f"mutants: {len(some)} in part {given.part}, not killed: {len(left)}", *left, sep="\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
