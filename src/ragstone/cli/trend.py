"""Show how the numbers of recorded runs changed over time: a line for each METRIC, suite by suite.
Without a METRIC: those that the newest recording gates."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragstone.cli.common import as_json, colored, say, width
from ragstone.cli.flags import flag
from ragstone.cli.forms import add_forms, form_of
from ragstone.cli.runs import add_ledger, store_of
from ragstone.cli.which_recordings import add_filters, fitting, warn
from ragstone.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragstone.ledger.recording import Recording
    from ragstone.ledger.run_store import RunStore
    from ragstone.ledger.trend_lines import Trend

FORMS = ("terminal", "markdown", "html", "json")
# So many points still stand apart on a page, and so many rows are still read.
SHOWN = 100


def configure(parser: argparse.ArgumentParser) -> None:
    says = "its name, SUITE.NAME, or the name of a gate (default: what is gated)"
    flag(parser, "METRIC", says, nargs="*")
    add_filters(parser)
    add_ledger(parser)
    add_forms(parser.add_argument_group("output"), FORMS)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.ledger.trend_lines import trend_of

    form = form_of(arguments, FORMS, "a trend")
    store = store_of(arguments)
    damaged: list[str] = []
    every = store.recordings(damaged)
    warn(damaged)
    found = fitting(every, arguments)
    if not found:
        return _nothing(store, arguments, form, some=bool(every))
    limit = arguments.limit or SHOWN
    older = max(len(found) - limit, 0)
    found = found[:limit]
    trend = trend_of(found, _wanted(found, arguments), older)
    if not trend.sections:
        raise InputError(f"no recording in {store.place} has a number that could be shown")
    _emit(trend, store.place, damaged, form, arguments)
    return 0


def _nothing(store: RunStore, arguments: argparse.Namespace, form: str, *, some: bool) -> int:
    """A new project has no recordings, which is no error; a page that was asked for is none."""
    said = "no recording fits" if some else f"no recording in {store.place}; --record keeps one"
    if arguments.metric or arguments.output or form in ("markdown", "html"):
        raise InputError(said)
    say(as_json({"sections": [], "older": 0, "damaged": []}) if form == "json" else said)
    return 0


def _wanted(found: Sequence[Recording], arguments: argparse.Namespace) -> dict[str, list[str]]:
    """By suite the names that are asked for, or else those that are gated."""
    from ragstone.ledger.trend_lines import GATE, gated, known

    only = arguments.suite if arguments.suite != GATE else None
    if not arguments.metric:
        return {suite: own for suite, own in gated(found).items() if only in (None, suite)}
    names = {suite: own for suite, own in known(found).items() if only in (None, suite)}
    wanted: dict[str, list[str]] = {suite: [] for suite in names}
    for word in arguments.metric:
        for suite, name in _meant(word, names, found):
            if name not in wanted[suite]:
                wanted[suite].append(name)
    return wanted


def _meant(
    word: str, names: dict[str, list[str]], found: Sequence[Recording]
) -> list[tuple[str, str]]:
    """The suites and names behind a word: `precision`, `answers.precision`, or an alias."""
    from ragstone.gates.judge import suggestion

    first, dot, rest = word.partition(".")
    own = {first: names[first]} if dot and first in names else names
    name = rest if own is not names else word
    meant = [(suite, name) for suite, some in own.items() if name in some]
    if not meant:
        spelled = _other_names(own, found)
        meant = [(suite, spelled[suite][name]) for suite in own if name in spelled[suite]]
    if not meant:
        every = dict.fromkeys(each for some in own.values() for each in some)
        full = [f"{suite}.{each}" for suite, some in names.items() for each in some]
        hint = suggestion(word, [*every, *full], f"known: {', '.join(every)}")
        asked = "the only recording" if len(found) == 1 else f"none of {len(found):,} recordings"
        has = "has no" if len(found) == 1 else "has a"
        raise ConfigError(f"{asked} {has} metric or gate {word!r}{hint}")
    return meant


def _other_names(
    names: dict[str, list[str]], found: Sequence[Recording]
) -> dict[str, dict[str, str]]:
    """By suite the aliases of its metrics, and `recall@5` for `recall@k` if the newest k is 5."""
    from ragstone.cli.explain import metrics_by_suite

    declared = metrics_by_suite()
    every: dict[str, dict[str, str]] = {}
    for suite, own in names.items():
        aliases = {
            alias: metric.name
            for metric in declared.get(suite, ())
            for alias in (metric.name, *metric.aliases)
            if metric.name in own
        }
        k = next((_k_of(each.held[suite]) for each in found if suite in each.held), None)
        at = {alias.replace("@k", f"@{k}"): name for alias, name in aliases.items()}
        every[suite] = {**at, **aliases}
    return every


def _k_of(held: Any) -> object:
    options = held.get("options") if isinstance(held, dict) else None
    return options.get("k") if isinstance(options, dict) else None


def _emit(
    trend: Trend, place: str, damaged: list[str], form: str, arguments: argparse.Namespace
) -> None:
    """Writes the files, then prints."""
    from ragstone.files import write_files
    from ragstone.ledger.trend_pages import as_data, html, links, markdown
    from ragstone.ledger.trend_screen import USUAL, render
    from ragstone.report.formats import format_of

    def made(form: str, file: str | None = None) -> str:
        if form == "json":
            return as_json({**as_data(trend), "damaged": damaged}) + "\n"
        if form == "markdown":
            return markdown(trend)
        if form == "html":
            return html(trend, links(place, file))
        seen = file is None
        return render(
            trend,
            color=seen and colored(),
            **({"width": width()} if seen else {}),
            wanted=arguments.limit or USUAL,
        )

    texts = {name: made(format_of(name), name) for name in arguments.output}
    write_files({name: (text.encode("utf-8", "backslashreplace"),) for name, text in texts.items()})
    say(made(form))
    if arguments.output and not arguments.quiet:
        print(f"wrote {', '.join(arguments.output)}", file=sys.stderr)
