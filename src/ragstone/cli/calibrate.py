"""`ragstone retrieval calibrate`: learns the ΔS line and writes it into ragstone.toml."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ragstone.cli.common import emit
from ragstone.cli.retrieval_flags import common_inputs, listed, options_of
from ragstone.errors import ConfigError
from ragstone.gates.config import FILE_NAME, Config, read


def calibrate(arguments: argparse.Namespace, config: Config) -> int:
    """Learns, reports, and writes unless it is a dry run."""
    from ragstone.api_retrieval import calibration_in, files_of
    from ragstone.engine.duck import Duck
    from ragstone.suites.retrieval.suite import LOG

    options = options_of(arguments, config)
    gold, manifest, texts = common_inputs(arguments, config)
    log = listed(arguments, config, "log")
    with Duck(arguments.threads) as duck:
        files = files_of(duck, gold, {LOG: log} if log else {}, manifest, texts)
        report, found = calibration_in(duck, files, options)
    if not arguments.dry_run:
        path = config.path or Path(arguments.config or FILE_NAME)
        write_line(path, options.embedder, found.line, found.embedder)
    emit(report, arguments)
    return report.exit_code


def write_line(path: Path, embedder: str, line: float, identity: str) -> None:
    """Sets the three keys under [retrieval]; every other line of the file stays as it is."""
    from ragstone.report.formats import write

    before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    values = {
        "embedder": _quoted(embedder),
        "delta_s_line": repr(line),
        "delta_s_line_for": _quoted(identity),
    }
    write(path, with_keys(before, values))
    try:
        read(path)
    except ConfigError:
        # What was there is put back: a file that cannot be read is worse than no line.
        write(path, before)
        raise


def with_keys(text: str, values: dict[str, str]) -> str:
    """The text of a TOML file with keys of the table [retrieval] set.

    >>> print(with_keys("[retrieval]\\nunit = 'bytes'\\n[paths]\\n", {"delta_s_line": "0.6"}))
    [retrieval]
    delta_s_line = 0.6
    unit = 'bytes'
    [paths]
    <BLANKLINE>
    """
    lines = text.splitlines(keepends=True)
    start = next((n for n, s in enumerate(lines) if s.strip() == "[retrieval]"), None)
    if start is None:
        gap = "\n" if text.strip() else ""
        ending = "" if not text or text.endswith("\n") else "\n"
        body = "".join(f"{key} = {value}\n" for key, value in values.items())
        return f"{text}{ending}{gap}[retrieval]\n{body}"
    stop = next(
        (n for n in range(start + 1, len(lines)) if lines[n].lstrip().startswith("[")), len(lines)
    )
    key_of = re.compile(r"\s*([A-Za-z_]+)\s*=")
    kept = [
        line
        for line in lines[start + 1 : stop]
        if not ((found := key_of.match(line)) and found.group(1) in values)
    ]
    added = [f"{key} = {value}\n" for key, value in values.items()]
    head = lines[: start + 1]
    if not head[-1].endswith("\n"):
        head[-1] += "\n"
    return "".join([*head, *added, *kept, *lines[stop:]])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
