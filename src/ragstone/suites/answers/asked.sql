-- What must be looked for in which claim: the scored lines whose question has typed answers, nuggets or
-- something that must not be said. A claim of white space holds nothing, so it is not asked.
create or replace temp table asked_{trace} as
select
    trace.rowid as trace_row,
    gold.qid,
    gold.gold_answer,
    gold.nuggets,
    gold.must_not,
    gold.question,
    trace.claim,
from {trace} as trace
join gold on gold.qid = trace.qid
where (gold.gold_answer is not null or gold.nuggets is not null or gold.must_not is not null)
    and trace.claim is not null and not blank(trace.claim)
    and trace.rowid not in (select trace_row from dropped_{trace})
