"""What a suite is, a run of it while it is under way, and what the run came to.

A suite is a frozen value that names its inputs, options, rows, metrics and what it shows.
`suites/evaluate.py` carries any suite from inputs to outcome in one order; a suite supplies the
pieces and never the order. No two of these values are ever compared, and every method that a
dataclass makes is compiled at every start: so they are made without those for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from ragstone.contracts.record import FieldMap, Record
from ragstone.gates.gate import Judged, Status
from ragstone.gates.judge import Gates
from ragstone.gates.main_question import MainQuestion
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.gathered import Gathered, Listing
from ragstone.suites.option_fields import Declared, declared
from ragstone.suites.options import Options
from ragstone.suites.statements import sql_of
from ragstone.suites.surveys import OnSpark

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.content_hash import ContentSum
    from ragstone.engine.duck import Duck
    from ragstone.measure.arm_differences import Comparison, Differing
    from ragstone.report.document.blocks import Block, Finding, Json, Offender
    from ragstone.report.document.question_list import QuestionList
    from ragstone.suites.signs import Rule
    from ragstone.suites.slices import LeftOut
    from ragstone.suites.waivers import Waived

O = TypeVar("O", bound=Options)  # noqa: E741 (the usual letter for options)

Numbers = dict[str, Measured]
GateWords = list[tuple[str, str]]
"""Gates as they are written: a metric's name and its limit."""
Judge = Callable[["Work[O]", str, Numbers, Gates, str], tuple[Judged, ...]]
"""From the work, an arm, its numbers, the gates and the slice's name to the verdicts."""
Intervals = Callable[["Work[O]", str, str, dict[str, Numbers]], dict[str, Numbers]]
"""From the work, a table of rows, a grouping expression and the numbers by group to the same."""


# What is not read line by line as JSON, such as a TREC run, has no fields.
NO_RECORD = Record("", "", ())


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Input:
    """One input of a suite: its flag, its key in ragstone.toml, its record and its projection.

    `select` are the SQL files of the projection, with `parts` in them: the table has exactly these
    columns, and the content hash covers exactly these; those that are `rare` are null in most
    inputs, and those that were `added` leave the hash of rows without them as it was. `unique`
    names the key that no two lines may share (that are equal `within` another field, where one is
    named); of an input that `keeps`, `--keep` says which lines of a question count. No two files
    may hold the same `answer_key`, which is SQL over the table (`several_files.py`). `shared`
    inputs may also stand under [paths]. An input with `arms` is what an arm did: where there are
    several such inputs each is an arm, and `--system NAME=FILE` makes an arm of each name. Of an
    input that is `apart` each file that is named is an arm of its own, called like the file. A
    `frozen` input is gold: where a lock lies beside its file, it is scored only as it was frozen.
    """

    name: str
    says: str
    record: Record = NO_RECORD
    select: str | tuple[str, ...] = ""
    rare: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    many: bool = False
    single: bool = False
    required: bool = True
    shared: bool = False
    unique: str = ""
    within: str = ""
    filled: bool = False
    ordered: bool = True
    arms: bool = False
    apart: bool = False
    positional: bool = False
    unknown: Literal["count", "error"] = "count"
    keeps: bool = False
    answer_key: tuple[str, ...] = ()
    frozen: bool = False
    key: str = ""
    noun: str = ""

    @property
    def translated(self) -> str:
        """What a format must read for another tool's files to be this input; "" if none can."""
        return {"trace": "traces", "run": "traces", "gold": "gold"}.get(self.record.name, "")

    @property
    def file_key(self) -> str:
        """The key in the suite's table of ragstone.toml."""
        return self.key or self.name


@dataclass(frozen=True, eq=False, repr=False)
class Check:
    """A yes/no fact about a row: `holds` is its column, `failed` when a row should have met it and
    did not, both SQL over the verdict row. `says` is what is wrong with a row that fails it."""

    holds: str
    failed: str
    says: str


@dataclass(frozen=True, eq=False, repr=False)
class Arm:
    """Whose rows they are: a system, a run, live or shadow, a configuration at a load.

    `table` is the engine's table with what this arm did; `sources` are the files it was read from.
    A `reference` is only compared with: it is measured, but neither judged nor shown.
    """

    name: str
    table: str = ""
    sources: tuple[Source, ...] = ()
    reference: bool = False


@dataclass(eq=False, repr=False)
class Work(Generic[O]):
    """One run of a suite while it is under way: the engine, and what is known so far.

    `arms` are whose rows there are; a suite that learns them from its files sets them in `read`.
    `baseline` is the arm that others are compared with, `shown` the one whose numbers are at the
    top of the report, and `judged` are those that gates decide on; those of the gates that are
    `optional` (the defaults) may have nothing to test. `lines` are those of the inputs
    and `sums` their content, by table, which are gathered from all parts of the questions where
    they are scored in parts (`parted`); why a suite finds that it cannot score its inputs so is
    `undivided`. `counts` say what became of the lines. `part` is a
    condition on the qid while the gates of a slice are judged; `unfrozen` says that gold is
    not as it was frozen and is looked at all the same, and `waiving` that the tables are without
    those of waived questions at the moment. `listing` says that all questions are to be listed, and
    how.
    """

    suite: Suite[O]
    duck: Duck
    options: O
    sources: Mapping[str, tuple[Source, ...]]
    arms: tuple[Arm, ...] = ()
    baseline: str = ""
    shown: str = ""
    judged: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    part: str = "true"
    gathered: Gathered = field(default_factory=Gathered)
    counts: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    notice: str = ""
    notes: dict[str, Any] = field(default_factory=dict)
    parted: bool = False
    undivided: str = ""
    unfrozen: bool = False
    waiving: bool = False
    listing: Listing | None = None

    @property
    def lines(self) -> dict[str, int]:
        return self.gathered.lines

    @property
    def sums(self) -> dict[str, ContentSum]:
        return self.gathered.sums

    def arm(self, name: str) -> Arm:
        return next(arm for arm in self.arms if arm.name == name)

    def mapping(self, record: Record) -> FieldMap:
        """Where the user says that fields of this record are read from."""
        return self.options.mapping(record)

    def add_rows(self, select: str) -> None:
        """Adds what a statement selects to the table `rows`, which the first arm makes."""
        self.duck.fill("rows", select)

    def sql(self, file: str, /, **parts: str) -> str:
        """A statement of the suite's folder, or of another's (`answers/gold.sql`), filled in."""
        if "/" in file:
            folder, _, file = file.partition("/")
            return sql_of(f"ragstone.suites.{folder}", file, **parts)
        return sql_of(self.suite.package, file, **parts)


def own_gates(metrics: tuple[Metric, ...], options: Options) -> GateWords:
    """The default gates: those that the declarations of the metrics name."""
    return [(metric.name, metric.gate) for metric in metrics if metric.gate is not None]


@dataclass(frozen=True, eq=False, repr=False)
class Costly:
    """The rows that cost most, as many as are shown, and how many there are in all."""

    rows: tuple[Offender, ...] = ()
    total: int = 0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Outcome(Generic[O]):
    """Every number of a run, before it is rendered.

    `inputs` are the counts and content hashes of what came in. `measured` goes from arm to metric,
    `slices` from field to arm to value to metric; of a field with very many values,
    `slices_left_out` counts those that are not there. Where questions are waived, `gated` are the
    numbers without them, from arm to metric, which the gates are judged on, and `gates_on_all` the
    same gates over every row, by which rows are charged; `waived` lists every waiver. Where no gate
    has tested what the suite is there to answer, `lacks` says so. `offending`
    has the qids of the first offenders of each gate that did not pass. `questions` lists all of
    them, where somebody asked for that. `files` are the files of
    each arm, whose paths no report shows. `facts` are what the suite adds for its own page.
    """

    suite: Suite[O]
    options: O
    metrics: tuple[Metric, ...]
    arms: tuple[str, ...]
    baseline: str
    shown: str
    inputs: Mapping[str, Json]
    measured: Mapping[str, Numbers]
    gates: tuple[Judged, ...] = ()
    gated: Mapping[str, Numbers] = field(default_factory=dict)
    gates_on_all: tuple[Judged, ...] = ()
    waived: tuple[Waived, ...] = ()
    lacks: str = ""
    slices: Mapping[str, Mapping[str, Mapping[str, Numbers]]] = field(default_factory=dict)
    slices_left_out: Mapping[str, LeftOut] = field(default_factory=dict)
    comparisons: tuple[Comparison, ...] = ()
    judge_comparisons: tuple[Comparison, ...] = ()
    differing: tuple[Differing, ...] = ()
    offenders: Costly = field(default_factory=Costly)
    offending: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    questions: QuestionList | None = None
    files: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    notice: str = ""
    unfrozen: bool = False
    digest: str = ""

    @property
    def settings(self) -> dict[str, object]:
        """The effective options; that gold is not as it was frozen is one of them."""
        return {**self.options.settings(), **({"unfrozen": True} if self.unfrozen else {})}

    @property
    def first(self) -> Numbers:
        """The numbers at the top of the report."""
        return self.measured[self.shown]

    @property
    def several(self) -> bool:
        return len(self.arms) > 1


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Suite(Generic[O]):
    """One kind of evaluation, declared.

    `main` is the question that it is there to answer: without a tested gate on it, nothing ships.
    The steps that differ between suites are functions over `Work`, called in this order: `read`
    (where the inputs are not plain records, one table each), `rows` (fills `rows(arm, qid, ...)`
    for one arm), `concludes` (counts and warnings, once the rows of every question are there),
    `late_gates` (the default gates once it is known what the inputs hold),
    `intervals` (gives measured numbers other intervals than their declarations do,
    from the rows of a table by group), `known` (takes out numbers that an arm cannot show), `first`
    (the arm whose numbers are at the top of the report, where the numbers decide that), `judge`
    (where a gate is more than a threshold on a number; it reads tables that metrics are over, and
    no others: these are without waived questions), `facts` (what else the page shows, while
    the engine is open).
    Every table that a metric is over has a `qid`; those whose rows put several questions together
    are named in `made_of_rows`, with what makes them of the rows that there are. A suite whose
    rows can be made of a part of the questions at a time is scored `in_parts` where memory is
    short: `rows` then gathers what `concludes` needs to know of all of them. One that
    can be scored on Spark as well says in `on_spark` what an engine needs for it. Where
    questions that came out alike are put together (`suites/condense.py`), so are the rows of the
    tables that are `also_counted`; columns that are `only_shown` do not make a difference, and
    those that are `only_measured` none to what a list shows. `lines_in_parts` selects the lines of
    a table that are divided, with their order (`line`) and what they are divided by (`unit`), where
    that is not the qid; `views` makes again what the suite views in tables of inputs. Of a
    suite that `lists_all` questions none are put together. Tables that are `tallied` are not of
    questions: their rows add up as they are.
    `choose` is for inputs that come in one of several ways: it says which of them count, from those
    of the command line, of the suite's table and of the whole file. `fullest` are the options under
    which every metric is there, for those who ask what there is. `given_metrics` is for metrics
    that depend on which inputs are given; it sees the work before anything is read.
    `found_metrics` are those that only the rows can name, such as the scores of other tools.
    `came_in` words the counts and hashes of the inputs where the usual list does not do. `shows`,
    `figures`, `data`, `warns` and `settings` (what these say beyond the options) read the finished
    outcome and nothing else.

    `checks` name the yes/no facts of a row. Rows are charged with the metrics in `told` (None:
    with every metric) and with those that are gated, or whose gate failed, as `charges` says; of
    rows that fail equally many gates, the least by `worst_first` come first. `offender` is the SQL
    file that selects what a person sees of such a row. `lines` are thresholds by which readings
    call a metric low or high that has no gate. `slices_of` is the input whose fields rows can be
    sliced by, `answered_in` the one with what the pipeline did, where a question has one line of
    it. `asks` is the text of an item's question, as SQL; "" where items have none. `slice_key` is
    the column by which a row finds its item in the first. `arm_word` is what an
    arm is called ("" where the suite shows its arms itself), `row_word` what rows are. `compared`
    are the metrics that arms are compared in, and `apart` the index of the one that says in which
    questions they differ most; `arm_figures` are the plain numbers of one of several arms. Gates on
    means are `judged_on_worst` where every question has to meet the limit, and not their mean.

    For comparing saved rows: `row_texts` is the SQL file that selects what was said, retrieved and
    wanted; `right` is the SQL over the row that says whether it is right (null: it is not judged),
    and the first of `steps` that does not hold is where a row that is wrong was lost;
    `settled_by` names, for a setting, the columns of the row that it decides. `rare_columns` are
    further columns of the row that this run saves.
    """

    name: str
    package: str
    options: type[O]
    inputs: tuple[Input, ...]
    main: MainQuestion
    metrics: Callable[[O], tuple[Metric, ...]]
    rows: Callable[[Work[O], Arm], None]
    concludes: Callable[[Work[O]], None] | None = None
    fullest: Mapping[str, Any] = field(default_factory=dict)
    given_metrics: Callable[[Work[O]], tuple[Metric, ...]] | None = None
    found_metrics: Callable[[Work[O]], tuple[Metric, ...]] | None = None
    choose: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]] | None = None
    default_gates: Callable[[tuple[Metric, ...], O], GateWords] = own_gates
    read: Callable[[Work[O]], None] | None = None
    late_gates: Callable[[Work[O], GateWords], GateWords] | None = None
    intervals: Intervals[O] | None = None
    known: Callable[[Work[O], str, Numbers], Numbers] | None = None
    first: Callable[[Work[O], Mapping[str, Numbers]], str] | None = None
    judge: Judge[O] | None = None
    made_of_rows: Mapping[str, Callable[[Work[O]], None]] = field(default_factory=dict)
    in_parts: bool = False
    on_spark: OnSpark | None = None
    lines_in_parts: Callable[[Work[O], str], str] | None = None
    views: Callable[[Work[O]], None] | None = None
    also_counted: tuple[str, ...] = ()
    only_shown: tuple[str, ...] = ()
    only_measured: tuple[str, ...] = ()
    lists_all: bool = False
    tallied: tuple[str, ...] = ()
    came_in: Callable[[Work[O]], dict[str, Json]] | None = None
    facts: Callable[[Work[O], Outcome[O]], Mapping[str, Any]] | None = None
    counterpart: Callable[[Work[O], str], str | None] | None = None
    checks: Mapping[str, Check] = field(default_factory=dict)
    row_order: tuple[str, ...] = ("qid",)
    worst_first: tuple[str, ...] = ()
    told: tuple[str, ...] | None = None
    charges: Literal["gated", "failed"] = "gated"
    offender: str = ""
    row_texts: str = ""
    rare_columns: Callable[[Work[O]], tuple[str, ...]] | None = None
    right: Callable[[O], str] | None = None
    steps: Mapping[str, str] = field(default_factory=dict)
    settled_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    readings: tuple[Rule, ...] = ()
    lines: Mapping[str, str] = field(default_factory=dict)
    cluster: Callable[[O], str | None] | None = None
    compared: Callable[[tuple[Metric, ...]], tuple[Metric, ...]] | None = None
    apart: int = 0
    judged_on_worst: bool = False
    arm_word: str = "system"
    row_word: str = "questions"
    slices_of: str = "gold"
    asks: str = ""
    slice_key: str = "qid"
    slice_columns: tuple[str, ...] = ()
    answered_in: str = "trace"
    shows: Callable[[Outcome[O]], list[Block]] | None = None
    figures: Callable[[Outcome[O]], dict[str, float | int | None]] | None = None
    arm_figures: Callable[[Outcome[O], str], dict[str, float | int | None]] | None = None
    data: Callable[[Outcome[O]], dict[str, Json]] | None = None
    warns: Callable[[Outcome[O]], list[str]] | None = None
    settings: Callable[[Outcome[O]], dict[str, Json]] | None = None
    verdicts: Mapping[Status | None, str] = field(default_factory=dict)
    table: str | None = ""
    example: str = ""

    @property
    def file_table(self) -> str | None:
        """The suite's table in ragstone.toml; None where the file cannot name it."""
        return self.name if self.table == "" else self.table

    @property
    def own_options(self) -> tuple[Declared, ...]:
        """Every option; an input of the same name (`baseline` of latency) takes its place.

        What says that an input is to be translated is there where there is such an input.
        """
        inputs = {each.name for each in self.inputs}
        known = {"", *(each.translated for each in self.inputs)}
        known |= {"either"} if len(known) > 1 else set()
        return tuple(
            each
            for each in declared(self.options)
            if each.name not in inputs and each.option.translates in known
        )

    def input(self, name: str) -> Input:
        return next(each for each in self.inputs if each.name == name)


AnySuite = Suite[Any]
