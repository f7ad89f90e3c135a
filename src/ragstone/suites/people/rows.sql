-- One row per labelled answer of a system: the gate's verdict beside what people said, and the rule that
-- decided it.
with
judged as (
    select
        rows.*,
        labels.system as labelled_system,
        case
            when missing then 'missing'
            when refused then 'refused'
            when {right} then 'right'
            else 'wrong'
        end as gate,
        meant.said as people,
    from answers_rows as rows
    join labels on labels.qid = rows.qid and {labelled}
    join meant on meant.label = labels.label
    where rows.arm = {arm}
)
select
    '' as arm,
    judged.qid,
    judged.labelled_system as system,
    judged.trace_row,
    judged.gate,
    judged.people,
    judged.missing,
    case people
        when 'correct' then gate = 'right'
        when 'incorrect' then gate = 'wrong'
        else gate = 'refused'
    end as agree,
    case gate
        when 'missing' then 'no answer'
        when 'refused' then 'a refusal'
        when 'right' then concat_ws(', ',
            case when phrased then 'contained' || coalesce(': ' || {accepted}, '')
                else 'nothing expected' end,
            case when judged.evidenced then 'cited' end,
            case when hedged then 'hedged' end)
        else concat_ws(', ',
            case when not judged.answerable then 'not answerable' end,
            case when not contained then 'not contained' end,
            case when forbidden then 'forbidden' end,
            case when not cited then 'not cited' end)
    end as rule,
    coalesce(trace.claim, '') as claim,
    gold.gold_answer,
    gold.nuggets,
    gold.must_not,
    gold.question,
    {accepted} as accepted_by,
from judged
join gold on gold.rowid = judged.gold_row
left join {trace} as trace on trace.rowid = judged.trace_row
