-- A test run of deepeval: one document with a list of cases. Its retrieved texts have no ids, so each goes by
-- the first 16 hex digits of the SHA-256 of its NFC form, as with `--ids hash`.
with
runs as (
    select file, row, coalesce(json->'$.testRunData', json) as run, from raw
),
cases as (
    select file, row, unnest(json_extract(run, '$.testCases[*]')) as json, false as is_talk,
    from runs
    union all
    select file, row, unnest(json_extract(run, '$.conversationalTestCases[*]')), true,
    from runs
),
-- what the case says was retrieved, or else its retriever spans, in their order
retrievals as (
    select
        *,
        coalesce(
            json->>'$.metadata.qid', json->>'$.additionalMetadata.qid', json->>'$.name'
        ) as qid,
        case when json_type(json, '$.actualOutput') = 'VARCHAR'
            then json->>'$.actualOutput' end as claim,
        json_extract_string(json, '$.retrievalContext[*]') as own_texts,
        json_extract_string(
            json, '$.trace.retrieverSpans[*].retrievalContext[*]'
        ) as span_texts,
        case when own_texts <> [] then own_texts else span_texts end as every_text,
        list_filter(
            every_text, lambda text, place: list_position(every_text, text) = place
        ) as texts,
        json_extract(json, '$.metricsData[*]') as metrics,
    from cases
),
-- the first score of each name
judged as (
    select
        *,
        list_filter(
            list_transform(
                metrics,
                lambda metric: {'key': metric->>'$.name', 'value': metric->'$.score'}
            ),
            lambda score: score.key is not null
                and json_type(score.value) in ('DOUBLE', 'UBIGINT', 'BIGINT')
        ) as every_score,
        list_transform(every_score, lambda score: score.key) as names,
        list_filter(
            every_score, lambda score, place: list_position(names, score.key) = place
        ) as scores,
    from retrievals
)
select
    file,
    row,
    coalesce(qid, json->>'$.name') as named,
    case when is_talk then 'conversation' when qid is null then 'no_id' end as lost,
    list_filter(
        [
            case when claim is null then 'no_answer' end,
            'no_citations',
            case when texts = [] then 'no_texts' else 'hashed_ids' end,
            case
                when json_extract_string(json, '$.trace.output.citations[*]') <> []
                then 'other_ids'
            end,
            case when len(scores) < len(metrics) then 'no_score' end,
        ],
        lambda why: why is not null
    ) as lacks,
    qid,
    json->>'$.input' as q,
    list_transform(
        texts,
        -- nfc_normalize stops at a NUL
        lambda text: left(sha256(array_to_string(list_transform(
            string_split(text, chr(0)), lambda piece: nfc_normalize(piece)
        ), chr(0))), 16)
    ) as retrieved_ids,
    texts as retrieved_texts,
    {'claim': claim} as answer_json,
    1000 * try_cast(json->>'$.completionTime' as double) as latency_ms,
    try_cast(json->>'$.tokenCost' as double) as cost_usd,
    case when scores <> [] then to_json(map_from_entries(scores)) end as judge,
from judged
