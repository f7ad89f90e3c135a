"""The flags that several commands have, each declared once."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ragstone.contracts.kinds import MOST
from ragstone.contracts.plain_numbers import RANGE, clipped, real_number, whole_number
from ragstone.suites.option_fields import MOST_THREADS, Declared, declared
from ragstone.suites.options import Options


def flag(group: argparse._ActionsContainer, words: str, says: str, **more: Any) -> None:
    """Adds a flag as a help text shows it: `--fast` is a switch, `-o --out FILE` takes a word.

    `DIR` alone is an argument without a flag. What is used when nothing is given follows in
    brackets.
    """
    *names, last = words.split()
    if last.startswith("-"):
        names.append(last)
        if "choices" not in more:
            more["action"] = "store_true"
    else:
        more["metavar"] = last
    default = more.get("default")
    if names and isinstance(default, str | int | float):
        says = f"{says} ({default if isinstance(default, str) else format(default, 'g')})".strip()
    group.add_argument(*names or [last.lower()], help=says, **more)


@dataclass(frozen=True, slots=True)
class OldSpelling:
    """A flag as it was once spelled: it works as ever, and no help text shows it.

    `place` is the command with its action. `new` is what help shows instead, with its value where
    the new one takes another.
    """

    place: str
    old: str
    new: str


OLD_SPELLINGS = (
    OldSpelling("agreement", "--tsv FILE", "--output FILE.tsv"),
    OldSpelling("compare", "--scu_enforced", "--scu-enforced"),
    OldSpelling("context", "--out DIR", "--output DIR/"),
    OldSpelling("context", "--output-dir DIR", "--output DIR/"),
    OldSpelling("demo", "--dir", "--output"),
    OldSpelling("gold diff", "--base", "--baseline"),
    OldSpelling("gold lint", "--strict", "--exit-code"),
    OldSpelling("gold new", "--out", "--output"),
    OldSpelling("gold type", "--out", "--output"),
    OldSpelling("index query", "-k", "--k"),
    OldSpelling("latency sweep", "--grid", "--knobs"),
    OldSpelling("migrate", "--write FILE", "--output FILE.jsonl"),
    OldSpelling("power", "--scu_enforced", "--scu-enforced"),
    OldSpelling("score", "--scu_enforced", "--scu-enforced"),
)

# Flags that a place takes, because every command or the whole of its command has them, and that
# change nothing there: by the name of their value. No help text shows them.
_READS_NO_SETTINGS = ("config", "no_config")
_USES_ONE_THREAD = ("threads",)
_NEITHER = (*_READS_NO_SETTINGS, *_USES_ONE_THREAD)
WITHOUT_USE = {
    "demo": _READS_NO_SETTINGS,
    "explain": _NEITHER,
    "gold new": _NEITHER,
    "index build": _NEITHER,
    "index diff": _NEITHER,
    "index query": _NEITHER,
    "index verify": _NEITHER,
    "init": _NEITHER,
    "latency sweep": _USES_ONE_THREAD,
    # What it prints has no summary: it is always printed whole. The same of others.
    "migrate": (*_READS_NO_SETTINGS, "verbose"),
    "power": ("verbose",),
    "regate": _USES_ONE_THREAD,
    "render": _USES_ONE_THREAD,
    "retrieval": ("dry_run",),
    "retrieval calibrate": (
        *("gates", "strict", "unfrozen", "baseline", "max_regression", "protect", "labels_share"),
        *("as_of", "by", "all", "report_texts", "record", "label", "ledger", "memory", "temp"),
        *("engine", "master", "spark_conf", "index_only", "compact", "verbose"),
    ),
    "run": _USES_ONE_THREAD,
    "runs": _USES_ONE_THREAD,
    "runs accept": _USES_ONE_THREAD,
    "runs export": _USES_ONE_THREAD,
    "runs prune": _USES_ONE_THREAD,
    "runs show": _USES_ONE_THREAD,
    "schema": _NEITHER,
    "serve": _USES_ONE_THREAD,
    "stability run": _USES_ONE_THREAD,
    "trend": _USES_ONE_THREAD,
    "vendor": _NEITHER,
    "watch": _USES_ONE_THREAD,
}


def take_old_spellings(parser: argparse.ArgumentParser, place: str) -> None:
    """Lets the parser of a place take its old spellings too; help and completion do not see them.

    Where a value means something else than the new flag's, the command has a hidden flag itself.
    """
    known = parser._option_string_actions
    for each in OLD_SPELLINGS:
        if each.place == place:
            known.setdefault(each.old.split()[0], known[each.new.split()[0]])


def hide(parser: argparse.ArgumentParser, names: Iterable[str]) -> None:
    """Takes flags out of the help text, by the names of their values; they are still taken."""
    for action in parser._actions:
        if action.dest in names:
            action.help = argparse.SUPPRESS


def add_everywhere(parser: argparse.ArgumentParser, place: str) -> None:
    """The flags of every command; those that it has no use for are taken and not shown."""
    group = parser.add_argument_group("everywhere")
    flag(group, "--config FILE", "read this file instead of ragstone.toml")
    flag(group, "--no-config", "ignore ragstone.toml, and use the defaults")
    flag(group, "--threads N", "threads to use (default: all)", type=_threads)
    # `-q` of trec is trec_eval's: every question too.
    short = "" if "-q" in parser._option_string_actions else "-q "
    flag(group, f"{short}--quiet", "print the result and nothing else")
    flag(group, "--debug", "show the traceback of an error")
    hide(parser, WITHOUT_USE.get(place, ()))
    take_old_spellings(parser, place)


def add_map(parser: argparse._ActionsContainer) -> None:
    for name in ("map", "ids"):
        add_option(parser, next(each for each in declared(Options) if each.name == name))


def add_errors(parser: argparse._ActionsContainer) -> None:
    flag(parser, "--all-errors", "list every bad line, not just 20")


def add_json(parser: argparse._ActionsContainer) -> None:
    flag(parser, "--json", "one JSON object on standard output")


def add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    add_json(group)
    kinds = "terminal, json, markdown, html, junit, sarif, github"
    flag(group, "-f --format FORMAT", f"what to print: {kinds}")
    also = "also write FILE, in the format of its extension; may be repeated"
    flag(group, "-o --output FILE", also, action="append", default=[])
    flag(group, "-v --verbose", "print the whole report, and not only its summary")


def also_writes(parser: argparse.ArgumentParser, what: str) -> None:
    """Says in the help of `-o` what else a file's name can ask this command for."""
    parser._option_string_actions["--output"].help += f"; {what}"  # type: ignore[operator]


def whole(text: str) -> int:
    """A whole number; argparse's own message would speak of an `int value`."""
    found = whole_number(text.strip())
    if found is None:
        raise _no_number("a whole number", text)
    return found


def number(text: str) -> float:
    """A number that every suite can add up."""
    found = real_number(text.strip())
    if found is None or abs(found) > MOST:
        raise _no_number("a number", text)
    return found


def _no_number(wanted: str, text: str) -> argparse.ArgumentTypeError:
    """The range is named only to those who wrote a number that is out of it."""
    within = f" {RANGE}" if re.fullmatch(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?", text) else ""
    return argparse.ArgumentTypeError(f"expected {wanted}{within}, found {clipped(text)}")


def share(text: str) -> float:
    """A part of a whole: from 0 to 1."""
    found = number(text)
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, found {clipped(text)}")
    return found


def seconds(text: str) -> float:
    """Parses a duration, or a number a second: above 0."""
    found = number(text)
    if not 0 < found < 1e9:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {clipped(text)}")
    return found


def utf8(text: str) -> str:
    """Text that can be written into a file: Python carries other bytes as halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("expected UTF-8") from None
    return text


def within(text: str, most: int) -> int:
    """A whole number of at least 1 and at most `most`."""
    found = whole(text)
    if not 1 <= found <= most:
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 1 to {most}, found {clipped(text)}"
        )
    return found


def _threads(text: str) -> int:
    return within(text, MOST_THREADS)


def add_option(group: argparse._ActionsContainer, each: Declared) -> None:
    """The flag of an option; a flag that is not given is None, so that the file's word counts."""
    option, flags = each.option, each.flags
    says = option.says
    if each.kind is bool:
        off = each.default is True
        if off:
            flags = tuple(f"--no-{flag.removeprefix('--')}" for flag in flags)
        group.add_argument(
            *flags, dest=each.name, action="store_const", const=not off, default=None, help=says
        )
        return
    more: dict[str, Any] = {"dest": each.name, "default": None, "metavar": option.metavar or None}
    if each.choices:
        more |= {"choices": each.choices, "metavar": None}
    if each.kind is int:
        more["type"] = whole
    elif each.kind is float:
        more["type"] = number
    if each.listed or option.words:
        more |= {"nargs": "+", "action": "extend"}
    elif each.default not in (None, ""):
        says = f"{says} ({each.default})"
    group.add_argument(*flags, help=says.replace("%", "%%"), **more)
