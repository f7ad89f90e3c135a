"""Help texts: never wider than the terminal, the same on every Python."""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator

NARROWEST, WIDEST = 40, 120
# Where the explanations start: beside the flags, or under them where there is little room.
_BESIDE, _UNDER = 26, 6
# Choices up to this many characters stand in the place of the value; more stand behind the words.
_MOST_CHOICES = 26
_REMARK = re.compile(r"(?P<command>  \S.*?)  +(?P<remark>\(.*\))")
_WORD = re.compile(r"(?:'[^']*'|\"[^\"]*\"|\S)+")


class HelpText(argparse.HelpFormatter):
    """Lays a help text out: a short usage, then each flag with what it does."""

    def __init__(self, prog: str, **more: object) -> None:
        columns = min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)
        position = _BESIDE if columns >= 72 else _UNDER
        super().__init__(prog, max_help_position=position, width=columns - 1)

    def _format_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None,
    ) -> str:
        listed = [each for each in actions if each.help is not argparse.SUPPRESS]
        flags = [each for each in listed if each.option_strings]
        words = [self._prog]
        if any(not each.required and each.dest != "help" for each in flags):
            words.append("[FLAG ...]")
        words += [self._format_action_invocation(each) for each in flags if each.required]
        words += [self._argument(each) for each in listed if not each.option_strings]
        if prefix == "":
            # argparse asks for the words in front of an action's own.
            return " ".join(words)
        text = " ".join(["usage:" if prefix is None else prefix.strip(), *words])
        return "\n".join(_wrapped(text, self._width, "    ")) + "\n\n"

    def _argument(self, action: argparse.Action) -> str:
        if isinstance(action, argparse._SubParsersAction):
            return f"{action.metavar} ..." if action.required else f"[{action.metavar} ...]"
        return self._format_args(action, action.dest.upper())

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            if isinstance(action, argparse._SubParsersAction):
                return super()._format_action_invocation(action)
            return str(self._metavar_formatter(action, action.dest.upper())(1)[0])
        names = ", ".join(action.option_strings)
        if action.nargs == 0:
            return names
        return f"{names} {self._format_args(action, action.dest.upper())}"

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        (value,) = self._metavar_formatter(action, default_metavar)(1)
        match action.nargs:
            case "+":
                return f"{value} ..."
            case "*":
                return f"[{value} ...]"
            case "?":
                return f"[{value}]"
        return super()._format_args(action, value)

    def _metavar_formatter(self, action: argparse.Action, default_metavar: str):  # type: ignore[no-untyped-def]
        value = action.dest.upper() if _choices_apart(action) else default_metavar
        return super()._metavar_formatter(_without_choices(action), value)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        apart = [each for each in _choices_apart(action) if each not in (action.help or "")]
        if not apart:
            return action.help
        return f"{action.help}: {', '.join(apart)}".replace("%", "%%").replace("%%%%", "%%")

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _wrapped(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Paragraphs as wide as there is room, and examples a line each."""
        # An example that goes on in the next line is one command.
        joined = re.sub(r"\\\n\s*", "", text.strip("\n"))
        parts = [part for part in re.split(r"\n[^\S\n]*\n", joined) if part.strip()]
        return "\n\n".join("\n".join(_laid_out(part, width)) for part in parts)


def _choices_apart(action: argparse.Action) -> list[str]:
    """Choices that do not stand in the place of the value, because they take too much room."""
    if action.choices is None or isinstance(action, argparse._SubParsersAction):
        return []
    choices = [str(each) for each in action.choices]
    fits = len(",".join(choices)) <= _MOST_CHOICES
    return [] if fits and action.metavar is None else choices


def _without_choices(action: argparse.Action) -> argparse.Action:
    """The action as the layout of its value sees it."""
    if not _choices_apart(action):
        return action
    return argparse.Action(action.option_strings, action.dest, metavar=action.metavar)


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    plain = " ".join(text.split())
    return textwrap.wrap(plain, width, subsequent_indent=indent, break_on_hyphens=False)


def _laid_out(part: str, width: int) -> Iterator[str]:
    """The lines of a paragraph; indented ones are examples or lists, and stay lines."""
    lines = part.split("\n")
    if not any(line.startswith("  ") for line in lines):
        yield from _wrapped(part, width)
        return
    for line in lines:
        if len(line) <= width:
            yield line
        elif found := _REMARK.fullmatch(line):
            yield from _command(found["command"], width)
            yield from _indented(found["remark"], width, "      ")
        elif line.startswith("  ragstone "):
            yield from _command(line, width)
        else:
            yield from _indented(line.strip(), width, "    " if line.startswith("  ") else "")


def _indented(text: str, width: int, indent: str) -> list[str]:
    first = indent[:-2] if len(indent) == 4 else indent
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
    )


def _command(line: str, width: int) -> Iterator[str]:
    """A command over several lines, which can be copied as it stands."""
    made = "  "
    for part in _flags_apart(_WORD.findall(line), width - 8):
        longer = f"{made} {part}" if made.strip() else f"{made}{part}"
        if made.strip() and len(longer) > width - 2:
            yield f"{made} \\"
            longer = f"      {part}"
        made = longer
    yield made


def _flags_apart(words: Iterable[str], width: int) -> Iterator[str]:
    """Each flag with its values, and words that stand alone; a line breaks between these."""
    made = ""
    for word in words:
        longer = f"{made} {word}"
        if made.startswith("-") and not word.startswith("-") and len(longer) <= width:
            made = longer
            continue
        if made:
            yield made
        made = word
    yield made
