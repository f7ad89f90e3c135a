"""What a shell can complete, read from the parsers: commands, actions, flags and their values.

The scripts made of it stand alone: no Python starts when somebody presses TAB.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

# The words in help texts that stand for a file or a folder, alone or at the end of another word.
_PATHS = frozenset(
    (
        *("A", "B", "DIR", "DOCS", "FILE", "GOLD", "INDEX", "LOCK"),
        *("MANIFEST", "OUT", "PLACE", "QRELS", "ROWS", "RUN", "RUNS", "TOML"),
    )
)


@dataclass(frozen=True, slots=True)
class Value:
    """What may follow: words to choose from, files, or (neither) something only the user knows."""

    called: str = ""
    words: tuple[str, ...] = ()
    files: bool = False
    many: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag under all its names; `value` is None for a switch.

    One that is not `listed` is taken and not offered: it has no use there.
    """

    names: tuple[str, ...]
    says: str
    value: Value | None
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """Where the cursor may be: behind `words`, such as `gold lint`, with what may come next."""

    words: tuple[str, ...]
    flags: tuple[Flag, ...]
    inner: tuple[tuple[str, str], ...] = ()
    arguments: tuple[Value, ...] = ()

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def listed(self) -> tuple[Flag, ...]:
        """The flags that are offered."""
        return tuple(flag for flag in self.flags if flag.listed)


# The parser of the command line, with the flags of the one command that is named.
ParserOf = Callable[[str | None], argparse.ArgumentParser]


def script(shell: str, commands: Iterable[str], parser_of: ParserOf) -> str:
    """The completion script for a shell: bash, zsh or fish."""
    writer = import_module(f"ragstone.cli.completion_{shell}")
    made: str = writer.script(list(places(commands, parser_of)))
    return made


def places(commands: Iterable[str], parser_of: ParserOf) -> Iterator[Place]:
    """The command line itself, then each command, and each action of those that have some."""
    yield _place(parser_of(None), ())
    for command in commands:
        (parsers,) = _inner(parser_of(command))
        parser = parsers.choices[command]
        yield _place(parser, (command,))
        for actions in _inner(parser):
            for name, action in actions.choices.items():
                yield _place(action, (command, name))


def _inner(
    parser: argparse.ArgumentParser,
) -> list[argparse._SubParsersAction[argparse.ArgumentParser]]:
    return [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]


def _place(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> Place:
    plain = [each for each in parser._actions if not isinstance(each, argparse._SubParsersAction)]
    return Place(
        words,
        tuple(_flag(each) for each in plain if each.option_strings),
        tuple(
            (choice.dest, _said(choice))
            for part in _inner(parser)
            for choice in part._choices_actions
        ),
        tuple(_value(each) for each in plain if not each.option_strings),
    )


def _flag(action: argparse.Action) -> Flag:
    value = _value(action) if _takes(action) else None
    names = tuple(action.option_strings)
    return Flag(names, _said(action), value, action.help is not argparse.SUPPRESS)


def _said(action: argparse.Action) -> str:
    return " ".join((action.help or "").replace("%%", "%").split())


def _takes(action: argparse.Action) -> bool:
    return action.nargs != 0


def _value(action: argparse.Action) -> Value:
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    last = metavar.replace("=", " ").replace("_", " ").replace(".", " ").split()[-1:]
    words = tuple(str(each) for each in action.choices or _known(action.dest))
    files = not words and (action.dest == "baseline" or not _PATHS.isdisjoint(last))
    return Value(metavar or action.dest, words, files, action.nargs in ("+", "*"))


@cache
def _known(dest: str) -> tuple[str, ...]:
    """Values that the parser does not check itself."""
    if dest == "format":
        from ragstone.report.formats import FORMATS

        return tuple(FORMATS)
    if dest == "metric":
        from ragstone.cli.explain import metrics_by_suite

        names = (each.name for metrics in metrics_by_suite().values() for each in metrics)
        return tuple(dict.fromkeys(names))
    if dest == "suite":
        from ragstone.suites.registry import entries

        return tuple(entry.name for entry in entries())
    return ()
