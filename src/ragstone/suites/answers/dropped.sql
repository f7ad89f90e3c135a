-- The lines that are not scored, and why. {stays} is max or min: which line of a qid is scored; under
-- --keep all no line repeats another.
create or replace temp table dropped_{trace} as
with
repeated as (
    select qid, {stays}(rowid) as stays
    from {trace} as trace
    where qid is not null
    group by qid
    having {repeats}
)
select rowid as trace_row, 'no_qid' as why
from {trace} as trace
where qid is null and asked is null
union all
select rowid, 'unknown_qid'
from {trace} as trace
where coalesce(qid, asked) is not null and coalesce(qid not in (select qid from gold), true)
union all
select trace.rowid, 'superseded'
from {trace} as trace
join repeated on repeated.qid = trace.qid
where trace.rowid <> repeated.stays and trace.qid in (select qid from gold)
