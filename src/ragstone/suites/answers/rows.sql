-- One verdict row per question (per line under --keep all): every check of the spec, computed once.
create temp table rows as
with
-- the lines that are scored, by the --keep policy
kept as (
    select rowid as trace_row, qid, claim, citations, retrieved, echo
    from trace
    where qid is not null and case getvariable('keep')
        when 'last' then rowid in (select max(rowid) from trace group by qid)
        when 'first' then rowid in (select min(rowid) from trace group by qid)
        else true
    end
),
-- what was said beside what should have been said; no trace and no claim are the same: missing
said as (
    select
        gold.rowid as gold_row,
        kept.trace_row,
        gold.qid,
        gold.answerable,
        gold.substrings,
        gold.gold_citations,
        gold.constraints,
        strip(coalesce(kept.claim, '')) = '' as missing,
        case when missing then '' else kept.claim end as claim,
        case when missing then [] else kept.citations end as citations,
        coalesce(kept.echo, []) as echo,
        coalesce(kept.retrieved, []) as retrieved,
        coalesce(kept.retrieved[:getvariable('k')], []) as first_k,
        len(gold.constraints) > 0 as constrained,
    from gold
    left join kept on kept.qid = gold.qid
),
folded as (
    select
        *,
        fold(claim) as folded_claim,
        list_contains(getvariable('refusal'), strip(folded_claim)) as refused,
        list_has_all(retrieved, citations) as scoped,
        list_has_all(first_k, gold_citations) as recalled,
        gold_citations = [] or list_has_any(first_k, gold_citations) as reachable,
        list_unique(gold_citations) as gold_count,
    from said
)
select
    qid,
    gold_row,
    trace_row,
    answerable,
    missing,
    refused,
    not refused and (not missing or getvariable('missing') = 'answered') as shipped,
    substrings = [] or coalesce(list_bool_or(list_transform(
        substrings,
        lambda entry: length(entry) >= 5 and contains(folded_claim, fold(entry))
    )), false) as contained,
    scoped,
    scoped and case
        when gold_citations = [] then citations = []
        else list_has_any(citations, gold_citations)
    end as cited,
    constrained,
    case
        when not constrained then true
        else list_has_all(list_transform(echo, lambda c: strip(c)),
                          list_transform(constraints, lambda c: strip(c)))
            and list_has_all(list_transform(constraints, lambda c: strip(c)),
                             list_transform(echo, lambda c: strip(c)))
            and trace_row not in (select trace_row from contradicted)
    end as intact,
    recalled,
    reachable,
    gold_count,
    case
        when recalled then gold_count
        when not reachable then 0
        else len(list_filter(list_distinct(gold_citations), lambda id: list_contains(first_k, id)))
    end as gold_found,
    -- the token is there, but the claim is not equal to it
    shipped and list_bool_or(list_transform(
        getvariable('refusal'), lambda token: contains(folded_claim, token)
    )) as near_refusal,
from folded
