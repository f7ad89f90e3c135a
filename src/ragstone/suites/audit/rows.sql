-- One verdict row per trace: what can be said of it without gold.
with
named as (
    select
        trace.rowid as trace_row,
        coalesce(trace.trace_id, trace.qid, lines.name) as qid,
        trace.*,
    from {trace} as trace
    left join unnamed_{trace} as lines on lines.trace_row = trace.rowid
),
ended as ({ends})
select
    {arm} as arm,
    qid,
    trace_row,
    empty,
    refused,
    shipped,
    shipped and case when holds_token(folded) then true else other_pack_refuses(folded) end
        as near_refused,
    len(cites) > 0 as cited,
    not getvariable('scope') or has_all(seen, cites) as scoped,
    case
        when spoken is null then (len(cites) = 0)::int::double
        else len(list_filter(spoken, lambda sentence: coalesce(len(sentence.citations), 0) = 0))::double
            / len(spoken)
    end as uncited,
    len(locked) > 0 as constrained,
    case
        when not constrained then true
        else same_set(
                list_transform(echo, lambda c: strip(c)), list_transform(locked, lambda c: strip(c))
            )
            and trace_row not in (select trace_row from contradicted_{trace})
    end as echoed,
    latency_ms,
    cost_usd,
    judge,
    {differs}
from ended
