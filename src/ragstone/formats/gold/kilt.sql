-- A question of KILT: any of the answers is right. The pages of one output are needed together, and those
-- of several are alternatives; a paragraph is `page#paragraph`.
with
questions as (
    select
        file,
        row,
        json->>'$.id' as qid,
        json->>'$.input' as question,
        list_distinct(json_extract_string(json, '$.output[*].answer')) as answers,
        list_transform(
            coalesce(json_extract(json, '$.output[*]'), []),
            lambda output: list_transform(
                list_filter(
                    coalesce(json_extract(output, '$.provenance[*]'), []),
                    lambda page: (page->>'$.wikipedia_id') is not null
                ),
                lambda page: concat_ws('#', page->>'$.wikipedia_id', page->>'$.start_paragraph_id')
            )
        ) as pages,
    from raw
),
evidence as (
    select
        *,
        list_filter(pages, lambda ids: len(ids) > 0) as sets,
        flatten(sets) as every_id,
        list_filter(every_id, lambda id, place: list_position(every_id, id) = place) as ids,
        list_filter(sets, lambda set: len(set) > 1) as larger,
    from questions
)
select
    file,
    row,
    case when qid is null then 'no_id' when coalesce(answers, []) = [] then 'no_answer' end as lost,
    list_filter(
        [
            case when sets = [] then 'no_provenance' end,
            case when len(sets) > 1 and larger <> [] then 'any_page' end,
        ],
        lambda why: why is not null
    ) as lacks,
    qid,
    question,
    true as answerable,
    list_sort(answers) as gold_claim_substr,
    case when len(sets) = 1 then ids end as gold_citations,
    case when len(sets) > 1 then [ids] end as gold_citations_any,
from evidence
