-- The answers that gate and people judge otherwise, with what their verdicts are explained by. Which
-- rule found a refusal takes longer to say than to find one, so only these rows are asked.
with
apart as (
    select * from rows where not missing and not agree
)
select
    qid,
    system,
    gate,
    people,
    case
        when gate = 'refused' then coalesce(refusal_rule(fold(claim), null), 'the trace says so')
        else rule
    end as rule,
    claim,
    gold_answer,
    nuggets,
    must_not,
    question,
from apart
order by qid, system, trace_row
