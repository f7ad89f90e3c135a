-- A response to a task of MTRAG: the first prediction is the answer to the last turn, and the contexts that
-- the generator was given are what was retrieved.
with
responses as (
    select
        file,
        row,
        json->>'$.task_id' as qid,
        json->>'$.input[#-1].text' as q,
        case
            when json_type(json, '$.predictions[0].text') = 'VARCHAR'
            then json->>'$.predictions[0].text'
        end as claim,
        json_array_length(json, '$.predictions') as predictions,
        list_filter(
            json_extract(json, '$.contexts[*]'),
            lambda context: (context->>'$.document_id') is not null
        ) as contexts,
        list_transform(contexts, lambda context: context->>'$.document_id') as every_id,
        -- a passage that is given twice is retrieved once, at its first place
        list_filter(
            contexts,
            lambda context, place: list_position(every_id, context->>'$.document_id') = place
        ) as retrieved,
    from raw
)
select
    file,
    row,
    case when qid is null then 'no_id' when claim is null then 'no_answer' end as lost,
    list_filter(
        [
            'no_citations',
            case when retrieved = [] then 'no_contexts' end,
            case when predictions > 1 then 'more_predictions' end,
        ],
        lambda why: why is not null
    ) as lacks,
    qid,
    q,
    list_transform(retrieved, lambda context: context->>'$.document_id') as retrieved_ids,
    list_transform(
        retrieved, lambda context: coalesce(context->>'$.text', '')
    ) as retrieved_texts,
    {'claim': claim} as answer_json,
from responses
