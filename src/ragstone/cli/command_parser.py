"""The parser of the command line: argparse, with our help texts and our errors."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from ragstone.cli.help_text import HelpText
from ragstone.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """argparse, with one clear line for what is wrong instead of the whole usage."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", HelpText)
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)
        if self.add_help:
            self._option_string_actions["--help"].help = "show this help and exit"
        self._positionals.title, self._optionals.title = "arguments", "flags"
        # From Python 3.14 on help texts are coloured, by rules of its own.
        self.color = False

    def error(self, message: str) -> NoReturn:
        # argparse says "argument --k: expected ..."; the word adds nothing.
        said = f"{message.removeprefix('argument ')} (see {self.prog} --help)"
        if message.startswith("the following arguments are required"):
            raise Missing(said, self)
        raise ConfigError(said)


class Missing(ConfigError):
    """Something that is required is not there, maybe because it was misspelled."""

    def __init__(self, said: str, parser: argparse.ArgumentParser) -> None:
        super().__init__(said)
        self.parser = parser


class Actions(argparse._SubParsersAction):  # type: ignore[type-arg]
    """The actions of a command; a flag in front of the action counts as one behind it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given = {
            each.dest: getattr(namespace, each.dest)
            for each in parser._actions
            if each.option_strings and getattr(namespace, each.dest, each.default) != each.default
        }
        super().__call__(parser, namespace, values, option_string)
        inner = self.choices[values[0]]
        for name, value in given.items():
            if getattr(namespace, name) == inner.get_default(name):
                setattr(namespace, name, value)
