"""`-f` and `-o` of commands that print something else than a report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from ragstone.cli.common import check_output, say_parts
from ragstone.cli.flags import add_json, flag
from ragstone.errors import ConfigError


def add_forms(parser: argparse._ActionsContainer, forms: Sequence[str]) -> None:
    """The flags for what is printed and written: `forms` are what the command can show."""
    add_json(parser)
    flag(parser, "-f --format FORMAT", f"what to print: {', '.join(forms)}")
    also = "also write FILE, in the format of its extension; may be repeated"
    flag(parser, "-o --output FILE", also, action="append", default=[])


def form_of(arguments: argparse.Namespace, forms: Sequence[str], what: str) -> str:
    """The form to print; what is wrong with the flags is said before anything is read.

    `what` is what the command shows, as in `a trend`.
    """
    from ragstone.report.formats import ALIASES, FORMATS, format_of, wants_rows

    check_output(arguments)
    endings = [FORMATS[form][1][0] for form in forms]
    for name in arguments.output:
        if wants_rows(name) or format_of(name) not in forms:
            raise ConfigError(f"-o {name}: {what} is written as {_either(endings)}")
    form = ALIASES.get(arguments.format, arguments.format) or forms[0]
    if form not in forms:
        raise ConfigError(f"-f {form}: {what} is shown as {_either(forms)}")
    return "json" if arguments.json else form


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def put(
    arguments: argparse.Namespace, form: str, made: Callable[[str], str], *, silent: bool = False
) -> None:
    """Writes the files, then prints, unless what is printed is `silent`."""
    from ragstone.files import write_files
    from ragstone.report.formats import format_of

    texts = {name: made(format_of(name)) for name in arguments.output}
    write_files({name: (text.encode("utf-8", "backslashreplace"),) for name, text in texts.items()})
    if not silent:
        say_parts([made(form)])
    if arguments.output and not arguments.quiet:
        print(f"wrote {', '.join(arguments.output)}", file=sys.stderr)


def as_markdown(pairs: str) -> str:
    """Lines of `name: text` as a list; the first, which names the thing, as a heading."""
    from ragstone.report.formats.markdown_text import prose

    (_, title), *rest = (line.split(":", 1) for line in pairs.splitlines())
    lines = [f"- **{name.strip()}**: {prose(text, len(text))}" for name, text in rest]
    return "\n".join([f"## {title.strip()}", "", *lines])
