"""The command `ragstone`: finds the command's module, runs it, and renders what goes wrong.

Only the module of the command that was asked for is imported, so `--help` costs nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from ragstone._version import __version__
from ragstone.errors import ContractError, RagstoneError

INTERRUPTED = 3

# command → what it does; the module is ragstone.cli.<command>.
COMMANDS = {
    "score": "score a gold set and traces, and decide: ship or do not ship",
    "gate": "run every suite that ragstone.toml names, and give one decision",
    "check": "check files against their contracts, and score nothing",
    "schema": "print the JSON Schema of an input",
    "init": "write ragstone.toml, an example gold set and a CI workflow",
    "demo": "run the whole job on built-in data",
    "vendor": "copy the one-file scorer into your repository",
    "explain": "say what a metric means and how it is computed",
    "gold": "look after a gold set (lint)",
}

_EXAMPLE = """\
example:
  ragstone score --gold eval/gold.jsonl --trace 'runs/trace*.jsonl' -o report.html

exit codes:
  0 all gates pass   1 a gate fails   2 the input or the command line is wrong
  3 unmeasurable: no gate failed, but one could not be measured, or the run was interrupted
"""


def parser_of(command: str | None) -> argparse.ArgumentParser:
    """The parser, with the options of the one command that is needed."""
    parser = argparse.ArgumentParser(
        prog="ragstone",
        description="The ship gate for RAG: reads a gold set and a pipeline's traces, and says "
        "ship or do not ship.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"ragstone {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, says in COMMANDS.items():
        if name == command:
            module = import_module(f"ragstone.cli.{name}")
            sub = commands.add_parser(
                name,
                help=says,
                description=(module.__doc__ or "").strip(),
                epilog=module.EXAMPLE,
                formatter_class=argparse.RawDescriptionHelpFormatter,
                allow_abbrev=False,
            )
            module.configure(sub)
            sub.set_defaults(run=module.run)
        else:
            commands.add_parser(name, help=says, add_help=False)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code."""
    command = next((word for word in arguments if word in COMMANDS), None)
    parser = parser_of(command)
    parsed = parser.parse_args(arguments)
    if parsed.command is None:
        parser.print_help()
        return 2
    try:
        return int(parsed.run(parsed))
    except RagstoneError as error:
        if getattr(parsed, "debug", False):
            raise
        complain(error, all_errors=getattr(parsed, "all_errors", False))
        return error.exit_code
    except KeyboardInterrupt:
        print("ragstone: interrupted; nothing was written", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`| head`): there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except Exception as error:
        if getattr(parsed, "debug", False):
            raise
        print(
            f"ragstone: a fault in ragstone itself: {type(error).__name__}: {error}\n"
            "Run it again with --debug for the traceback, and report it.",
            file=sys.stderr,
        )
        return 2


def complain(error: RagstoneError, *, all_errors: bool) -> None:
    """One clear message on standard error."""
    if isinstance(error, ContractError):
        text = error.render(None if all_errors else 20)
        count = len(error.diagnostics)
        lines = "1 problem" if count == 1 else f"{count:,} problems"
        print(f"{text}\nragstone: {lines} in the input; nothing was scored", file=sys.stderr)
    else:
        print(f"ragstone: {error}", file=sys.stderr)


def entry() -> NoReturn:
    """The console script."""
    sys.exit(main(sys.argv[1:]))
