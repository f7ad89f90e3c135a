"""What every command shares: flags that mean the same everywhere, the file, and the output."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.errors import ConfigError, InputError
from ragstone.files import write_standard_output
from ragstone.progress import away, counting, tell, weighing
from ragstone.suites.config_file import Config, find, read
from ragstone.suites.settings_tables import table_of

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.report.model import Report

# A master of Spark, or a setting with a size, a number, yes or no.
_STAYS_HERE = re.compile(
    r"(?i) local(\[.*\])? | spark\.[^=]*=([0-9]+(\.[0-9]+)?[a-z]{0,3}|true|false)", re.VERBOSE
)


def config_of(arguments: argparse.Namespace, read: Callable[[Path], Config] = read) -> Config:
    """The configuration in force: the named file, the nearest one upwards, or none."""
    if arguments.config is not None:
        path = Path(arguments.config)
        if not path.exists():
            raise ConfigError(f"{path} does not exist")
        return read(path)
    if arguments.no_config:
        return Config()
    try:
        here = Path.cwd()
    except OSError:
        raise ConfigError("the working folder does not exist any more") from None
    found = find(here)
    if found is None:
        return Config()
    # Messages name it as the user would.
    config = read(found.relative_to(here) if found.is_relative_to(here) else found)
    _fetch_nothing_of(config, arguments.words)
    return config


def _fetch_nothing_of(config: Config, words: Sequence[str]) -> None:
    """Somebody else's file makes no request: addresses in it need a name from the user."""
    from ragstone.contracts.remote_files import addresses_in, nobody_named, texts_in

    engine = table_of(config.whole.get("engine", {}), "engine")
    of_spark = texts_in([engine.get("master"), engine.get("spark_conf")])
    addresses = [*addresses_in(config.whole), *filter(_may_connect, of_spark)]
    nobody_named(addresses, str(config.path), words)


def _may_connect(text: str) -> bool:
    """Whether Spark may connect by this master or setting.

    >>> [_may_connect(text) for text in ("local[4]", "yarn", "spark.jars.packages=a:b:1")]
    [False, True, True]
    >>> _may_connect("spark.sql.shuffle.partitions=400")
    False
    """
    return not _STAYS_HERE.fullmatch(text)


def gold_of(arguments: argparse.Namespace, config: Config, how: str = "--gold FILE") -> str:
    """The gold file of a command that belongs to no suite: the flag wins over the file."""
    given = arguments.gold or next(iter(config.shared("gold")), None)
    if given is None:
        raise ConfigError(f"no gold set: give {how}, or set paths.gold in ragstone.toml")
    return str(given)


def one_gold_file(
    arguments: argparse.Namespace, config: Config, scratch: Path, doing: str
) -> tuple[Source, ...]:
    """The gold file of a command that takes one; `doing` is what it does with it, as in `lint`."""
    from ragstone.contracts.sources import find as find_files

    given = gold_of(arguments, config, "its file")
    files = tuple(find_files(given, "gold", scratch))
    if len(files) > 1:
        raise InputError(f"{given} matches {len(files)} files; {doing} one gold set at a time")
    return files


def check_output(arguments: argparse.Namespace) -> None:
    """Says what is wrong with the output flags before anything is scored."""
    from ragstone.report.formats import ALIASES, FORMATS, format_of, wants_rows

    wanted = arguments.format
    if wanted is not None and ALIASES.get(wanted, wanted) not in FORMATS:
        raise ConfigError(f"there is no format {wanted!r}; known: {', '.join(FORMATS)}")
    if arguments.json and wanted not in (None, "json"):
        raise ConfigError(f"--json and -f {wanted} cannot be given together")
    for name in arguments.output:
        if not name:
            raise ConfigError("-o: the file name is empty")
        if not wants_rows(name):
            format_of(name)
        folder = Path(name).parent
        if not folder.is_dir():
            raise InputError(f"{name}: the folder {folder} does not exist")
        # Spark writes rows into a folder, and only the settings say whether it is Spark.
        if not name.lower().endswith(".parquet"):
            must_be_no_folder(name)
        from ragstone.files import target_of

        target_of(name)


def must_be_no_folder(name: str) -> None:
    """Refuses to write a file in the place of a folder."""
    if Path(name).is_dir():
        raise InputError(f"{name} is a folder; give a file name")


def must_want_no_rows(arguments: argparse.Namespace, why: str) -> None:
    """Refuses `-o rows.parquet` of a command that has none to write, and says why."""
    from ragstone.report.formats import wants_rows

    for name in arguments.output:
        if wants_rows(name):
            raise ConfigError(f"-o {name}: {why}")


def must_not_replace(arguments: argparse.Namespace, sources: Iterable[Source]) -> None:
    """A report must not be written over the gold set or the traces it is about."""
    inputs = {os.path.realpath(source.path) for source in sources}
    for name in arguments.output:
        if os.path.realpath(name) in inputs:
            raise ConfigError(f"-o {name} would replace an input")


def wants(arguments: argparse.Namespace, *formats: str) -> bool:
    """Whether any of these formats will be printed or written."""
    from ragstone.report.formats import ALIASES, format_of, wants_rows

    used = {format_of(name) for name in arguments.output if not wants_rows(name)}
    used.add(ALIASES.get(arguments.format, arguments.format))
    return bool(used & set(formats))


def emit(report: Report, arguments: argparse.Namespace, *, whole: bool = False) -> None:
    """Writes the files, keeps the run where it is to be recorded, and prints the result.

    On a screen that is the summary, whose last line is the verdict; with --verbose, and where a
    command is asked for its tables (`whole`), it is the long text that ends with the summary.
    """
    folder = getattr(arguments, "folder_of_rows", None)
    report.save_all(name for name in arguments.output if not folder or name != folder.name)
    if folder:
        folder.put()
    try:
        if report.made_of is not None:
            from ragstone.cli.keep_run import keep_run

            keep_run(report, arguments)
    finally:
        # A ledger that takes no more loses no result.
        if arguments.json or arguments.format:
            _print(report, arguments)
        else:
            say_summary(report, arguments, whole=whole)


def _print(report: Report, arguments: argparse.Namespace) -> None:
    """The report in the format that was asked for."""
    from ragstone.report.formats import streamed

    kind = "json" if arguments.json else arguments.format
    if kind == "json":
        tell_warnings(report, arguments)
    say_parts(streamed(report, kind, color=colored(), width=width()))
    if arguments.output and not arguments.quiet:
        tell(f"wrote {', '.join(arguments.output)}")


def tell_warnings(report: Report, arguments: argparse.Namespace) -> None:
    """The warnings, on standard error."""
    from ragstone.report.text import said_and_line, visible

    if not arguments.quiet:
        for said, line in map(said_and_line, report.warnings):
            tell(visible(f"ragstone: warning: {said}"))
            if line:
                tell(f"  {line}")


def say_summary(report: Report, arguments: argparse.Namespace, *, whole: bool = False) -> None:
    """What a person sees who asked for no format."""
    from ragstone.report.formats import streamed, summary_screen

    files: tuple[str, ...] = tuple(arguments.output)
    if (whole or arguments.verbose) and not arguments.quiet:
        say_parts(streamed(report, "terminal", color=colored(), width=width(), files=files))
        return
    more = "" if files else "-v shows the whole report, -o report.html writes it as a page"
    drawn: dict[str, Any] = {"color": colored(), "width": width(), "quiet": arguments.quiet}
    say(summary_screen.render(report, files=files, more=more, **drawn))


def warn_unfrozen(report: Report) -> None:
    """Says it on standard error where what is printed is in a form that has no room for it."""
    if report.unfrozen:
        from ragstone.report.words import headline, verdict

        tell(f"ragstone: {verdict(report)}: {headline(report)}")


def colored() -> bool:
    """Colours for a person at a terminal, or where FORCE_COLOR asks for them; NO_COLOR wins."""
    if os.environ.get("NO_COLOR"):
        return False
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    return os.environ.get("TERM") != "dumb" and _at_terminal()


def width() -> int:
    """As wide as the terminal, up to a point; where there is none, the same for everyone."""
    from ragstone.report.formats import WIDTH

    return min(shutil.get_terminal_size().columns, 120) if _at_terminal() else WIDTH


def _at_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def as_json(value: Mapping[str, object]) -> str:
    """What a command prints for a program: one object that says first which format it has."""
    from ragstone.report.formats.json_text import FORMAT, dumps

    return dumps({"format": FORMAT, **value})


def say(text: str) -> None:
    """Text on standard output, with a line break at its end."""
    say_parts([text if text.endswith("\n") else f"{text}\n"])


def say_parts(parts: Iterable[str]) -> None:
    """Parts of a text on standard output as they come, in UTF-8."""
    data = (part.encode("utf-8", "backslashreplace") for part in parts)
    if _at_terminal():
        # What is printed is seen as it comes, and no line of progress may stand in it.
        with away():
            write_standard_output(data)
    else:
        write_standard_output(weighing(data, "printing", step="printing"))


def was_kept(kept_as: Mapping[str, str]) -> Iterator[str]:
    """Says of each file that another had written where it is now."""
    for path, name in kept_as.items():
        yield f"kept what was in {path} as {name}"


def say_each(lines: Iterable[str], total: int = 0) -> None:
    """Many lines on standard output; where they go elsewhere, a terminal shows how many have."""
    said = lines if _at_terminal() else counting(lines, "printing", "lines", total)
    say_parts(f"{line}\n" for line in said)
