"""The command `ragstone`: finds the command's module, runs it, and renders what goes wrong.

Only the module of the command that was asked for is imported, so `--help` costs nothing.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Any, NoReturn

from ragstone._version import __version__
from ragstone.errors import ConfigError, ContractError, RagstoneError

INTERRUPTED = 3

# command → what it does; the module is ragstone.cli.<command>.
COMMANDS = {
    "score": "score a gold set and traces, and decide: ship or do not ship",
    "retrieval": "judge one index: recall, citations, convergence",
    "canary": "decide whether a shadow index may replace the live one",
    "context": "judge retrieved documents, one system or several side by side",
    "trec": "score TREC runs against qrels",
    "latency": "measure speed against accuracy, and pick a configuration",
    "agreement": "compare two validators' labels, and arbitrate every item",
    "stability": "ask the same again, differently, and judge how steady it is",
    "gate": "run every suite that ragstone.toml names, and give one decision",
    "run": "ask a pipeline the gold questions, and write the traces",
    "index": "build a small index of documents, and look into it",
    "gold": "look after a gold set: lint it, or propose items from documents",
    "migrate": "carry a gold set over to the ids of a re-chunked index",
    "check": "check files against their contracts, and score nothing",
    "schema": "print the JSON Schema of an input",
    "explain": "say what a metric means and how it is computed",
    "init": "write ragstone.toml, an example gold set and a CI workflow",
    "demo": "run the whole job on built-in data",
    "vendor": "copy the one-file scorer into your repository",
}

_EXAMPLE = """\
example:
  ragstone score --gold eval/gold.jsonl --trace 'runs/trace*.jsonl' -o report.html

exit codes:
  0 all gates pass   1 a gate fails   2 the input or the command line is wrong
  3 unmeasurable: no gate failed, but one could not be measured, or the run was interrupted
"""


class Parser(argparse.ArgumentParser):
    """argparse, with one clear line for what is wrong instead of the whole usage."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)

    def error(self, message: str) -> NoReturn:
        # argparse says "argument --k: expected ..."; the word adds nothing.
        raise ConfigError(f"{message.removeprefix('argument ')} (see {self.prog} --help)")


def parser_of(command: str | None) -> argparse.ArgumentParser:
    """The parser, with the options of the one command that is needed."""
    parser = Parser(
        prog="ragstone",
        description="The ship gate for RAG: reads a gold set and a pipeline's traces, and says "
        "ship or do not ship.",
        epilog=_EXAMPLE,
    )
    parser.add_argument("--version", action="version", version=f"ragstone {__version__}")
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, says in COMMANDS.items():
        if name == command:
            module = import_module(f"ragstone.cli.{name}")
            description = (module.__doc__ or "").strip()
            sub = commands.add_parser(
                name, help=says, description=description, epilog=module.EXAMPLE
            )
            module.configure(sub)
            sub.set_defaults(run=module.run, parser=sub)
        else:
            commands.add_parser(name, help=says, add_help=False)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code; a help text ends it with SystemExit."""
    debug, all_errors = "--debug" in arguments, "--all-errors" in arguments
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        print("ragstone: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        from ragstone.cli.common import drop_stdout

        drop_stdout()
        return INTERRUPTED
    except Exception as error:
        if debug:
            import traceback

            traceback.print_exc()
        if isinstance(error, RagstoneError):
            complain(error, all_errors=all_errors)
            return error.exit_code
        print(
            f"ragstone: a fault in ragstone itself: {type(error).__name__}: {error}\n"
            "Run it again with --debug for the traceback, and report it.",
            file=sys.stderr,
        )
        return 2


def _run(arguments: Sequence[str]) -> int:
    command = next((word for word in arguments if word in COMMANDS), None)
    if command is None and arguments and not arguments[0].startswith("-"):
        raise ConfigError(f"there is no command {arguments[0]!r}{_meant(arguments[0], COMMANDS)}")
    parser = parser_of(command)
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise ConfigError(_unknown(unknown[0], parsed.parser))
    if parsed.command is None:
        parser.print_help(sys.stderr)
        return 2
    return int(parsed.run(parsed))


def _unknown(word: str, parser: argparse.ArgumentParser) -> str:
    flags = re.findall(r"--[\w-]+", parser.format_help())
    if word in flags:
        return f"{word} goes behind the command"
    meant = _meant(word.partition("=")[0], flags) if word.startswith("-") else ""
    return f"{word!r} is not understood{meant} (see {parser.prog} --help)"


def _meant(word: str, known: Collection[str]) -> str:
    import difflib

    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def complain(error: RagstoneError, *, all_errors: bool) -> None:
    """One clear message on standard error, in which nothing of the data acts on the terminal."""
    from ragstone.report.text import visible

    if isinstance(error, ContractError):
        text = error.render(None if all_errors else 20)
        count = len(error.diagnostics)
        lines = "1 problem" if count == 1 else f"{count:,} problems"
        text = f"{text}\nragstone: {lines} in the input; nothing was scored"
    else:
        text = f"ragstone: {error}"
    print(visible(text, lines=True), file=sys.stderr)


def entry() -> NoReturn:
    """The console script."""
    # What stops a job in CI is SIGTERM: it ends the run as Ctrl-C does, and scratch files go.
    signal.signal(signal.SIGTERM, _stop)
    try:
        sys.exit(main(sys.argv[1:]))
    finally:
        _flush()


def _flush() -> None:
    """The last of a help text goes out here, where a reader that went away is no error."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        from ragstone.cli.common import drop_stdout

        drop_stdout()


def _stop(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt
