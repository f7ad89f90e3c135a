-- A task of MTRAG: its question is the last turn, and its evidence the contexts that people found relevant.
with
tasks as (
    select
        file,
        row,
        json->>'$.task_id' as qid,
        json->>'$.input[#-1].text' as question,
        json_array_length(json, '$.input') as turns,
        upper(json->>'$.answerability[0]') as kind,
        json->>'$.targets[0].text' as target,
        json_extract_string(json, '$."Question Type"[*]') as types,
        json->>'$.turn' as turn,
        list_filter(
            json_extract(json, '$.contexts[*]'),
            lambda context: (context->>'$.document_id') is not null
        ) as contexts,
    from raw
),
evidence as (
    select
        *,
        list_filter(
            contexts, lambda context: json_exists(context, '$.feedback.relevant')
        ) as looked_at,
        -- contexts that nobody said anything of are the task's reference passages as they are
        list_filter(
            contexts,
            lambda context: looked_at = [] or list_contains(
                json_extract_string(context, '$.feedback.relevant.*.value'), 'yes'
            )
        ) as relevant,
        list_transform(relevant, lambda context: context->>'$.document_id') as every_id,
        list_filter(every_id, lambda id, place: list_position(every_id, id) = place) as ids,
    from tasks
)
select
    file,
    row,
    case
        when qid is null then 'no_id'
        when kind = 'PARTIAL' then 'partial'
        when kind = 'UNDERSPECIFIED' then 'underspecified'
        when kind = 'CONVERSATIONAL' then 'conversational'
        when kind is null or kind not in ('ANSWERABLE', 'UNANSWERABLE') then 'no_answerability'
    end as lost,
    list_filter(
        [
            'no_phrases',
            case when turns > 1 then 'earlier_turns' end,
            case when kind = 'ANSWERABLE' and ids = [] then 'no_evidence' end,
            case when kind = 'ANSWERABLE' and ids <> [] and looked_at = [] then 'no_feedback' end,
        ],
        lambda why: why is not null
    ) as lacks,
    qid,
    question,
    kind = 'ANSWERABLE' as answerable,
    case when kind = 'ANSWERABLE' and ids <> [] then ids end as gold_citations,
    types as tags,
    turn,
    target,
from evidence
