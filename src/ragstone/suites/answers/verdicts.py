"""The checks of an answer, row by row: for answers, and for the suites that judge answers too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ragstone.contracts.diagnose import Rules
from ragstone.engine.duck import Duck, quoted
from ragstone.engine.fold import install
from ragstone.engine.read_lines import Loading, list_problems
from ragstone.matching.characters import DIGITS, SPACELESS
from ragstone.matching.phrases import FIGURE, FLOOR
from ragstone.progress import counting
from ragstone.suites.answers.floor import type_short_phrases
from ragstone.suites.answers.refusal_rules import REFUSAL, install_refusals, refusal_rules
from ragstone.suites.answers.row_parts import Asked, asked_of
from ragstone.suites.declaration import Arm, Input, O, Work
from ragstone.suites.inputs import TRACED, content_of, is_repeated
from ragstone.suites.several_files import must_answer_once
from ragstone.suites.statements import sql_of
from ragstone.suites.support.support_tables import make_tables

if TYPE_CHECKING:
    from ragstone.suites.answers.inline_markers import Markers, Said

Missing = Literal["fail", "answered"]
Keep = Literal["last", "first", "error", "all"]
Decimal = Literal[".", ","]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Judging:
    """How answers are judged; what each means is said where it is an option."""

    k: int = 5
    missing: Missing = "fail"
    keep: Keep = "last"
    scope: bool = True
    refusal: tuple[str, ...] = (REFUSAL,)
    decimal: Decimal = "."
    rules: tuple[tuple[str, str], ...] = ()
    cite_pattern: str | None = None
    cite_base: int = 1

    def __post_init__(self) -> None:
        refusal_rules(self.refusal)
        _ = self.markers
        if self.rules:
            from ragstone.suites.answers.scu import Rule, compile_rules

            compile_rules([Rule(*pair) for pair in self.rules])

    @property
    def markers(self) -> Markers | None:
        """How citations stand in the text of an answer, if they do."""
        if self.cite_pattern is None:
            return None
        # Few logs need it, and it needs the engine of patterns.
        from ragstone.suites.answers.inline_markers import Markers

        return Markers(self.cite_pattern, self.cite_base)

    def read_markers(self, duck: Duck, trace: str, said: Said | None = None) -> None:
        """Turns the markers in a table's texts into citations, if there are any to read."""
        if self.markers is not None:
            from ragstone.suites.answers.inline_markers import read_markers

            read_markers(duck, trace, self.markers, said)


def join_by_question(work: Work[O], given: Input, arm: Arm, keep: Keep) -> None:
    """Gives traces without a qid that of their question; under --keep error, no question has two
    traces, and without --keep none has any in two files."""
    asked: dict[str, str] = {}
    if work.duck.count(f"select count(asked) from {arm.table}"):
        work.duck.run(_sql("older.sql", trace=arm.table))
        found = work.duck.query(
            f"select distinct asked, qid from {arm.table} "
            "where asked is not null and qid is not null"
        )
        asked = {str(question): str(qid) for question, qid in found}
    if keep == "error" and is_repeated(work.duck, arm.table, "qid"):
        mapping, rules = work.mapping(given.record), Rules("qid", TRACED, asked=asked)
        loading = Loading(given.record, arm.sources, "", "", mapping, rules=lambda: rules)
        list_problems(work.duck, loading)
    must_answer_once(work, given, arm.table, arm.sources)


def prepare(duck: Duck, how: Judging) -> None:
    """The macros and variables that the checks read, and the table `rows` without a row."""
    install(duck)
    # No list is longer than an integer of DuckDB can say.
    duck.set(k=min(how.k, 2**31), missing=how.missing, scope=how.scope, decimal=how.decimal)
    classes = {"spaceless": SPACELESS, "digits": DIGITS, "figure": FIGURE.replace("'", "''")}
    duck.define(_sql("macros.sql", floor=str(FLOOR), **classes))
    install_refusals(duck, how.refusal)
    make_tables(duck)


def verdict_rows(duck: Duck, trace: str, how: Judging, arm: str = "", into: str = "rows") -> Asked:
    """Adds one verdict row per question (per line under --keep all) to the table `into`.

    Says what of the inputs was there to be looked at.
    """
    how.read_markers(duck, trace)
    _dropped(duck, trace, how.keep)
    asked = asked_of(duck, trace)
    if asked.short and type_short_phrases(duck, "gold"):
        asked = replace(asked, expected=True)
    locked = f"""
        select trace.rowid, gold.constraints, trace.claim
        from gold join {trace} as trace using (qid)
        where gold.constraints <> [] and trace.claim is not null
    """
    mark_contradicted(duck, trace, locked if asked.locked else "", how.rules)
    if asked.expected:
        # Many gold sets expect phrases alone.
        from ragstone.suites.answers.typed_answers import judge_typed

        judge_typed(duck, trace, how.decimal)
    with duck.ordering(False), duck.joining_as_written():
        duck.fill(into, asked.parts_of(_sql("rows.sql", trace=trace, arm=quoted(arm))))
    return asked


def sum_scored(work: Work[O], given: Input, arm: Arm, asked: Asked) -> None:
    """The content of the lines that were scored; of the others only their number counts."""
    kept = f"rowid not in (select trace_row from dropped_{arm.table})"
    work.sums[arm.table] = content_of(work.duck, given, arm.table, kept, without=not asked.scores)


def _dropped(duck: Duck, trace: str, keep: Keep) -> None:
    """The table of lines that are not scored."""
    stays = "min" if keep == "first" else "max"
    repeats = "false" if keep == "all" else "count(*) > 1"
    duck.run(_sql("dropped.sql", trace=trace, stays=stays, repeats=repeats))


def mark_contradicted(
    duck: Duck, trace: str, locked: str, given: tuple[tuple[str, str], ...]
) -> None:
    """The table of lines that contradict: `locked` selects row, constraints and claim of each, or
    is "" where nothing is locked.

    Words that take a statement back are looked for around each match, which SQL cannot, so the few
    lines with constraints are judged in Python.
    """
    duck.define(f"create or replace temp table contradicted_{trace} (trace_row bigint)")
    found = duck.query(locked) if locked else ()
    if not found:
        return
    # Few gold sets lock constraints, and the rules are a large table of patterns.
    from ragstone.suites.answers.scu import DEFAULT_RULES, Rule, compile_rules

    rules = compile_rules([*DEFAULT_RULES, *(Rule(*pair) for pair in given)])
    rows = [
        row
        for row, constraints, claim in counting(found, "", "rows")
        if isinstance(constraints, list)
        and rules.contradiction(constraints, str(claim)) is not None
    ]
    if rows:
        duck.run(f"insert into contradicted_{trace} select unnest($rows)", {"rows": rows})


def _sql(file: str, /, **parts: str) -> str:
    return sql_of("ragstone.suites.answers", file, **parts)
