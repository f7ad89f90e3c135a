"""The examples in the docstrings of src, scripts, action and tests hold; a folder is one test.

Each as a test of its own, every worker of a run would import every module to collect them.
"""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from changed import PACKAGE, PROJECT, name_of

pytestmark = pytest.mark.python

FOLDERS = [PACKAGE, *sorted({PACKAGE / path.parts[-2] for path in PACKAGE.glob("*/*.py")})]
OTHERS = [PROJECT / "scripts", PROJECT / "action"]


def module_of(path: Path) -> ModuleType:
    return import_module(name_of(path) if path.is_relative_to(PACKAGE) else path.stem)


@pytest.mark.parametrize("folder", [*FOLDERS, *OTHERS], ids=lambda folder: folder.name)
def test_the_examples_of_docstrings_hold(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PROJECT / "action")
    # Those of the modules right in the package are a test, too, and not those below it again.
    paths = folder.glob("*.py") if folder == PACKAGE else folder.rglob("*.py")
    modules = [path for path in sorted(paths) if path.name != "__main__.py"]
    tried = {path: doctest.testmod(module_of(path)) for path in modules}
    assert [path.name for path, results in tried.items() if results.failed] == []


def test_the_examples_of_the_tests_hold() -> None:
    tests = Path(__file__).parent
    # Only those modules are imported that have one.
    shown = [path for path in tests.rglob("*.py") if "\n    >>> " in path.read_text("utf-8")]
    names = [".".join(path.relative_to(tests).with_suffix("").parts) for path in sorted(shown)]
    assert "builders" in names
    assert [name for name in names if doctest.testmod(import_module(name)).failed] == []


def test_there_are_examples_and_a_wrong_one_is_found() -> None:
    module = ModuleType("wrong")
    module.__doc__ = ">>> 1 + 1\n3\n"
    assert doctest.testmod(module).failed == 1
    assert doctest.testmod(import_module("ragstone.gates.proof")).attempted > 0
