#!/usr/bin/env python3
"""What a change needs of `.ci/run`: the stages, the tests and the pages.

    changed.py [BASE]      against BASE, else against origin/main where HEAD is ahead of it

Prints a line for each of these: `stages`, `tests`, `docs` and `budget`. Without a base everything
runs: all stages are named, and `tests` and `docs` name nothing, which means all. The budget is two
numbers: minutes, and minutes of processor time. Needs nothing but Python, because it runs before
there is any environment.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Set
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SOURCE = PROJECT / "src"
PACKAGE = SOURCE / "ragstone"
TESTS = PROJECT / "tests"

# Stages that run only where the files they are about changed. `browser` is a part of the tests.
STAGES = ("spark", "clickhouse", "lowest", "image", "site", "browser")
EVERYTHING = "everything"
PAGE_TESTS = "tests/test_docs.py tests/test_contracts_page.py tests/test_people_page.py"
# What else a change of a folder or file needs: stages, tests, or everything. The longest name that
# a path begins with counts; a path that no line names needs everything. Tests of a folder of src
# are not named here: the import graph has them.
NEEDS = {
    "src/ragstone/": "",
    "src/ragstone/contracts/": "spark lowest",
    "src/ragstone/engine/": "spark clickhouse lowest",
    "src/ragstone/formats/": "spark clickhouse",
    "src/ragstone/index/": "lowest",
    "src/ragstone/report/": "lowest browser",
    "src/ragstone/serve/": "browser",
    "src/ragstone/spark/": "spark",
    "src/ragstone/targets/": "lowest",
    # Helpers and fixtures, which any test may use; a test file adds itself.
    "tests/": EVERYTHING,
    "tests/formats/": "clickhouse",
    "tests/report/": "browser",
    "tests/serve/": "browser",
    "tests/spark/": "spark",
    "docs/": f"site {PAGE_TESTS} tests/test_metrics_page.py tests/test_site.py",
    "mkdocs.yml": "site tests/test_docs.py tests/test_site.py",
    "README.md": f"site {PAGE_TESTS} tests/test_release.py",
    "CONTRIBUTING.md": f"site {PAGE_TESTS}",
    "CHANGELOG.md": "site tests/test_docs.py",
    "SECURITY.md": "site tests/test_docs.py",
    "LICENSE": "",
    "action": "tests/ci",
    ".github/": "tests/test_release.py",
    "examples/": "tests/examples tests/test_image.py",
    "bench/": "tests/test_bench.py",
    "checks/": "tests/test_fuzz.py tests/test_coverage.py tests/test_sequential.py "
    "tests/test_statements.py tests/comparison",
    "Dockerfile": "image tests/test_image.py",
    ".dockerignore": "image tests/test_image.py",
    "scripts/": "tests/test_scripts.py",
    "scripts/api_stub.py": "tests/test_api.py",
    "scripts/changed.py": "tests/test_changed.py tests/test_imports.py",
    "scripts/doc": "tests/test_docs.py tests/test_docs_code.py",
    "scripts/metrics_page.py": "tests/test_metrics_page.py",
    "scripts/power_tables.py": "tests/test_docs.py",
    "scripts/release": "tests/test_release.py tests/test_scripts.py",
    "scripts/site_": "site tests/test_site.py",
    "scripts/venv": EVERYTHING,
}
# Whatever changed.
ALWAYS = (
    *("tests/against", "tests/kept", "tests/seeds"),
    *("tests/test_doctests.py", "tests/test_every_suite.py"),
)
# Folders whose code runs by another name in the pages.
COMMANDS = {
    "answers": "score gate",
    "comparison": "compare",
    "ranking": "trec context",
    "targets": "run",
    "tools": "gold",
}
# Minutes, and minutes of processor time, on two cores.
# A whole run takes more than the 27 and 52 that it should: they replace these once it does not.
SMALL_BUDGET, WHOLE_BUDGET = "12 20", "55 95"
# A change that fewer test files are about has the small budget, as one of a single suite is.
FEW_FILES = 150


def name_of(path: Path) -> str:
    """The module of a file: `ragstone.report.model`, or `ragstone` for the package itself."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def imports(path: Path, package: str = "") -> frozenset[str]:
    """Every module of the project that a file imports, wherever in the file it does.

    Imports inside functions and under TYPE_CHECKING count: a type is knowledge too. `package` is
    the one that its relative imports begin in.
    """

    def named() -> Iterator[str]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = resolve_name("." * node.level + (node.module or ""), package)
                inside = (f"{base}.{alias.name}" for alias in node.names)
                yield from (full if full in MODULES else base for full in inside)

    return frozenset(name for name in named() if name in MODULES)


def module_imports(module: str) -> frozenset[str]:
    """Every other module of the project that this one imports."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return imports(path, package) - {module}


def with_importers(modules: Iterable[str]) -> set[str]:
    """These modules, those that import them, those that import those, and so on."""
    reached, fresh = set[str](), set(modules)
    while fresh:
        reached |= fresh
        fresh = {each for each in MODULES if module_imports(each) & fresh} - reached
    return reached


def modules_of(path: str) -> set[str]:
    """The module of a file in src; of a file that is no module, those that stand in its folder."""
    file = PROJECT / path
    if file.suffix == ".py" and file.is_file():
        return {name_of(file)}
    folders = (folder for folder in file.parents if folder.is_relative_to(PACKAGE))
    beside = ({name_of(each) for each in folder.glob("*.py")} for folder in folders)
    return next((names for names in beside if names), set())


def needs_of(path: str) -> str:
    """What the table says of a path: its longest beginning counts.

    >>> needs_of("src/ragstone/spark/read.py"), needs_of("src/ragstone/gates/gate.py")
    ('spark', '')
    >>> needs_of("pyproject.toml")
    'everything'
    """
    named = [start for start in NEEDS if path.startswith(start)]
    if path.startswith("tests/") and Path(path).name.startswith("test_"):
        named = [start for start in named if start != "tests/"] or ["LICENSE"]
    return NEEDS[max(named, key=len)] if named else EVERYTHING


def files_that_test(modules: Set[str]) -> set[Path]:
    """The files in folders of the same names as these modules, and those that import one of them.

    What stands above such a folder holds for all that is in it, as `tests/suites/test_readings.py`
    does for every suite, so its files are taken, too.
    """
    files = {file: file.parent for file in TESTS.rglob("test_*.py") if modules}
    below, above = set[Path](), set[Path]()
    for folder in {TESTS / MODULES[each].parent.relative_to(PACKAGE) for each in modules}:
        own = next(each for each in (folder, *folder.parents) if each.is_dir())
        below |= {own} - {TESTS}
        above |= {own, *own.parents}
    return {
        file
        for file, folder in files.items()
        if folder in above or below & {folder, *folder.parents} or imports(file) & modules
    }


def pages_of(modules: Set[str], pages: Iterable[str]) -> Iterator[str]:
    """The pages that run a command, or call a function, of the name of a module or its folder."""
    parts = {part for module in modules for part in module.split(".")[1:]}
    names = sorted(parts | {name for part in parts for name in COMMANDS.get(part, "").split()})
    called = re.compile(rf"\bragstone[ .](?:{'|'.join(names)})\b")
    for page in pages:
        if names and called.search((PROJECT / page).read_text(encoding="utf-8")):
            yield page


def plan(changed: Iterable[str] | None) -> dict[str, str]:
    """What runs for these files; None is everything."""
    paths = None if changed is None else sorted(set(changed))
    words = {word for path in paths or () for word in needs_of(path).split()}
    if paths is None or EVERYTHING in words:
        return {"stages": " ".join(STAGES), "tests": "", "docs": "", "budget": WHOLE_BUDGET}
    in_source = [path for path in paths if path.startswith("src/ragstone/")]
    modules = with_importers(module for path in in_source for module in modules_of(path))
    files = {PROJECT / path for path in paths if re.match(r"tests/(.*/)?test_\w+\.py$", path)}
    files = {file for file in files if file.is_file()} | files_that_test(modules)
    tests = {str(file.relative_to(PROJECT)) for file in files} | (words - set(STAGES)) | {*ALWAYS}
    pages = [str(page.relative_to(PROJECT)) for page in sorted(PROJECT.glob("docs/**/*.md"))]
    pages = [*pages, "README.md", "CONTRIBUTING.md"]
    docs = {*pages_of(modules, pages), *(page for page in pages if page in paths)}
    small = len(files) < FEW_FILES and not words & {"spark", "browser"}
    return {
        "stages": " ".join(stage for stage in STAGES if stage in words),
        "tests": " ".join(each for each in sorted(tests) if not _inside(each, tests)),
        "docs": " ".join(sorted(docs)) or "none",
        "budget": SMALL_BUDGET if small else WHOLE_BUDGET,
    }


def _inside(path: str, others: Iterable[str]) -> bool:
    return any(path.startswith(f"{other}/") for other in others)


def changed_since(base: str | None) -> list[str] | None:
    """The files that differ from where HEAD left the base; None where there is no base."""

    def git(*words: str) -> str | None:
        ran = subprocess.run(["git", *words], cwd=PROJECT, capture_output=True, text=True)
        return ran.stdout if ran.returncode == 0 else None

    if base is None:
        if not (git("rev-list", "origin/main..HEAD") or "").strip():
            return None
        base = "origin/main"
    fork = git("merge-base", base, "HEAD")
    if fork is None:
        sys.exit(f"There is no commit {base} that this one goes back to; name one that has.")
    differing = git("diff", "--name-only", "--no-renames", "-z", fork.strip()) or ""
    new = git("ls-files", "--others", "--exclude-standard", "-z") or ""
    return [path for path in (differing + new).split("\0") if path]


if __name__ == "__main__":
    for key, value in plan(changed_since(sys.argv[1] if len(sys.argv) > 1 else None)).items():
        print(key, value)
