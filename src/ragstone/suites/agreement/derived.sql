-- Two deterministic validators, from the verdict rows of the answers suite. The scholar asks whether
-- the answer is right; the auditor, who does not read it, whether it keeps the rules.
with
judged as (
    select
        rows.*,
        coalesce(trace.citations, []) as citations,
        coalesce(trace.retrieved, []) as retrieved,
        -- an answer rests on something, unless gold knows of no evidence
        coalesce(trace.citations, []) <> [] or gold.gold_citations = [] as sourced,
        -- a refusal is the bare token, and cites nothing
        not near_refusal and (not refused or coalesce(trace.citations, []) = []) as templated,
    from answers_rows as rows
    join gold on gold.rowid = rows.gold_row
    left join trace on trace.rowid = rows.trace_row
)
select
    qid,
    case
        when missing then 'ABSTAIN'
        when refused then 'NOT_IN_CONTEXT'
        when answerable and contained and cited and not forbidden then 'VALID'
        else 'REJECT'
    end as scholar,
    case
        when missing then 'ABSTAIN'
        when refused and templated then 'NOT_IN_CONTEXT'
        when shipped and scoped and sourced and intact and templated then 'VALID'
        else 'REJECT'
    end as auditor,
    case scholar
        when 'ABSTAIN' then 'no answer'
        when 'NOT_IN_CONTEXT' then 'refused'
        when 'VALID' then 'contained and cited'
        else concat_ws(', ',
            case when not answerable then 'not answerable' end,
            case when not contained then 'not contained' end,
            case when forbidden then 'says what it must not' end,
            case when not cited then 'not cited' end)
    end as scholar_reason,
    case auditor
        when 'ABSTAIN' then 'no answer'
        when 'NOT_IN_CONTEXT' then 'refused'
        when 'VALID' then 'in scope, sourced, constraints kept, template kept'
        else concat_ws(', ',
            case when not scoped then 'scope' end,
            case when not sourced then 'provenance' end,
            case when not intact then 'constraints' end,
            case when not templated then 'template' end)
    end as auditor_reason,
    citations,
    -- without scope, what is cited need not have been retrieved
    case when getvariable('scope') then retrieved else citations end as retrieved,
    shipped and (not sourced or not intact) as flagged,
from judged
