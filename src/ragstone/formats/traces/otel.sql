-- Spans of OpenTelemetry become traces. A line holds many spans, as the collector's file exporter writes them,
-- or one, and a row of ClickHouse's table one. Attributes are read by the names of OpenInference and of the GenAI
-- conventions, new and old.

create or replace temp macro value_of(keys, texts, name) as texts[list_position(keys, name)];

create or replace temp macro as_attribute(name, words) as {'key': name, 'value': {
    'stringValue': words,
    'intValue': null::varchar,
    'doubleValue': null::varchar,
    'boolValue': null::varchar,
    'arrayValue': null::json
}};

-- The value of an attribute as text; a list is left as OTLP writes it, with the kind of each value.
create or replace temp macro as_text(value) as coalesce(
    value.stringValue, value.intValue, value.doubleValue, value.boolValue, value.arrayValue::varchar
);

-- What an object of OTLP has under a name.
create or replace temp macro under(item, name) as list_filter(
    json_extract(item, '$.kvlistValue.values[*]'), lambda pair: (pair->>'$.key') = name
)[1]->'$.value';

-- Messages as JSON; in OTLP they may be a list of objects.
create or replace temp macro messages(words) as case
    when json_valid(words) and json_exists(words, '$.values')
    then to_json(list_transform(json_extract(words, '$.values[*]'), lambda item: {
        'role': under(item, 'role')->>'$.stringValue',
        'parts': list_transform(
            json_extract(under(item, 'parts'), '$.arrayValue.values[*]'),
            lambda part: {'content': under(part, 'content')->>'$.stringValue'}
        )
    }))::varchar
    else words
end;

-- Documents as a list of {id, text}, in either way of writing them.
create or replace temp macro documents_in(words) as case
    when not json_valid(words) then null
    when json_exists(words, '$.values')
    then list_transform(json_extract(words, '$.values[*]'), lambda item: {
        'id': under(item, 'id')->>'$.stringValue',
        'text': coalesce(under(item, 'content')->>'$.stringValue', under(item, 'text')->>'$.stringValue')
    })
    else list_transform(json_extract(words, '$[*]'), lambda item: {
        'id': item->>'$.id', 'text': coalesce(item->>'$.content', item->>'$.text')
    })
end;

-- The value of an event's attribute, in either spelling of attributes.
create or replace temp macro told(event, name) as case json_type(event, '$.attributes')
    when 'OBJECT' then json_extract_string(event, '$.attributes."' || name || '"')
    when 'ARRAY'
    then list_filter(
        json_extract_string(
            list_filter(
                json_extract(event, '$.attributes[*]'), lambda each: (each->>'$.key') = name
            )[1],
            ['$.value.stringValue', '$.value.doubleValue', '$.value.intValue']
        ),
        lambda found: found is not null
    )[1]
end;

-- Values of `prefix.N.suffix` in the order of N, each as {n, text}.
create or replace temp macro numbered(entries, prefix, suffix) as list_sort(list_transform(
    list_filter(entries, lambda entry: starts_with(entry.key, prefix) and ends_with(entry.key, suffix)),
    lambda entry: {
        'n': try_cast(split_part(substr(entry.key, len(prefix) + 1), '.', 1) as integer), 'text': entry.text
    }
));

create temp table spans as
with
lines as (
    select
        file,
        case
        when json is null
        then [{
            'traceId': TraceId,
            'spanId': SpanId,
            'parentSpanId': ParentSpanId,
            'startTimeUnixNano': epoch_ns("Timestamp")::varchar,
            'endTimeUnixNano': (epoch_ns("Timestamp") + Duration)::varchar,
            'attributes': list_transform(map_entries(SpanAttributes), lambda entry: as_attribute(entry.key, entry.value)),
            'events': to_json(list_transform(
                range(1, len("Events.Name") + 1),
                lambda place: {'name': "Events.Name"[place], 'attributes': "Events.Attributes"[place]}
            ))
        }]
        when json_exists(json, '$.resourceSpans')
        then flatten(flatten(list_transform(
            json_transform(json, '{"resourceSpans": [{"scopeSpans": [{"spans": [{
                "traceId": "VARCHAR", "spanId": "VARCHAR", "parentSpanId": "VARCHAR",
                "startTimeUnixNano": "VARCHAR", "endTimeUnixNano": "VARCHAR",
                "attributes": [{"key": "VARCHAR", "value": {
                    "stringValue": "VARCHAR", "intValue": "VARCHAR", "doubleValue": "VARCHAR",
                    "boolValue": "VARCHAR", "arrayValue": "JSON"}}],
                "events": "JSON"
            }]}]}]}').resourceSpans,
            lambda resource: list_transform(resource.scopeSpans, lambda scope: scope.spans)
        )))
        else [{
            'traceId': coalesce(json->>'$.traceId', json->>'$.trace_id', json->>'$.context.trace_id'),
            'spanId': coalesce(json->>'$.spanId', json->>'$.span_id', json->>'$.context.span_id'),
            'parentSpanId': coalesce(json->>'$.parentSpanId', json->>'$.parent_span_id', json->>'$.parent_id'),
            'startTimeUnixNano': coalesce(json->>'$.startTimeUnixNano', json->>'$.start_time'),
            'endTimeUnixNano': coalesce(json->>'$.endTimeUnixNano', json->>'$.end_time'),
            'attributes': case json_type(json, '$.attributes')
                when 'ARRAY'
                then json_transform(json->'$.attributes', '[{"key": "VARCHAR", "value": {
                    "stringValue": "VARCHAR", "intValue": "VARCHAR", "doubleValue": "VARCHAR",
                    "boolValue": "VARCHAR", "arrayValue": "JSON"}}]')
                when 'OBJECT'
                then list_transform(
                    map_entries((json->'$.attributes')::map(varchar, json)),
                    lambda entry: as_attribute(entry.key, entry.value->>'$')
                )
            end,
            'events': json->'$.events'
        }]
        end as spans,
    from raw
),
each_span as (
    select
        file,
        unnest(spans) as span,
    from lines
),
plain as (
    select
        file,
        plain_id(span.traceId) as trace_id,
        plain_id(span.spanId) as span_id,
        plain_id(span.parentSpanId) as parent_id,
        nanoseconds(span.startTimeUnixNano) as started,
        nanoseconds(span.endTimeUnixNano) as ended,
        list_transform(
            coalesce(span.attributes, []), lambda each: {'key': each.key, 'text': as_text(each.value)}
        ) as entries,
        list_transform(entries, lambda each: each.key) as keys,
        list_transform(entries, lambda each: each.text) as texts,
        span.events as events,
        upper(value_of(keys, texts, 'openinference.span.kind')) as convention,
        value_of(keys, texts, 'gen_ai.operation.name') as operation,
    from each_span
),
kinds as (
    select
        *,
        case
            when convention = 'RETRIEVER' or operation = 'retrieval' then 'retrieval'
            when convention = 'RERANKER' or operation = 'rerank' then 'rerank'
            when convention = 'LLM' or operation in ('chat', 'generate_content', 'text_completion') then 'llm'
            when convention = 'GUARDRAIL' then 'guard'
            when convention is not null or operation is not null then 'other'
            when list_has_any(keys, ['gen_ai.system', 'gen_ai.provider.name']) then 'llm'
        end as kind,
        case when contains(events, 'gen_ai.') then json_extract(events, '$[*]') else [] end as told_of,
    from plain
),
listed as (
    select
        *,
        case kind when 'retrieval' then 'retrieval.documents.' when 'rerank' then 'reranker.output_documents.' end
            as prefix,
        case when prefix is not null then numbered(entries, prefix, '.document.id') end as ids,
        case when prefix is not null then numbered(entries, prefix, '.document.content') end as contents,
        list_transform(contents, lambda each: each.n) as content_numbers,
        list_transform(contents, lambda each: each.text) as content_texts,
    from kinds
),
parts as (
    select
        *,
        case
            when len(ids) > 0
            then list_transform(ids, lambda each: {
                'id': each.text, 'text': content_texts[list_position(content_numbers, each.n)]
            })
            when kind = 'retrieval'
            then documents_in(value_of(keys, texts, 'gen_ai.retrieval.documents'))
        end as every_document,
        case when parent_id is null or kind = 'llm' then coalesce(
            last_words(messages(value_of(keys, texts, 'gen_ai.output.messages')), null),
            (numbered(entries, 'llm.output_messages.', '.message.content')[-1]).text,
            (numbered(entries, 'llm.output_messages.', '.message_content.text')[-1]).text,
            (numbered(entries, 'gen_ai.completion.', '.content')[-1]).text,
            last_words(value_of(keys, texts, 'gen_ai.completion'), null),
            list_filter(list_transform(told_of, lambda event: case event->>'$.name'
                when 'gen_ai.content.completion' then last_words(told(event, 'gen_ai.completion'), null)
                when 'gen_ai.choice'
                then coalesce(told(event, 'content'), last_words(told(event, 'message'), null))
            end), lambda words: words is not null)[-1]
        ) end as said,
        case when parent_id is null then coalesce(
            inside(value_of(keys, texts, 'input.value'), ['$.question', '$.query', '$.input']),
            last_words(messages(value_of(keys, texts, 'gen_ai.input.messages')), 'user'),
            (numbered(entries, 'gen_ai.prompt.', '.content')[-1]).text,
            last_words(value_of(keys, texts, 'gen_ai.prompt'), 'user'),
            list_filter(list_transform(told_of, lambda event: case event->>'$.name'
                when 'gen_ai.content.prompt' then last_words(told(event, 'gen_ai.prompt'), 'user')
                when 'gen_ai.user.message' then told(event, 'content')
            end), lambda words: words is not null)[-1]
        ) end as asked,
        case when parent_id is null then value_of(keys, texts, 'output.value') end as output,
        case when parent_id is null then value_of(keys, texts, 'metadata') end as metadata,
    from listed
)
select
    file,
    trace_id,
    span_id,
    parent_id,
    started,
    ended,
    kind,
    list_filter(every_document, lambda each: each.id is not null) as found,
    greatest(coalesce(len(contents), 0), coalesce(len(every_document), 0)) - coalesce(len(found), 0) as nameless,
    said,
    asked,
    inside(output, ['$.answer']) as answer,
    case when json_valid(output) and json_type(output, '$.citations') = 'ARRAY'
    then json_extract_string(output, '$.citations[*]') end as cited,
    coalesce(
        case when json_valid(metadata) then metadata->>'$.qid' end, value_of(keys, texts, 'metadata.qid')
    ) as qid,
    case when kind = 'llm' then try_cast(coalesce(
        value_of(keys, texts, 'gen_ai.usage.input_tokens'),
        value_of(keys, texts, 'llm.token_count.prompt'),
        value_of(keys, texts, 'gen_ai.usage.prompt_tokens')
    ) as bigint) end as tokens_in,
    case when kind = 'llm' then try_cast(coalesce(
        value_of(keys, texts, 'gen_ai.usage.output_tokens'),
        value_of(keys, texts, 'llm.token_count.completion'),
        value_of(keys, texts, 'gen_ai.usage.completion_tokens')
    ) as bigint) end as tokens_out,
    case when kind = 'llm' then try_cast(value_of(keys, texts, 'llm.cost.total') as double) end as cost,
    list_concat(
        list_transform(
            numbered(entries, 'evaluations.', '.evaluation.name'),
            lambda each: {
                'name': each.text,
                'score': value_of(keys, texts, 'evaluations.' || each.n || '.evaluation.score'),
                'label': value_of(keys, texts, 'evaluations.' || each.n || '.evaluation.label')
            }
        ),
        list_transform(
            list_filter(told_of, lambda event: (event->>'$.name') = 'gen_ai.evaluation.result'),
            lambda event: {
                'name': told(event, 'gen_ai.evaluation.name'),
                'score': told(event, 'gen_ai.evaluation.score.value'),
                'label': told(event, 'gen_ai.evaluation.score.label')
            }
        )
    ) as judged,
from parts;
