"""The plugin of pytest: a test for each gate and each protected question, and `ragstone_report`.

pytest imports this module whenever it starts where Ragstone is installed. So it imports nothing but
pytest; what scores is imported when a flag or a fixture asks for it.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr

    from ragstone.pytest_checks import Asked, Check, Scored
    from ragstone.report.model import Report

_FLAGS = ("gold", "trace", "config", "gates", "baseline", "protect")
_ASKED: pytest.StashKey[Asked] = pytest.StashKey()
_SCORED: pytest.StashKey[Scored] = pytest.StashKey()
_CHECKS: pytest.StashKey[list[Check]] = pytest.StashKey()
# Under this name the workers of pytest-xdist find the checks.
_SENT = "ragstone_checks"


class DidNotPass(Exception):
    """A gate or a protected question did not pass; its text says why."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ragstone", "ragstone: a test for each gate and protected question")
    group.addoption(
        "--ragstone",
        action="store_true",
        help="with the files that ragstone_gold and ragstone_trace, or ragstone_config, name",
    )
    says = {
        "gold": ("FILE", "the gold set"),
        "trace": ("FILE", "traces, also a glob; may be repeated"),
        "config": ("FILE", "instead: the suites of a ragstone.toml or pyproject.toml"),
        "gates": ("NAME=NUMBER", "thresholds, over the file's and the defaults; may be repeated"),
        "baseline": (
            "NAME",
            "compare with this: rows, a report, traces, or a recorded run",
        ),
        "protect": ("QIDS", "questions that may never break: qids, or =@FILE; may be repeated"),
    }
    for name in _FLAGS:
        metavar, helps = says[name]
        action = "append" if "repeated" in helps else "store"
        group.addoption(f"--ragstone-{name}", metavar=metavar, action=action, help=helps)
    for name in ("gold", "trace", "config"):
        parser.addini(f"ragstone_{name}", f"--ragstone-{name}, beside this file", type="paths")


def _asked(config: pytest.Config) -> Asked:
    """What flags and the ini file ask for; a flag wins."""
    if _ASKED in config.stash:
        return config.stash[_ASKED]
    from ragstone.pytest_checks import Asked

    flags = {name: config.getoption(f"ragstone_{name}") for name in _FLAGS}
    files = {name: flags[name] for name in ("gold", "trace", "config")}
    named = {
        name: [_from_here(path) for path in config.getini(f"ragstone_{name}")]
        for name in ("gold", "trace", "config")
    }
    if not files["config"]:
        files["gold"] = files["gold"] or _one(named["gold"], "gold")
        files["trace"] = files["trace"] or named["trace"] or None
    if not flags["gold"] and not flags["trace"]:
        files["config"] = files["config"] or _one(named["config"], "config")
    if files["config"] and (files["gold"] or files["trace"]):
        raise pytest.UsageError(
            "ragstone: give either a gold set and traces, or a file that names them (config)"
        )
    asked = Asked(
        **files,
        gates=tuple(flags["gates"] or ()),
        baseline=flags["baseline"],
        protect=tuple(flags["protect"] or ()),
    )
    config.stash[_ASKED] = asked
    return asked


def _from_here(path: Path) -> str:
    """A path as messages name it: that of the ini file's folder, seen from the working folder."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _one(paths: list[str], name: str) -> str | None:
    if len(paths) > 1:
        raise pytest.UsageError(f"ragstone_{name} names {len(paths)} files, and can be one")
    return paths[0] if paths else None


def _must_be_whole(asked: Asked) -> None:
    if asked.config is not None:
        return
    for name, what in (("gold", "gold set"), ("trace", "traces")):
        if getattr(asked, name) is None:
            raise pytest.UsageError(
                f"ragstone: no {what}: give --ragstone-{name} FILE, or set ragstone_{name} in the "
                f"ini file, or let a fixture ragstone_{name} return it"
            )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Scores where a flag asks for tests: their names are known only then.

    First of all, so that one clear error comes before pytest-xdist has started its workers; they
    are sent the outcome, and score nothing.
    """
    config = session.config
    sent = getattr(config, "workerinput", {}).get(_SENT)
    flags = (config.getoption("ragstone"), *(config.getoption(f"ragstone_{n}") for n in _FLAGS))
    if sent is None and not any(flags):
        return
    from ragstone.errors import RagstoneError
    from ragstone.pytest_checks import Check, checks, explained, score

    if sent is not None:
        config.stash[_CHECKS] = [Check(**each) for each in sent]
        return
    asked = _asked(config)
    _must_be_whole(asked)
    try:
        config.stash[_SCORED] = found = score(asked)
        config.stash[_CHECKS] = checks(found, asked)
    except RagstoneError as error:
        raise pytest.UsageError(explained(error)) from None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Sends the checks to a worker of pytest-xdist."""
    if _CHECKS in node.config.stash:
        node.workerinput[_SENT] = [asdict(check) for check in node.config.stash[_CHECKS]]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Adds the tests before -k and -m choose among all of them."""
    if _CHECKS in config.stash:
        folder = Gates.from_parent(session, name="ragstone", nodeid="ragstone")
        made = [GateTest.from_parent(folder, check=each) for each in config.stash[_CHECKS]]
        items.extend(made)


class Gates(pytest.Collector):
    """What the tests of gates are under: no file of the user's."""

    def collect(self) -> list[pytest.Item]:
        return [GateTest.from_parent(self, check=each) for each in self.config.stash[_CHECKS]]


class GateTest(pytest.Item):
    """One gate or one protected question."""

    def __init__(self, *, check: Check, **more: Any) -> None:
        super().__init__(name=check.name, **more)
        self.check = check

    def runtest(self) -> None:
        if self.check.failed:
            raise DidNotPass(self.check.failed)
        if self.check.skipped:
            pytest.skip(self.check.skipped)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> str | TerminalRepr:
        """The few lines themselves: where they were raised tells nobody anything."""
        if isinstance(excinfo.value, DidNotPass):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.config.rootpath, None, f"ragstone {self.name}"


@pytest.fixture(scope="session")
def ragstone_gold(pytestconfig: pytest.Config) -> Any:
    """The gold set: that of --ragstone-gold; define a fixture of this name for another."""
    return _asked(pytestconfig).gold


@pytest.fixture(scope="session")
def ragstone_trace(pytestconfig: pytest.Config) -> Any:
    """The traces: those of --ragstone-trace; define a fixture of this name for others."""
    return _asked(pytestconfig).trace


@pytest.fixture(scope="session")
def ragstone_report(pytestconfig: pytest.Config, ragstone_gold: Any, ragstone_trace: Any) -> Report:
    """The report, scored once in a session."""
    from dataclasses import replace

    from ragstone.errors import RagstoneError
    from ragstone.pytest_checks import explained, score

    asked = _asked(pytestconfig)
    if ragstone_gold is not asked.gold or ragstone_trace is not asked.trace:
        asked = replace(asked, gold=ragstone_gold, trace=ragstone_trace, config=None)
    elif _SCORED in pytestconfig.stash:
        return pytestconfig.stash[_SCORED].report
    try:
        _must_be_whole(asked)
        return score(asked).report
    except pytest.UsageError as error:
        pytest.fail(str(error), pytrace=False)
    except RagstoneError as error:
        pytest.fail(explained(error), pytrace=False)
