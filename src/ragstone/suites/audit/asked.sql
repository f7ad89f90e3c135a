-- Questions that were asked more than once, by their folded text, with the traces that asked them and how
-- these ended: an empty answer is neither a refusal nor an answer. A question goes by the first of its
-- traces by name, so that the order of the lines does not matter.
create or replace temp table asked_{trace} as
with
folded as materialized (
    select trace_row, qid, question, refused, shipped, folded(question) as folded
    from ended_{trace}
    where not blank(question)
),
-- most questions are asked once, and to put their traces in order takes longer than to count them
again as (
    select folded from folded group by folded having count(*) > 1
)
select
    folded,
    row_number() over (order by min(trace_row)) as place,
    min(qid) as qid,
    arg_min(question, row(qid, trace_row)) as question,
    arg_min(trace_row, row(qid, trace_row)) as trace_row,
    list(trace_row order by trace_row) as asked,
    bool_or(refused) and bool_or(shipped) as differ_in_refusal,
from folded
where folded in (from again)
group by folded
