-- A guess of KILT: the first output is the answer, and the pages that it names are what was retrieved and
-- cited, a paragraph as `page#paragraph`.
with
guesses as (
    select
        file,
        row,
        json->>'$.id' as qid,
        json->>'$.input' as q,
        json->>'$.output[0].answer' as claim,
        json_array_length(json, '$.output') as outputs,
        coalesce(json_extract(json, '$.output[0].provenance[*]'), []) as pages,
    from raw
),
named as (
    select
        *,
        list_transform(
            list_filter(pages, lambda page: (page->>'$.wikipedia_id') is not null),
            lambda page: concat_ws('#', page->>'$.wikipedia_id', page->>'$.start_paragraph_id')
        ) as every_id,
        -- a page that is named twice is retrieved once, at its first place
        list_filter(every_id, lambda id, place: list_position(every_id, id) = place) as ids,
    from guesses
)
select
    file,
    row,
    case when qid is null then 'no_id' when claim is null then 'no_answer' end as lost,
    list_filter(
        [case when ids = [] then 'no_provenance' end, case when outputs > 1 then 'more_outputs' end],
        lambda why: why is not null
    ) as lacks,
    qid,
    q,
    ids as retrieved_ids,
    {'claim': claim, 'citations': ids} as answer_json,
from named
