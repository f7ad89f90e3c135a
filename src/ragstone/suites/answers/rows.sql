-- One verdict row per question (per line under --keep all): every check of the spec, computed once.
-- The join holds the gold set in memory, and what was said streams past it. What stands between `if` and `end` is only there where the input
-- asks for it (`row_parts.py`).
with
-- the lines that are scored
kept as (
    select
        rowid as trace_row,
        qid,
        claim,
        citations,
        echo,
        -- if flags
        flag,
        -- end
        -- if scores
        judge,
        -- end
        retrieved[:getvariable('k')] as first_k,
        not getvariable('scope') or has_all(retrieved, citations) as scoped,
        -- if sentences
        -- an answer in sentences: those that say something, and those of them that cite nothing
        case when claims is not null
            then list_filter(claims, lambda said: not blank(said.text)) end as spoken,
        len(spoken) as sentences,
        len(list_filter(spoken, lambda said: coalesce(len(said.citations), 0) = 0))
            as bare_sentences,
        -- else
        0::bigint as sentences,
        0::bigint as bare_sentences,
        -- end
    from {trace}
    where rowid not in (select trace_row from dropped_{trace})
),
-- what was said beside what should have been said; no trace and no claim are the same: missing. Lists
-- stay null where there is no trace: to make them empty, all of them would be copied
said as (
    select
        gold.rowid as gold_row,
        kept.trace_row,
        gold.qid,
        gold.answerable,
        gold.substrings,
        -- if expected
        gold.gold_answer is not null as typed,
        -- that all a typed answer asks for is a no, whose "not" may be that of a refusal
        coalesce(regexp_full_match(
            gold.gold_answer,
            '[\s\[{]*(?:"all"\s*:[\s\[{]*)?"yesno"\s*:\s*false[\s\]}]*'
        ), false) as expects_no,
        case when gold.nuggets is null then 0 else json_array_length(gold.nuggets) end::uinteger
            as nugget_count,
        -- a nugget is vital unless it says otherwise
        case
            when gold.nuggets is null then 0
            else nugget_count - len(list_filter(
                json_extract_string(gold.nuggets, '$[*].vital'), lambda vital: vital = 'false'
            ))
        end::uinteger as vital_count,
        coalesce(judged.answered, false) as answered,
        coalesce(judged.nuggets_found, 0::uinteger) as nuggets_found,
        coalesce(judged.vital_found, 0::uinteger) as vital_found,
        coalesce(judged.forbidden, false) as forbidden,
        gold.must_not is not null as guarded,
        judged.accepted_by as answered_by,
        coalesce(judged.in_alternative, false) as in_alternative,
        judged.list_found,
        judged.field_accuracy,
        -- else
        false as typed,
        false as expects_no,
        0::uinteger as nugget_count,
        0::uinteger as vital_count,
        false as answered,
        0::uinteger as nuggets_found,
        0::uinteger as vital_found,
        false as forbidden,
        false as guarded,
        false as in_alternative,
        -- end
        gold.evidenced,
        gold.gold_citations,
        -- if groups
        gold.groups,
        -- end
        gold.constraints,
        -- if flags
        -- a pipeline that says it refuses need not say it in words
        (kept.claim is null or blank(kept.claim)) and not coalesce(kept.flag, false) as missing,
        kept.flag,
        -- else
        kept.claim is null or blank(kept.claim) as missing,
        -- end
        case when missing then '' else coalesce(kept.claim, '') end as claim,
        case when missing then [] else kept.citations end as citations,
        -- if scores
        kept.judge,
        -- else
        null::varchar as judge,
        -- end
        kept.echo,
        kept.first_k,
        coalesce(kept.sentences, 0) as sentences,
        coalesce(kept.bare_sentences, 0) as bare_sentences,
        missing or kept.scoped as scoped,
        len(gold.constraints) > 0 as constrained,
    from kept
    right join gold on gold.qid = kept.qid
    -- if expected
    left join typed_{trace} as judged on judged.trace_row = kept.trace_row
    -- end
),
-- the claim and the phrases as they are compared; each is used many times below, and an alias of the same
-- select would be computed, and planned, as often
folded as (
    select
        *,
        fold(claim) as folded_claim,
        holds_token(folded_claim) as holds_token,
        -- most gold items have one phrase, and need no list of those that are long enough
        case when len(substrings) = 1 then fold(substrings[1]) end as phrase,
        -- if several
        case when len(substrings) > 1 then list_transform(
            list_filter(substrings, lambda entry: long_enough(entry)), lambda entry: fold(entry)
        ) end as phrases,
        -- end
    from said
),
-- the checks that need nothing else
checked as (
    select
        *,
        case len(substrings)
            when 0 then false
            when 1 then long_enough(substrings[1]) and holds(folded_claim, phrase)
            -- if several
            else coalesce(list_bool_or(list_transform(
                phrases, lambda entry: holds(folded_claim, entry)
            )), false)
            -- end
        end as phrase_said,
        refuses(folded_claim, holds_token) as refuses,
        pack_refuses(folded_claim) as pack_refuses,
        -- if groups
        case when groups is null then coalesce(has_all(first_k, gold_citations), false)
            else coalesce(groups_in(first_k, groups) = len(groups), false) end as recalled,
        -- else
        coalesce(has_all(first_k, gold_citations), false) as recalled,
        -- end
        len(gold_citations) = 0 or coalesce(has_any(first_k, gold_citations), false) as reachable,
        case
            -- if groups
            when groups is not null then len(groups)
            -- end
            when len(gold_citations) < 2 then len(gold_citations)
            else list_unique(gold_citations) end as gold_count,
    from folded
),
matched as (
    select
        *,
        -- without phrases and typed answers, every vital nugget
        case
            when len(substrings) > 0 or typed then phrase_said or answered
            else vital_found = vital_count
        end as contained,
        phrase_said or answered or nuggets_found > 0 as found,
        -- of the distinct ids that are cited, how many are evidence
        case
            when len(citations) = 0 or len(gold_citations) = 0 then 0
            when len(citations) = 1 then list_contains(gold_citations, citations[1])::int
            else len(list_intersect(citations, gold_citations))
        end as cited_gold,
    from checked
),
decided as (
    select
        *,
        -- a claim that says it cannot answer and then does is hedged, and an answer
        pack_refuses and answerable and found
            and (not expects_no or phrase_said or nuggets_found > 0) as answers_yet,
        -- if flags
        not missing and coalesce(flag, refuses or (pack_refuses and not answers_yet)) as refused,
        -- else
        not missing and (refuses or (pack_refuses and not answers_yet)) as refused,
        -- end
    from matched
)
select
    {arm} as arm,
    qid,
    gold_row,
    trace_row,
    answerable,
    missing,
    contained,
    found,
    refused,
    not refused and (not missing or getvariable('missing') = 'answered') as shipped,
    shipped and (answers_yet or (answerable and in_alternative and not contained)) as hedged,
    forbidden,
    scoped,
    scoped and case
        when not evidenced then true
        when len(gold_citations) = 0 then len(citations) = 0
        else cited_gold > 0
    end as cited,
    case len(citations) when 0 then 0 when 1 then 1 else list_unique(citations) end as cited_ids,
    cited_gold,
    -- and how much of the evidence is cited
    -- if groups
    case when groups is null then cited_gold else groups_in(citations, groups) end as gold_cited,
    -- else
    cited_gold as gold_cited,
    -- end
    sentences,
    bare_sentences,
    constrained,
    case
        when not constrained then true
        else same_set(
                list_transform(coalesce(echo, []), lambda c: strip(c)),
                list_transform(constraints, lambda c: strip(c))
            )
            and trace_row not in (select trace_row from contradicted_{trace})
    end as intact,
    recalled,
    reachable,
    gold_count,
    case
        when recalled then gold_count
        when not reachable then 0
        -- if groups
        when groups is not null then groups_in(first_k, groups)
        -- end
        else len(list_filter(list_distinct(gold_citations), lambda id: list_contains(first_k, id)))
    end as gold_found,
    shipped and holds_token as near_refusal,
    -- what gold gives the checks to test
    len(substrings) > 0 or typed or vital_count > 0 as phrased,
    guarded,
    nugget_count,
    vital_count,
    nuggets_found,
    vital_found,
    evidenced,
    judge,
    -- if expected
    case
        when not contained then null
        when phrase_said then 'phrase'
        when answered then answered_by
        else 'nuggets'
    end as accepted_by,
    list_found,
    field_accuracy,
    -- end
from decided
