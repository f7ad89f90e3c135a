-- One verdict row per question (per line under --keep all): every check of the spec, computed once.
-- A large input is done in parts, so that the join holds only one part of the gold set in memory at a
-- time; what was said streams past it.
with
-- the lines that are scored
kept as (
    select
        rowid as trace_row,
        qid,
        claim,
        citations,
        echo,
        flag,
        retrieved[:getvariable('k')] as first_k,
        not getvariable('scope') or has_all(retrieved, citations) as scoped,
        -- an answer in sentences: those that say something, and those of them that cite nothing
        case when claims is not null
            then list_filter(claims, lambda said: not blank(said.text)) end as spoken,
        len(spoken) as sentences,
        len(list_filter(spoken, lambda said: coalesce(len(said.citations), 0) = 0))
            as bare_sentences,
    from {trace}
    where rowid not in (select trace_row from dropped_{trace})
        and hash(qid) % getvariable('parts') = getvariable('part')
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
        gold.gold_answer is not null as typed,
        -- that all a typed answer asks for is a no, whose "not" may be that of a refusal
        coalesce(regexp_full_match(
            gold.gold_answer,
            '[\s\[{]*(?:"all"\s*:[\s\[{]*)?"yesno"\s*:\s*false[\s\]}]*'
        ), false) as expects_no,
        gold.nugget_count,
        gold.vital_count,
        coalesce(judged.answered, false) as answered,
        coalesce(judged.nuggets_found, 0::uinteger) as nuggets_found,
        coalesce(judged.vital_found, 0::uinteger) as vital_found,
        coalesce(judged.forbidden, false) as forbidden,
        gold.must_not is not null as guarded,
        gold.evidenced,
        gold.gold_citations,
        gold.groups,
        gold.constraints,
        -- a pipeline that says it refuses need not say it in words
        (kept.claim is null or blank(kept.claim)) and not coalesce(kept.flag, false) as missing,
        case when missing then '' else coalesce(kept.claim, '') end as claim,
        case when missing then [] else kept.citations end as citations,
        kept.echo,
        kept.flag,
        kept.first_k,
        coalesce(kept.sentences, 0) as sentences,
        coalesce(kept.bare_sentences, 0) as bare_sentences,
        missing or kept.scoped as scoped,
        len(gold.constraints) > 0 as constrained,
    from kept
    right join gold on gold.qid = kept.qid
    left join typed_{trace} as judged on judged.trace_row = kept.trace_row
    where hash(gold.qid) % getvariable('parts') = getvariable('part')
),
-- the claim and the phrases as they are compared; each is used many times below, and an alias of the same
-- select would be computed, and planned, as often
folded as (
    select
        *,
        fold(claim) as folded_claim,
        -- most gold items have one phrase, and need no list of those that are long enough
        case when len(substrings) = 1 then fold(substrings[1]) end as phrase,
        case when len(substrings) > 1 then list_transform(
            list_filter(substrings, lambda entry: long_enough(entry)), lambda entry: fold(entry)
        ) end as phrases,
    from said
),
-- the checks that need nothing else
checked as (
    select
        *,
        holds_token(folded_claim) as holds_token,
        case len(substrings)
            when 0 then false
            when 1 then long_enough(substrings[1]) and holds(folded_claim, phrase)
            else coalesce(list_bool_or(list_transform(
                phrases, lambda entry: holds(folded_claim, entry)
            )), false)
        end as phrase_said,
        refuses(folded_claim) as refuses,
        pack_refuses(folded_claim) as pack_refuses,
        case when groups is null then coalesce(has_all(first_k, gold_citations), false)
            else coalesce(groups_in(first_k, groups) = len(groups), false) end as recalled,
        len(gold_citations) = 0 or coalesce(has_any(first_k, gold_citations), false) as reachable,
        case when groups is not null then len(groups)
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
    from checked
),
decided as (
    select
        *,
        -- a claim that says it cannot answer and then does is hedged, and an answer
        pack_refuses and answerable and found
            and (not expects_no or phrase_said or nuggets_found > 0) as answers_yet,
        not missing and coalesce(flag, refuses or (pack_refuses and not answers_yet)) as refused,
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
    shipped and answers_yet as hedged,
    forbidden,
    scoped,
    scoped and case
        when not evidenced then true
        when len(gold_citations) = 0 then len(citations) = 0
        else has_any(citations, gold_citations)
    end as cited,
    -- of the distinct ids that are cited, how many are evidence; and how much of the evidence is cited
    case len(citations) when 0 then 0 when 1 then 1 else list_unique(citations) end as cited_ids,
    case
        when len(citations) = 0 or len(gold_citations) = 0 then 0
        when len(citations) = 1 then list_contains(gold_citations, citations[1])::int
        else len(list_intersect(citations, gold_citations))
    end as cited_gold,
    case when groups is null then cited_gold else groups_in(citations, groups) end as gold_cited,
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
        when groups is not null then groups_in(first_k, groups)
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
from decided
