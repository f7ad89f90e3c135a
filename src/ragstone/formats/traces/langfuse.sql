-- Observations of Langfuse become traces. The export writes names with underscores, the API and the pages in
-- camel case; inputs and outputs are texts, which may be JSON, or JSON.

-- A value as text, whether it was written as text or as JSON.
create or replace temp macro written(value) as case
    when json_type(value) = 'VARCHAR' then value->>'$'
    when json_type(value) <> 'NULL' then value::varchar
end;

-- A list of documents, or an object that holds one.
create or replace temp macro documents_in(output) as case
    when not json_valid(output) then []
    when json_type(output) = 'ARRAY' then json_extract(output, '$[*]')
    when json_type(output, '$.documents') = 'ARRAY' then json_extract(output, '$.documents[*]')
    else []
end;

create temp table spans as
with
rows_of_both as (
    select
        file,
        coalesce(id, json->>'$.id') as span_id,
        coalesce(trace_id, json->>'$.trace_id', json->>'$.traceId') as trace_id,
        coalesce(
            parent_observation_id, json->>'$.parent_observation_id', json->>'$.parentObservationId'
        ) as parent_id,
        upper(coalesce("type", json->>'$.type')) as kind_of,
        coalesce(start_time, json->>'$.start_time', json->>'$.startTime') as start_time,
        coalesce(end_time, json->>'$.end_time', json->>'$.endTime') as end_time,
        coalesce("input", written(json->'$.input')) as input,
        coalesce("output", written(json->'$.output')) as output,
        coalesce(metadata, json->'$.metadata') as metadata,
        coalesce(usage_details, json->'$.usage_details', json->'$.usageDetails', json->'$.usage') as usage,
        coalesce(
            total_cost, json->>'$.total_cost', json->>'$.totalCost', json->>'$.calculatedTotalCost'
        ) as total_cost,
    from raw
),
kinds as (
    select
        *,
        nullif(parent_id, '') as parent,
        case
            when kind_of = 'RETRIEVER' then 'retrieval'
            when kind_of = 'GENERATION' then 'llm'
            when kind_of = 'GUARDRAIL' then 'guard'
            when kind_of is not null then 'other'
        end as kind,
        case when kind = 'retrieval' then list_transform(
            documents_in(output),
            lambda each: {
                'id': each->>'$.id',
                'text': coalesce(each->>'$.text', each->>'$.content', each->>'$.page_content')
            }
        ) end as every_document,
    from rows_of_both
)
select
    file,
    nullif(trace_id, '') as trace_id,
    nullif(span_id, '') as span_id,
    parent as parent_id,
    nanoseconds(start_time) as started,
    nanoseconds(end_time) as ended,
    kind,
    list_filter(every_document, lambda each: each.id is not null) as found,
    coalesce(len(every_document), 0) - coalesce(len(found), 0) as nameless,
    case when kind = 'llm' then coalesce(last_words(output, null), inside(output, ['$.answer'])) end as said,
    case when parent is null then coalesce(
        last_words(input, 'user'), inside(input, ['$.question', '$.query', '$.input'])
    ) end as asked,
    case when parent is null then coalesce(last_words(output, null), inside(output, ['$.answer'])) end as answer,
    case when parent is null and json_valid(output) and json_type(output, '$.citations') = 'ARRAY'
    then json_extract_string(output, '$.citations[*]') end as cited,
    metadata->>'$.qid' as qid,
    case when kind = 'llm' then try_cast(coalesce(usage->>'$.input', usage->>'$.promptTokens') as bigint) end
        as tokens_in,
    case when kind = 'llm' then try_cast(coalesce(usage->>'$.output', usage->>'$.completionTokens') as bigint) end
        as tokens_out,
    case when kind = 'llm' then try_cast(total_cost as double) end as cost,
    []::struct(name varchar, score varchar, label varchar)[] as judged,
from kinds
