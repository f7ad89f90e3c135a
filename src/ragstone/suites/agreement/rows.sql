-- One row per item with its arbitration: the first rule that matches decides.
with
ruled as (
    select
        '' as arm,
        *,
        scholar = auditor as agree,
        scholar = 'ABSTAIN' or auditor = 'ABSTAIN' as abstained,
        case
            when flagged then 'hard_flag'
            when not list_has_all(retrieved, citations) then 'citation_out_of_scope'
            when scholar = 'NOT_IN_CONTEXT' and auditor = 'NOT_IN_CONTEXT' then 'agreed_refusal'
            when auditor <> 'VALID' then 'auditor_veto'
            when scholar = 'VALID' then 'auditor_ok'
            else 'incoherent_pair'
        end as why,
    from pairs
)
select
    *,
    row_number() over (
        order by qid, scholar, auditor, scholar_reason, auditor_reason, citations, retrieved
    ) as place,
    case why
        when 'agreed_refusal' then 'NOT_IN_CONTEXT'
        when 'auditor_ok' then 'VALID'
        else 'REJECT'
    end as final,
from ruled
