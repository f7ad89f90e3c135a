"""From the records of closed minutes to rows that add up: judged by the suites' own SQL.

The rows of a minute are what a suite keeps of questions: records that came out alike are one row
with how many `times` there are. Those of any minutes are put together by adding them up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.contracts.records.live_record import LIVE_KEY
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, quoted, text, whole
from ragstone.measure.metric import Metric
from ragstone.scratch import keep
from ragstone.serve.batch_reader import as_line
from ragstone.serve.live_metrics import STAGES
from ragstone.serve.stored_lines import value_of
from ragstone.serve.top_ten import TopTens
from ragstone.suites.declaration import AnySuite, Arm, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.options import Options
from ragstone.suites.registry import find_suite

_LONGEST = 64 * 1024 * 1024
# Columns of verdict rows that name a row, or that no metric of a window reads.
_ASIDE = ("arm", "qid", "gold_row", "trace_row", "judge", "latency_ms")


@dataclass(frozen=True, slots=True)
class Line:
    """A record of a window: when it was, its id, and the trace that it is, as JSON."""

    moment: int
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Unwatched:
    """A gate that no window can judge, such as `answers.support`, and why.

    Without a verdict on one that is `required` not all is well.
    """

    name: str
    why: str
    required: bool

    def __str__(self) -> str:
        return f"the gate {self.name} is not judged live: {self.why}"


@dataclass(frozen=True, slots=True)
class Judging:
    """How records are judged: the options of the suites, and the gold set if there is one.

    `metrics` are those by gold that can be measured over the minutes of a window, and `unwatched`
    are the gates that only a run can judge.
    """

    audit: Options
    answers: Options | None = None
    gold: tuple[Source, ...] = ()
    asked: tuple[tuple[str, str], ...] = ()
    metrics: tuple[Metric, ...] = ()
    unwatched: tuple[Unwatched, ...] = ()


def score_lines(lines: Iterable[Line], judging: Judging, tops: TopTens, folder: Path) -> list[Path]:
    """Files with the rows of these records: the audit's with what is live, and the answers'."""
    with Duck(1) as duck:
        if not _judged(duck, lines, judging, tops):
            return []
        made = [_kept(duck, _live_rows(duck), folder)]
        if judging.answers is not None:
            made.append(_kept(duck, _answers_rows(duck), folder))
        return made


def judged_lines(duck: Duck, lines: Iterable[Line], judging: Judging) -> bool:
    """Fills the table `judged` with a row for each record; False where there is none."""
    if not _judged(duck, lines, judging, TopTens()):
        return False
    duck.run(f"create temp table judged as {_by_record(duck)}")
    return True


def _judged(duck: Duck, lines: Iterable[Line], judging: Judging, tops: TopTens) -> bool:
    """The tables `rows`, `facts`, `taus` and `by_gold` of records; False where there are none."""
    source = _written(duck, lines, dict(judging.asked))
    if not duck.count("select count(*) from placed"):
        return False
    _facts(duck, source, tops)
    named = (Source("live", source),)
    if judging.answers is not None:
        with Duck(1) as other:
            gold = {"gold": judging.gold, "trace": named}
            _judge(other, find_suite("answers"), judging.answers, gold, named)
            select = "select * from rows where trace_row is not null"
            verdicts = _kept(other, select, duck.scratch)
        duck.run(f"create temp table by_gold as from read_parquet({quoted(str(verdicts))})")
    else:
        columns = "trace_row bigint, cited bool, cited_gold bigint, answerable bool"
        duck.run(f"create temp table by_gold ({columns})")
    _judge(duck, find_suite("audit"), judging.audit, {"trace": named}, named)
    return True


def _written(duck: Duck, lines: Iterable[Line], asked: dict[str, str]) -> Path:
    """The traces in a file, and their places in the table `placed`, in the same order."""
    places: list[bytes] = []

    def every() -> Iterator[bytes]:
        for line in lines:
            places.append(b'{"moment":%d,"id":"%s"}\n' % (line.moment, line.id.encode()))
            yield _with_qid(line.text, asked).encode() + b"\n"

    source = keep(duck.scratch, every())
    told = keep(duck.scratch, places)
    columns = "columns = {moment: 'BIGINT', id: 'VARCHAR'}"
    duck.run(f"create temp table placed as from read_json({quoted(str(told))}, {columns})")
    return source


def _with_qid(line: str, asked: dict[str, str]) -> str:
    """A trace without a qid whose question is one of the gold set, with its qid."""
    if not asked:
        return line
    value = value_of(line)
    qid = asked.get(value.get("q") or "")
    if qid is None or value.get("qid") or value.get("q_id"):
        return line
    return as_line({**value, "qid": qid})


def _facts(duck: Duck, source: Path, tops: TopTens) -> None:
    """What a window knows of each record beyond verdicts, as the table `facts`."""
    names = ("qid", "q_id", "q", "retrieved_ids", "stage_ms", "latency_ms", "answer_json")
    columns = ", ".join(f"'{name}': 'JSON'" for name in (*names, "answer", LIVE_KEY))
    stages = ", ".join(
        f"try_cast(stage_ms->>'$.{stage}' as double) as {stage}_ms" for stage in STAGES[:-1]
    )
    own = f'"{LIVE_KEY}"'
    duck.run(f"""
        create temp table facts as select
            placed.rowid as trace_row, moment, id, (moment // 60000)::bigint as minute,
            coalesce(nullif(qid->>'$', ''), nullif(q_id->>'$', ''), q->>'$', '') as question,
            json_extract_string(retrieved_ids, '$[*]')[:10] as top,
            coalesce(answer_json->>'$.claim', answer_json->>'$.claims', answer->>'$') is not null
                or {own} is null as audited,
            try_cast({own}->>'$.covered' as double) as own_coverage,
            try_cast({own}->>'$.delta_s' as double) as delta_s,
            try_cast({own}->>'$.divergent' as boolean) as divergent,
            {own}->>'$.index_hash' as index_hash,
            coalesce({own}->>'$.build', '') as build,
            {stages},
            try_cast(latency_ms->>'$' as double) as all_ms,
        from read_json({quoted(str(source))}, format = 'newline_delimited',
            columns = {{{columns}}}, maximum_object_size = {_LONGEST}) as lines
        positional join placed
    """)
    found = duck.query("""
        select trace_row, question, top from facts
        where question <> '' and len(top) > 0 order by moment, id
    """)
    taus = (
        b'{"trace_row":%d,"tau":%r}\n' % (whole(row), tau)
        for row, question, top in found
        if (tau := tops.next(text(question), _texts(top))) is not None
    )
    told = keep(duck.scratch, taus)
    columns = "columns = {trace_row: 'BIGINT', tau: 'DOUBLE'}"
    duck.run(f"create temp table taus as from read_json({quoted(str(told))}, {columns})")


def _texts(value: object) -> Sequence[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _judge(
    duck: Duck,
    suite: AnySuite,
    options: Options,
    sources: dict[str, tuple[Source, ...]],
    traces: tuple[Source, ...],
) -> None:
    """The verdict rows of a suite, by its own reading and its own SQL."""
    arm = Arm("", "trace_0", traces)
    work: Work[Options] = Work(suite, duck, options, sources, (arm,))
    (suite.read or read_inputs)(work)
    suite.rows(work, arm)


def _live_rows(duck: Duck) -> str:
    """Every record with its verdicts and what is live, those that are alike as one."""
    aside = "trace_row, moment, id, question, top"
    return f"""
        select * exclude ({aside}), count(*) as times from ({_by_record(duck)})
        group by all order by all
    """


def _by_record(duck: Duck) -> str:
    """Every record with its verdicts and what is live."""
    own = [name for name in duck.columns("rows") if name not in _ASIDE]
    verdicts = ", ".join(f"rows.{name}" for name in own)
    stages = ", ".join(f"{stage}_ms" for stage in STAGES)
    return f"""
        select
            trace_row, moment, id, question, top,
            minute, audited, {verdicts}, all_ms as latency_ms, {stages},
            -- gold knows better than the pipeline what should have been cited
            case
                when by_gold.answerable then (by_gold.cited_gold > 0)::int::double
                else own_coverage
            end as covered,
            case when not rows.cited or (audited and not rows.shipped) then null
                else coalesce(by_gold.cited, rows.scoped) end as accurate,
            delta_s, divergent, index_hash, build, tau
        from rows join facts using (trace_row)
        left join taus using (trace_row) left join by_gold using (trace_row)
    """


def _answers_rows(duck: Duck) -> str:
    own = [name for name in duck.columns("by_gold") if name not in _ASIDE]
    verdicts = ", ".join(f"by_gold.{name}" for name in own)
    joined = "from by_gold join facts using (trace_row)"
    return f"select minute, {verdicts}, count(*) as times {joined} group by all order by all"


def _kept(duck: Duck, select: str, folder: Path) -> Path:
    path = keep(folder, ())
    duck.run(f"copy ({select}) to {quoted(str(path))} (format parquet, use_tmp_file false)")
    return path
