"""What tests of the whole command share."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Command, Folder, Process, Scorer
from hypothesis import settings
from long_runs import LONG, LONG_EXAMPLES

# For the tests of the plugin, which run pytest in folders of their own.
pytest_plugins = ["pytester"]

HERE = Path(__file__).parent

# A deadline is a timing, and timings on a busy machine say nothing about the code.
settings.register_profile("ragstone", deadline=None)
settings.register_profile(LONG, deadline=None, max_examples=LONG_EXAMPLES)
settings.load_profile("ragstone")

BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Tests that hold the engine and whole commands to what they should come to. What suites write is
# compared byte by byte between all Pythons (scripts/test-all), so one of them is enough. The other
# tests of commands are about words, files, processes and signals, for which Python is answerable.
# A page of the server is a text, too: that requests are answered, in parts and at once, is told of
# every Python by the tests of the server itself.
ONCE = (
    "against",
    "ci",
    "cli/test_compare.py",
    "cli/test_compare_lists.py",
    "cli/test_gate.py",
    "cli/test_gold_check.py",
    "cli/test_gold_conflicts.py",
    "cli/test_gold_diff.py",
    "cli/test_gold_freeze.py",
    "cli/test_gold_lint.py",
    "cli/test_good_but_odd_input.py",
    "cli/test_map_forms.py",
    "cli/test_mapped_real_logs.py",
    "cli/test_packed_input.py",
    "cli/test_proofs.py",
    "cli/test_pyproject.py",
    "cli/test_score.py",
    "cli/test_slices.py",
    "cli/test_waive.py",
    "comparison",
    "engine/test_parquet_direct.py",
    "examples",
    "formats",
    "kept",
    "ledger",
    "measure/test_betting.py",
    "report/charts",
    "report/formats/test_gauges.py",
    "report/formats/test_highlight.py",
    "report/formats/test_open_ends.py",
    "report/formats/test_plain_names.py",
    "report/formats/test_question_pairs.py",
    "report/formats/test_summary_screen.py",
    "report/test_private_texts.py",
    "report/test_saved.py",
    "seeds",
    "serve/test_canary_pages.py",
    "serve/test_gold_pages.py",
    "serve/test_live_pages.py",
    "serve/test_otlp.py",
    "serve/test_page_addresses.py",
    "serve/test_pages.py",
    "serve/test_plain_pages.py",
    "serve/test_windows.py",
    "shadow/test_canary_command.py",
    "shadow/test_canary_evidence.py",
    "shadow/test_mirrored_shapes.py",
    "shadow/test_watched_canary.py",
    "suites",
    "test_docs.py",
    "test_docs_code.py",
    "test_every_input.py",
    "test_imports.py",
    "test_long_texts.py",
    "test_metrics_page.py",
    "test_names.py",
    "test_pytest_plugin.py",
    "test_sequential.py",
    "tools",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "also the tests marked `long`, and many more made-up inputs (make ci-long)"
    parser.addoption("--long", action="store_true", help=told)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--long"):
        settings.load_profile(LONG)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        left_out = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
    once = {
        path
        for path in {item.path for item in items}
        if any(path.is_relative_to(HERE / name) for name in ONCE)
    }
    for item in items:
        if item.path in once:
            item.add_marker(pytest.mark.once)
        # The browser is given the same bytes on every Python.
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session", autouse=True)
def default_signals() -> None:
    """As at a terminal: tests that are started with `nohup` or `&` inherit ignored signals."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty folder of a user."""
    return Folder(tmp_path)


@pytest.fixture
def ragstone(folder: Folder) -> Process:
    """The command as a process of its own."""
    return Process(folder)


@pytest.fixture
def command(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command in this process: the same exit code and the same bytes, ten times as fast."""
    return Command(folder, monkeypatch)


@pytest.fixture
def scorer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Scorer:
    """The scorer of one file, with a gold set and traces to write."""
    return Scorer(tmp_path, monkeypatch, capsys)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real Chromium that asks the network for nothing of its own."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(
            executable_path=chromium, headless=True, args=BROWSER_ARGUMENTS
        )
        yield launched
        launched.close()


@pytest.fixture
def opened_file(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page from a file; `page.heard` keeps its complaints and its requests."""
    contexts = []

    def opened(file: Path, **options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.heard = []
        page.on("console", lambda message: page.heard.append(message.text))
        page.on("pageerror", lambda error: page.heard.append(str(error)))
        page.on("request", lambda request: page.heard.append(request.url))
        page.goto(file.as_uri())
        page.heard.remove(file.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the real data sets, which are not part of the repository."""
    beside = Path(__file__).parents[2] / "shared"
    found = Path(os.environ.get("RAGSTONE_SHARED", beside)) / "data"
    if not found.is_dir():
        pytest.skip(
            f"the shared data sets are not at {found}; RAGSTONE_SHARED names the folder of data/"
        )
    return found


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A key, and a certificate for localhost that no machine knows."""
    key, made = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", str(key), "-out", str(made)],
        check=True, capture_output=True,
    )  # fmt: skip
    return key, made
