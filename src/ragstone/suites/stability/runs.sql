-- One row per run with its checks, questions in order; a question without runs has one empty row.
select
    rows.qid,
    rows.answerable,
    rows.constrained,
    trace.run_id,
    trace.seed,
    trace.jitter,
    rows.missing,
    rows.refused,
    rows.contained and not rows.missing as contained,
    rows.cited and not rows.missing as cited,
    rows.intact,
    coalesce(trace.claim, '') as claim,
    case when rows.missing then [] else trace.citations end as citations,
from rows
left join trace on trace.rowid = rows.trace_row
order by rows.qid, try_cast(trace.seed as bigint), trace.seed, trace.jitter, trace.run_id
