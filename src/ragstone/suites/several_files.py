"""Whether several files answer the same question, and which of them are then meant.

A file that was left over under a glob would otherwise win, or water down what was measured; which
line counts may be said in ragstone.toml for the lines of one file, and of several files only where
somebody starts the run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ragstone.contracts.shown_values import shown
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, listed, text, whole
from ragstone.engine.translated_lines import FROM_BEGINS, FROM_FILE
from ragstone.errors import InputError
from ragstone.report.text import counted
from ragstone.suites.declaration import AnySuite, Input, O, Work
from ragstone.suites.option_fields import declared, option
from ragstone.suites.options import Options

# The file that a translated line is of.
_FILE = f"coalesce({FROM_BEGINS}, {FROM_FILE})"

Shared = Mapping[tuple[int, int], tuple[int, str]]
"""From the numbers of two files to how many answers both hold, and what the first one is called."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EveryLineCounts(Options):
    """Of a suite in which every line counts, and none takes the place of another."""

    keep: Literal["all"] | None = option(
        None,
        "count every line, also where several files answer the same question",
        group="inputs",
        key="",
    )


def must_answer_once(work: Work[O], each: Input, table: str, sources: tuple[Source, ...]) -> None:
    """Refuses files of a table that hold the same answers, unless the call says what then."""
    refuse(work.suite, sources, shared_answers(work, each, table, sources))


def must_be_translated_once(work: Work[O], each: Input, sources: tuple[Source, ...]) -> None:
    """The same of another tool's files, whose lines were put together when they were translated."""
    lines = f"read_parquet({listed([str(source.path) for source in sources])})"
    if each.answer_key and len(sources[0].made_of) > 1 and not _says_which(work):
        # Of a trace without a qid the question will be looked up.
        names = ("qid", "q") if each.keeps else ("trace_id", "qid")
        columns = work.duck.columns(lines)
        key = ", ".join(name for name in names if name in columns)
        if key:
            refuse(work.suite, sources, _shared(work.duck, lines, (f"coalesce({key})",), _FILE))


def shared_answers(work: Work[O], each: Input, table: str, sources: tuple[Source, ...]) -> Shared:
    """The answers of a table that stand in more than one of its files."""
    if not each.answer_key or len(sources) < 2 or sources[0].made_of or _says_which(work):
        return {}
    return _shared(work.duck, table, each.answer_key, "source")


def _says_which(work: Work[O]) -> bool:
    return "keep" in work.options.of_this_call


def _shared(duck: Duck, table: str, key: tuple[str, ...], file: str) -> Shared:
    rows = duck.query(f"""
        with answers as (
            select ({key[0]})::varchar as name, min({file}) as one, max({file}) as other
            from {table}
            where {key[0]} is not null
            group by {", ".join(key)}
            having one <> other
        )
        select one, other, count(*), min(name) from answers group by all order by all
    """)
    return {(whole(one), whole(other)): (whole(n), text(name)) for one, other, n, name in rows}


def put_together(parts: Iterable[Shared]) -> Shared:
    """What parts of the questions share, of all of them."""
    total: dict[tuple[int, int], tuple[int, str]] = {}
    for part in parts:
        for files, (count, name) in part.items():
            before, first = total.get(files, (0, name))
            total[files] = before + count, min(first, name)
    return total


def refuse(suite: AnySuite, sources: tuple[Source, ...], shared: Shared) -> None:
    """Raises if files share answers, and names the two that share most."""
    if not shared:
        return
    (one, other), (count, name) = max(shared.items(), key=lambda pair: pair[1][0])
    names = sources[0].made_of or [source.name for source in sources]
    more = f" and {counted(count - 1, 'more question')}" if count > 1 else ""
    keep = next((each.choices for each in declared(suite.options) if each.name == "keep"), ())
    ways = ["give one of the two"]
    if "last" in keep:
        ways.append("say with --keep last or first which line counts")
    if any(each.arms for each in suite.inputs) and suite.compared:
        ways.append("put them side by side with --system NAME=FILE")
    if "all" in keep:
        ways.append("count the lines of both with --keep all")
    *most, last = ways
    says = f"{', '.join(most)}, or {last}" if most else last
    raise InputError(f"{names[one]} and {names[other]} both answer {shown(name)}{more}: {says}")
