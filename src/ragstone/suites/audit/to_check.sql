-- Every shipped answer, as its sentences are looked up.
select
    rows.trace_row,
    rows.qid,
    coalesce(trace.said, '') as claim,
    trace.spoken as claims,
    trace.cites,
    trace.seen,
    trace.text_ids,
    trace.own_texts,
from rows
join {trace} as trace on trace.rowid = rows.trace_row
where rows.arm = {arm} and rows.shipped
