-- A result of promptfoo: what one provider answered to one prompt with one test's variables. A prompt's number
-- (promptIdx) is that of prompt and provider together.
with
results as (
    select
        file,
        row,
        json,
        coalesce(json->'$.response', json->'$.providerResponse') as response,
        coalesce(
            nullif(json->>'$.provider.label', ''), json->>'$.provider.id', json->>'$.provider'
        ) || '#' || (json->>'$.promptIdx') as system,
        json->>'$.testCase.metadata.qid' as own_id,
        coalesce(own_id, json->>'$.testIdx') as qid,
        coalesce(json->>'$.vars.question', json->>'$.vars.query') as q,
        coalesce(json->>'$.failureReason', '0') = '2' as failed,
    from raw
),
-- an answer is a text, or an object with an answer and maybe its citations
answers as (
    select
        *,
        case
            when failed then null
            when json_type(response, '$.output') = 'VARCHAR' then response->>'$.output'
            when json_type(response, '$.output.answer') = 'VARCHAR'
            then response->>'$.output.answer'
        end as claim,
        coalesce(
            nullif(json_extract_string(response, '$.output.citations[*]'), []),
            json_extract_string(response, '$.metadata.citations[*]'),
            []
        ) as citations,
        coalesce(
            nullif(json_extract_string(response, '$.metadata.retrieved_ids[*]'), []),
            json_extract_string(response, '$.metadata.context[*].id'),
            []
        ) as every_id,
        list_filter(every_id, lambda id, place: list_position(every_id, id) = place) as ids,
        list_filter(
            json_extract(json, '$.gradingResult.componentResults[*]'),
            lambda part: (part->>'$.assertion.metric') is null
        ) as unnamed,
    from results
)
select
    file,
    row,
    case when qid is null then 'no_id' end as lost,
    list_filter(
        [
            case when failed then 'failed' when claim is null then 'no_answer' end,
            case when own_id is null then 'test_number' end,
            case when q is null then 'no_question' end,
            case when ids = [] then 'no_ids' end,
            case when citations = [] then 'no_citations' end,
            case when unnamed <> [] then 'unnamed_scores' end,
        ],
        lambda why: why is not null
    ) as lacks,
    system,
    qid,
    q,
    ids as retrieved_ids,
    {'claim': claim, 'citations': citations} as answer_json,
    try_cast(json->>'$.latencyMs' as double) as latency_ms,
    coalesce(
        try_cast(json->>'$.cost' as double), try_cast(response->>'$.cost' as double)
    ) as cost_usd,
    {
        'in': try_cast(response->>'$.tokenUsage.prompt' as double),
        'out': try_cast(response->>'$.tokenUsage.completion' as double)
    } as tokens,
    case when json_keys(json, '$.namedScores') <> [] then json->'$.namedScores' end as judge,
from answers
