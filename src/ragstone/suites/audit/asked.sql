-- Questions that were asked more than once, by their folded text, with the traces that asked them and how
-- these ended: an empty answer is neither a refusal nor an answer.
create or replace temp table asked_{trace} as
select
    strip(fold(trace.question)) as folded,
    row_number() over (order by min(rows.trace_row)) as place,
    min(rows.qid) as qid,
    arg_min(trace.question, rows.trace_row) as question,
    min(rows.trace_row) as trace_row,
    list(rows.trace_row order by rows.trace_row) as asked,
    bool_or(rows.refused) and bool_or(rows.shipped) as differ_in_refusal,
from rows
join {trace} as trace on trace.rowid = rows.trace_row
where rows.arm = {arm} and not blank(trace.question)
group by folded
having count(*) > 1
