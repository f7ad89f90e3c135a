"""Imports flow one way, and what starts often starts light."""

from __future__ import annotations

import json
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter

import pytest
from changed import MODULES, module_imports

# The stations of the design, in the order data passes them: each may import from itself and from
# those before it. What stands alone comes first, and what ties all together last.
ORDER = (
    "_version",
    "errors",
    "extras",
    "stopping",
    "file_lock",
    "worker",
    "progress_task",
    "progress",
    "scratch",
    "files",
    "own_files",
    "score_eval",
    "matching",
    "contracts",
    "trace",
    "engine",
    "measure",
    "gates",
    "formats",
    # Suites make blocks and pictures; the rest of the report is made of what suites came to.
    "report.text",
    "report.document",
    "report.charts",
    "embedders",
    # What of the ledger knows only files: suites have its place among their options, and
    # comparisons find runs in it. The rest keeps reports, or makes them again.
    *(f"ledger.{name}" for name in ("run_place", "run_files", "recording", "run_store")),
    "ledger.run_words",
    "suites",
    "spark",
    "comparison",
    "report",
    "ledger",
    "tools",
    "index",
    "targets",
    "shadow",
    "api",
    "ledger.verify_run",
    "serve",
    "pytest_checks",
    "pytest_plugin",
    "__init__",
    "cli",
    "__main__",
)

# A report shows itself (`report.to_html()`, `repr(report)`) with what is written for reports.
MAY_MEET = (
    "ragstone.report.model",
    "ragstone.report.formats",
    "ragstone.report.formats.json_text",
    "ragstone.report.private_texts",
    "ragstone.report.saved",
    "ragstone.report.words",
)

HEAVY = (
    *("_duckdb", "duckdb", "jinja2", "markdown_it", "msgspec"),
    *("numpy", "pandas", "polars", "pyarrow", "re2", "rich"),
)


def station(module: str) -> str:
    """The entry of ORDER that a module belongs to."""
    parts = module.split(".")
    inner = ".".join(parts[1:3])
    return inner if inner in ORDER else parts[1] if len(parts) > 1 else "__init__"


def test_every_module_has_a_place_in_the_order_of_the_design():
    assert [module for module in MODULES if station(module) not in ORDER] == []


def test_a_module_imports_only_from_stations_before_its_own():
    place = ORDER.index
    later = [
        f"{module} imports {name}"
        for module in MODULES
        for name in module_imports(module)
        if place(station(name)) > place(station(module))
    ]
    assert later == []


def test_no_modules_import_each_other_in_a_circle():
    graph = {module: set(module_imports(module)) for module in MODULES}
    graph.get(MAY_MEET[0], set()).difference_update(MAY_MEET[1:])
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_the_stdlib_scorer_imports_nothing_of_the_project():
    assert not module_imports("ragstone.score_eval")


def heavy_modules_after(code: str) -> list[str]:
    """The heavy libraries that are loaded once a new Python has run the code."""
    # `python -c` puts "" on sys.path, hence -I: only what is installed can be found.
    script = (
        f"import json, sys\n{code}\n"
        f"print(json.dumps(sorted(set({HEAVY!r}) & set(sys.modules))), file=sys.stderr)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    loaded: list[str] = json.loads(ran.stderr)
    return loaded


def test_import_ragstone_loads_nothing_heavy():
    assert heavy_modules_after("import ragstone") == []


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_asking_the_command_for_help_loads_nothing_heavy(flag):
    code = f"""
from ragstone.cli.main import entry
sys.argv = ["ragstone", {flag!r}]
try:
    code = entry()
except SystemExit as end:
    code = end.code
if code:
    sys.exit(f"ragstone {flag} exits with {{code}}")
"""
    assert heavy_modules_after(code) == []


def test_the_heavy_libraries_would_be_noticed():
    assert heavy_modules_after("import rich") == ["rich"]
