"""Judge one index by its log: recall, citations, ΔS and convergence."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.cli import suite_command
from ragstone.cli.common import (
    check_output,
    config_of,
    emit,
    must_not_replace,
    say,
    tell_warnings,
    warn_unfrozen,
)
from ragstone.cli.flags import flag
from ragstone.cli.keep_run import keep_run
from ragstone.errors import ConfigError
from ragstone.progress import doing
from ragstone.suites.config_file import FILE_NAME, Config, options_of, read
from ragstone.suites.pyproject_table import PREFIX, is_project_file
from ragstone.suites.registry import find_suite

if TYPE_CHECKING:
    from ragstone.report.model import Report

SUITE = find_suite("retrieval")

# The name in the small JSON object, and the metric's own.
COMPACT = {
    "P@5": "P@5",
    "R@5": "R@5",
    "coverage": "coverage",
    "citation_accuracy": "citation_accuracy",
    "ΔS_med": "delta_s_median",
    "ΔS_p90": "delta_s_p90",
}


# What the line is learned with.
LEARNED_WITH = (
    *("map", "ids", "allow_key", "unit", "embedder", "allow_download", "section_pattern"),
    "confidence",
)


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "--compact", "print one small JSON object and nothing else")
    suite_command.configure(parser, SUITE)


def _configure_calibrate(parser: argparse.ArgumentParser) -> None:
    flag(parser, "--dry-run", "say the line, and write nothing")
    suite_command.configure(parser, SUITE, LEARNED_WITH)


def run(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    config = config_of(arguments)
    with suite_command.one_bar(arguments):
        if arguments.compact:
            return _compact(arguments, config)
        report = suite_command.report_of(arguments, SUITE, config)
        emit(report, arguments)
    return report.exit_code


def _compact(arguments: argparse.Namespace, config: Config) -> int:
    """Prints the small object; it has no room to say that a list goes on, so it holds all qids."""
    given = {**suite_command.options_given(arguments, SUITE), "all": True}
    report = suite_command.report_of(arguments, SUITE, config, given)
    say(compact_of(report))
    tell_warnings(report, arguments)
    warn_unfrozen(report)
    keep_run(report, arguments)
    return report.exit_code


def compact_of(report: Report) -> str:
    """The few numbers of `--compact`, on one line."""
    by_type: Any = report.data["by_type"]
    made: dict[str, object] = {short: report.figures[name] for short, name in COMPACT.items()}
    made["bad_qids"] = report.data["bad_qids"]
    made["by_type"] = {
        kind: {short: row[name]["value"] for short, name in COMPACT.items()}
        for kind, row in by_type.items()
    }
    return json.dumps(made, ensure_ascii=False)


def calibrate(arguments: argparse.Namespace) -> int:
    """Learns, reports, and writes unless it is a dry run."""
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.tools import calibration

    check_output(arguments)
    config = config_of(arguments)
    suite = calibration.WITHOUT_LOG
    given: Any = options_of(suite, config, suite_command.options_given(arguments, suite))
    # No gate is judged here, so no question is waived, whatever day it is.
    options = replace(given, waive=(), as_of=None)
    paths = suite_command.inputs_given(arguments, suite, config)
    with Duck(arguments.threads) as duck, doing("retrieval calibrate", steps=calibration.STEPS):
        sources = {name: find(list(files), name, duck.scratch) for name, files in paths.items()}
        must_not_replace(arguments, [each for some in sources.values() for each in some])
        found, hashes = calibration.calibrate(duck, sources, options)
    if not arguments.dry_run:
        path = config.path or Path(arguments.config or FILE_NAME)
        write_line(path, options.embedder, found.line, found.embedder)
    report = calibration.report_of(found, options, hashes)
    emit(report, arguments, whole=True)
    return report.exit_code


def write_line(path: Path, embedder: str, line: float, identity: str) -> None:
    """Sets the three keys under [retrieval]; every other line of the file stays as it is."""
    from ragstone.files import write

    before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    values = {
        "embedder": _quoted(embedder),
        "delta_s_line": repr(line),
        "delta_s_line_for": _quoted(identity),
    }
    table = f"{PREFIX}retrieval" if is_project_file(path) else "retrieval"
    write(path, with_keys(before, values, table))
    try:
        read(path)
    except ConfigError:
        # What was there is put back: a file that cannot be read is worse than no line.
        write(path, before)
        raise


def with_keys(text: str, values: dict[str, str], table: str = "retrieval") -> str:
    """The text of a TOML file with keys of a table set.

    >>> print(with_keys("[retrieval]\\nunit = 'bytes'\\n[paths]\\n", {"delta_s_line": "0.6"}))
    [retrieval]
    delta_s_line = 0.6
    unit = 'bytes'
    [paths]
    <BLANKLINE>
    """
    added = "".join(f"{key} = {value}\n" for key, value in values.items())
    header = re.search(rf"^[^\S\n]*\[{re.escape(table)}\][^\S\n]*$\n?", text, re.MULTILINE)
    if header is None:
        gap = "\n" if text.strip() else ""
        ending = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{ending}{gap}[{table}]\n{added}"
    head, rest = text[: header.end()], text[header.end() :]
    following = re.search(r"^[^\S\n]*\[", rest, re.MULTILINE)
    stop = following.start() if following else len(rest)
    own = re.compile(rf"^[^\S\n]*(?:{'|'.join(values)})[^\S\n]*=.*\n?", re.MULTILINE)
    ending = "" if head.endswith("\n") else "\n"
    return f"{head}{ending}{added}{own.sub('', rest[:stop])}{rest[stop:]}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


ACTIONS = {
    "calibrate": (
        "learn the ΔS line of an embedder on your gold set, and write it to ragstone.toml",
        _configure_calibrate,
        calibrate,
    ),
}
