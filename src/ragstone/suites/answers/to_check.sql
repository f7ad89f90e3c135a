-- Every shipped answer, as its sentences are looked up.
select
    rows.trace_row,
    rows.qid,
    coalesce(trace.claim, '') as claim,
    trace.claims,
    trace.citations as cites,
    trace.retrieved as seen,
    null::varchar[] as text_ids,
    null::varchar[] as own_texts,
from rows
join {trace} as trace on trace.rowid = rows.trace_row
where rows.arm = {arm} and rows.shipped
