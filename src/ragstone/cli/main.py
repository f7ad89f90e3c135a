"""The command `ragstone`: finds the command's module, runs it, and renders what goes wrong.

Only the module of the command that was asked for is imported, so `--help` costs nothing.
"""

from __future__ import annotations

import argparse
import gc
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import copy_context
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from ragstone._version import __version__
from ragstone.cli.command_parser import Actions, Missing, Parser
from ragstone.cli.suggest import COMMANDS, FLAGS, meant
from ragstone.errors import (
    DISPLAY,
    NOTES,
    ConfigError,
    ContractError,
    Diagnostic,
    InputError,
    NoMemory,
    RagstoneError,
)
from ragstone.progress import PROGRESS, Progress, away
from ragstone.stopping import stopping_signals
from ragstone.suites.registry import entries, find_suite

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Any]

INTERRUPTED = 3
SHELLS = ("bash", "zsh", "fish")

# What runs for hours, or lets a user's own pipeline run in this process.
_LASTING = ("serve", "watch", "run", "stability run", "latency sweep", "demo")

# command → what it does; the module is ragstone.cli.<command>, with `_` for `-`. The suites' own
# come before these.
OTHERS = {
    "gate": "run every suite that ragstone.toml names, and give one decision",
    "compare": "say whether a run is worse than another, question by question",
    "runs": "list the recorded runs; show, export, accept or prune them",
    "trend": "show how the numbers of recorded runs changed over time",
    "verify": "make a recorded run again, and say whether the bytes agree",
    "render": "show a recorded run again, in any format",
    "regate": "judge a recorded run by other gates",
    "calibrate-judge": "measure how far another tool's judge agrees with people",
    "power": "say how steady the verdict is, and how many questions it takes",
    "serve": "take records of a live pipeline over HTTP, keep them, and raise alerts",
    "watch": "follow the log files of a live pipeline, and raise the same alerts",
    "run": "ask a pipeline the gold questions, and write the traces",
    "index": "build a small index of documents, and look into it",
    "gold": "look after a gold set: lint it, freeze it, see what changed, propose items",
    "migrate": "carry a gold set over to the ids of a re-chunked index",
    "convert": "turn another tool's files into traces or a gold set",
    "check": "check files against their contracts, and score nothing",
    "schema": "print the JSON Schema of an input",
    "explain": "say what a metric means and how it is computed",
    "init": "write settings, an example to start from and a CI job",
    "demo": "run the whole job on built-in data",
    "vendor": "copy the one-file scorer into your repository",
}

# Commands of suites that do more than judge: their module is ragstone.cli.<command> too.
WITH_ACTIONS = ("retrieval", "canary", "context", "trec", "latency", "agreement", "stability")


def commands() -> dict[str, str]:
    """Every command with what it does: those of the suites, then the others."""
    # Of suites that share a command, the first says what it does.
    own = {entry.command: entry.says for entry in reversed(entries())}
    return {**{entry.command: own[entry.command] for entry in entries()}, **OTHERS}


_EXAMPLE = """\
example:
  ragstone score --gold eval/gold.jsonl --trace runs/trace.jsonl -o report.html

exit codes:
  0  every gate passes
  1  a gate fails
  2  the input or the command line is wrong
  3  no gate fails, but one could not be measured, or the run was interrupted

`ragstone COMMAND --help` shows the flags of a command.
"""


def parser_of(command: str | None) -> argparse.ArgumentParser:
    """The parser, with the options of the one command that is needed."""
    parser = Parser(
        prog="ragstone",
        description="The ship gate for RAG: reads a gold set and a pipeline's traces, and says "
        "ship or do not ship.",
        epilog=_EXAMPLE,
    )
    shown = "print the version and exit"
    version = f"ragstone {__version__}"
    parser.add_argument("-V", "--version", action="version", version=version, help=shown)
    completes = "print what makes TAB complete ragstone in a shell"
    parser.add_argument("--print-completion", choices=SHELLS, help=completes)
    parser.set_defaults(parser=parser)
    actions = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, says in commands().items():
        if name != command:
            actions.add_parser(name, help=says, add_help=False)
        else:
            _add_command(actions, name, says)
    return parser


def _add_command(actions: Commands, name: str, says: str) -> None:
    """A command from its module, which may part it into actions, or from a suite's declaration."""
    suite = next((find_suite(each.name) for each in entries() if each.command == name), None)
    example = suite.example if suite and suite.example else _example(name)
    if suite is not None and name not in WITH_ACTIONS:
        from ragstone.cli import suite_command

        said = f"{says[0].upper()}{says[1:]}."
        sub = actions.add_parser(name, help=says, description=said, epilog=example)
        suite_command.configure(sub, suite)
        _finish(sub, name, partial(suite_command.run, suite=suite))
        return
    module = import_module(f"ragstone.cli.{name.replace('-', '_')}")
    description = (module.__doc__ or "").strip()
    sub = actions.add_parser(name, help=says, description=description, epilog=example)
    if not hasattr(module, "ACTIONS"):
        module.configure(sub)
        _finish(sub, name, module.run)
        return
    sub.set_defaults(parser=sub)
    # A command that does something without an action says so by flags of its own.
    alone = hasattr(module, "configure")
    if alone:
        module.configure(sub)
        _finish(sub, name, module.run)
    parts = sub.add_subparsers(
        dest="action", metavar="ACTION", title="actions", required=not alone, action=Actions
    )
    for action, (helps, configure, run) in module.ACTIONS.items():
        place = f"{name} {action}"
        said = f"{helps[0].upper()}{helps[1:]}."
        own = _examples_of(place, example)
        part = parts.add_parser(action, help=helps, description=said, epilog=own)
        configure(part)
        _finish(part, place, run)


def _example(command: str) -> str:
    import tomllib
    from importlib import resources

    text = resources.files("ragstone.cli").joinpath("examples.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text).get(command, ""))


def _examples_of(place: str, examples: str) -> str:
    """Of a command's examples those of one action."""
    own = [line for line in examples.splitlines() if line.startswith(f"  ragstone {place}")]
    return "\n".join(["example:" if len(own) == 1 else "examples:", *own])


def _finish(
    parser: argparse.ArgumentParser, place: str, run: Callable[[argparse.Namespace], int]
) -> None:
    from ragstone.cli.flags import add_everywhere

    add_everywhere(parser, place)
    parser.set_defaults(run=run, parser=parser)


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code; a help text ends it with SystemExit."""
    debug, shown = "--debug" in arguments, ShownProblems(every="--all-errors" in arguments)
    display = DISPLAY.set(shown)
    try:
        # What a command sets for itself ends with it.
        return copy_context().run(_run, arguments)
    except KeyboardInterrupt:
        _tell("ragstone: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        from ragstone.files import drop_stdout

        drop_stdout()
        return INTERRUPTED
    except Exception as error:
        if debug:
            import traceback

            traceback.print_exc()
        if isinstance(error, MemoryError | OSError):
            error = _refused_by_the_system(error)
        if isinstance(error, RagstoneError):
            complain(error, shown)
            return error.exit_code
        _tell(
            f"ragstone: a fault in ragstone itself: {type(error).__name__}: {error}\n"
            "Run it again with --debug for the traceback, and report it."
        )
        return 2
    finally:
        DISPLAY.reset(display)


def _noting() -> Callable[[str], None]:
    """Prints each note once: an input may be looked at more than once."""
    said: set[str] = set()

    def note(text: str) -> None:
        if text not in said:
            said.add(text)
            complain_of(f"ragstone: {text}")

    return note


def _tell(text: str) -> None:
    # A terminal that was closed takes no more words; the exit code is right all the same.
    with away(), suppress(OSError):
        print(text, file=sys.stderr)


def _refused_by_the_system(error: MemoryError | OSError) -> InputError:
    """What the system did not give, when no code below knew a better sentence."""
    if isinstance(error, MemoryError):
        return NoMemory()
    where = "" if error.filename is None else f"{error.filename}: "
    return InputError(f"{where}{(error.strerror or str(error)).lower()}")


def _run(arguments: Sequence[str]) -> int:
    command = next((word for word in arguments if word in commands()), None)
    if command is None and arguments and not arguments[0].startswith("-"):
        hint = meant(arguments[0], commands(), COMMANDS)
        raise ConfigError(f"there is no command {arguments[0]!r}{hint}")
    parser = parser_of(command)
    try:
        parsed, unknown = parser.parse_known_args(arguments)
    except Missing as error:
        known = error.parser._option_string_actions
        flags = [each for each in arguments if each.startswith("--") and each != "--"]
        unknown = [each for each in flags if each.partition("=")[0] not in known]
        if not unknown:
            raise
        raise ConfigError(_unknown(unknown[0], error.parser)) from None
    parsed.words = tuple(arguments)
    if not getattr(parsed, "quiet", False):
        NOTES.set(_noting())
        if sys.stderr is not None:
            PROGRESS.set(Progress(sys.stderr))
    if unknown:
        raise ConfigError(_unknown(unknown[0], parsed.parser))
    if parsed.print_completion:
        from ragstone.cli.common import say
        from ragstone.cli.completion import script

        say(script(parsed.print_completion, commands(), parser_of))
        return 0
    if parsed.command is None:
        parser.print_help(sys.stderr)
        return 2
    lasting = parsed.parser.prog.partition(" ")[2] in _LASTING
    with nullcontext() if lasting else _few_collections():
        return int(parsed.run(parsed))


@contextmanager
def _few_collections() -> Iterator[None]:
    """Inside, Python looks for garbage among new objects alone.

    To look through millions of rows takes seconds each time, in which no line is drawn, and nothing
    is found: a command makes its report and ends.
    """
    before = gc.get_threshold()
    gc.set_threshold(100_000, before[1], 10**6)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _unknown(word: str, parser: argparse.ArgumentParser) -> str:
    name = word.partition("=")[0]
    if name in parser._option_string_actions:
        return f"{word} goes behind the command"
    listed = [
        flag
        for action in parser._actions
        for flag in action.option_strings
        if flag.startswith("--") and action.help is not argparse.SUPPRESS
    ]
    hint = meant(name, listed, FLAGS) if word.startswith("-") else ""
    return f"{word!r} is not understood{hint} (see {parser.prog} --help)"


class ShownProblems:
    """Prints the first problems of the inputs as soon as they are found; with `every`, all."""

    def __init__(self, *, every: bool) -> None:
        self.every = every
        self.count = 0
        self._waiting: Diagnostic | None = None
        self._printed: set[Diagnostic] = set()

    def show(self, diagnostic: Diagnostic) -> None:
        if not self.count and not self._waiting and not diagnostic.line:
            # If the one sentence about a file stays alone, it is the message itself.
            self._waiting = diagnostic
            return
        self.flush()
        self._print(diagnostic)

    def flush(self) -> None:
        """Prints what waits for others to come."""
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            self._print(waiting)

    def _print(self, diagnostic: Diagnostic) -> None:
        if (self.every or self.count < 20) and diagnostic not in self._printed:
            self.count += 1
            self._printed.add(diagnostic)
            complain_of(str(diagnostic))


def complain(error: RagstoneError, shown: ShownProblems) -> None:
    """One clear message; of bad lines, what has not been shown yet and how many there are."""
    if not isinstance(error, ContractError):
        complain_of(f"ragstone: {error}")
        return
    for diagnostic in () if error.shown else error.diagnostics:
        shown.show(diagnostic)
    shown.flush()
    rest = error.count - shown.count
    if rest:
        complain_of(f"... and {rest:,} more (--all-errors lists them)")
    lines = "1 problem" if error.count == 1 else f"{error.count:,} problems"
    complain_of(f"ragstone: {lines} in the input; nothing was scored")


def complain_of(text: str) -> None:
    """Prints on standard error; nothing of the data acts on the terminal."""
    from ragstone.report.text import visible

    _tell(visible(text, lines=True))


def entry() -> NoReturn:
    """The console script."""
    for number in stopping_signals():
        signal.signal(number, signal.default_int_handler)
    try:
        sys.exit(main(sys.argv[1:]))
    finally:
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError:
            # The last of a help text goes out here, where a reader that went away is no error.
            from ragstone.files import drop_stdout

            drop_stdout()
