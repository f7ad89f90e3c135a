"""What tests of the whole command share."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Command, Folder, OnceAProcess, Process, Scorer
from hypothesis import HealthCheck, settings
from long_runs import LONG, LONG_EXAMPLES
from once_a_session import SHARED

# For the tests of the plugin, which run pytest in folders of their own.
pytest_plugins = ["pytester"]

# A deadline is a timing, and timings on a busy machine say nothing about the code.
# A busy machine draws examples slowly, which is no fault of what is tested.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ragstone", _PATIENT)
settings.register_profile(LONG, _PATIENT, max_examples=LONG_EXAMPLES)
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


def uses_browser(item: pytest.Item) -> bool:
    return "browser" in getattr(item, "fixturenames", ())


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "also the tests marked `long`, and many more made-up inputs (make ci-long)"
    parser.addoption("--long", action="store_true", help=told)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--long"):
        settings.load_profile(LONG)
    if not hasattr(config, "workerinput"):
        # Workers that this process starts inherit the name of the folder.
        shared = tempfile.TemporaryDirectory()
        os.environ[SHARED] = shared.name
        config.add_cleanup(shared.cleanup)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        left_out = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
    for item in items:
        if uses_browser(item):
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
def ragstone(folder: Folder, request: pytest.FixtureRequest) -> Process:
    """The command as a process of its own; the seeds ask it for figures, and so mostly here."""
    return OnceAProcess(folder) if request.path.parent.name == "seeds" else Process(folder)


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real Chromium that asks the network for nothing of its own; a worker starts one.

    Every test has a context of its own: cookies, storage and pages are gone with it.
    """
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(
            executable_path=chromium, headless=True, args=BROWSER_ARGUMENTS
        )
        loop = asyncio._get_running_loop()
        yield launched
        asyncio._set_running_loop(loop)
        launched.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """The loop of the browser stands still while other tests run, which may run one of their own.

    Playwright leaves its loop marked as running in this thread for as long as it is started.
    """
    loop = None if uses_browser(item) else asyncio._get_running_loop()
    if loop is None:
        return (yield)
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(loop)


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
