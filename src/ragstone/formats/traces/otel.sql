-- Spans of OpenTelemetry become traces. A line holds many spans, as the collector's file exporter writes them,
-- or one, and a row of ClickHouse's table one. Attributes are read by the names of OpenInference and of the GenAI conventions, new and old.

create or replace temp macro value_of(keys, texts, name) as texts[list_position(keys, name)];

create or replace temp macro as_attribute(name, words) as {'key': name, 'value': {
    'stringValue': words,
    'intValue': null::varchar,
    'doubleValue': null::varchar,
    'boolValue': null::varchar,
    'arrayValue': null::json
}};

-- The value of an attribute as text; a list of plain values as JSON.
create or replace temp macro as_text(value) as coalesce(
    value.stringValue,
    value.intValue,
    value.doubleValue,
    value.boolValue,
    case
        when value.arrayValue is not null
        then to_json(list_transform(
            json_extract(value.arrayValue, '$.values[*]'),
            lambda item: json_extract_string(item, ['$.stringValue', '$.intValue', '$.doubleValue', '$.boolValue'])
        ))::varchar
    end
);

create or replace temp macro plain_id(id) as nullif(nullif(regexp_replace(lower(id), '^0x', ''), ''), '0000000000000000');

-- Nanoseconds of a time that is a number of them, or a text such as 2026-11-18T01:50:07.5Z.
create or replace temp macro nanoseconds(time) as coalesce(try_cast(time as bigint), epoch_ns(try_cast(time as timestamp)));

-- The text of a message: {"role", "parts": [{"type": "text", "content"}]}, or with one content, as it was before.
create or replace temp macro words_of(message) as coalesce(
    nullif(array_to_string(json_extract_string(message, '$.parts[*].content'), ' '), ''),
    message->>'$.content',
    message->>'$.message.content'
);

-- The text of the last message of a JSON list of them, or of one alone; of those with the role, where one is named.
create or replace temp macro last_words(messages, role) as case
    when json_valid(messages) then words_of(list_filter(
        case json_type(messages) when 'ARRAY' then json_extract(messages, '$[*]') else [messages::json] end,
        lambda message: role is null or (message->>'$.role') = role
    )[-1])
end;

-- A text that is JSON gives what is under one of the keys; any other is the text itself.
create or replace temp macro inside(words, keys) as case
    when not json_valid(words) or json_type(words) not in ('OBJECT', 'ARRAY', 'VARCHAR') then words
    when json_type(words) = 'VARCHAR' then words->>'$'
    when json_type(words) = 'OBJECT'
    then list_filter(json_extract_string(words, keys), lambda found: found is not null)[1]
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
            then list_transform(
                json_extract(value_of(keys, texts, 'gen_ai.retrieval.documents'), '$[*]'),
                lambda each: {'id': each->>'$.id', 'text': coalesce(each->>'$.content', each->>'$.text')}
            )
        end as every_document,
        case when parent_id is null or kind = 'llm' then coalesce(
            last_words(value_of(keys, texts, 'gen_ai.output.messages'), null),
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
            last_words(value_of(keys, texts, 'gen_ai.input.messages'), 'user'),
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

-- What is the matter with each trace, by the ids of its spans alone. A span that is there twice counts once.
create temp table links as
select
    min(rowid) as first_row,
    trace_id,
    span_id,
    any_value(parent_id) as parent_id,
    any_value(started) as started,
    any_value(kind) as kind,
from spans
where trace_id is not null and span_id is not null
group by trace_id, span_id;

create temp table health as
with
joined as (
    select
        child.*,
        parent.span_id is not null as has_parent,
        -- in a circle of spans, one at least does not begin after its parent
        has_parent and coalesce(parent.started >= child.started, true) as early,
    from links as child
    left join links as parent on parent.trace_id = child.trace_id and parent.span_id = child.parent_id
)
select
    trace_id,
    count(*) as spans,
    count(*) filter (parent_id is null) as roots,
    count(*) filter (parent_id is not null and not has_parent) as orphans,
    bool_or(early) as early,
    bool_or(kind is not null) as known,
from joined
group by trace_id;

create temp table circles as
with recursive reached as (
    select trace_id, span_id from links
    where parent_id is null and trace_id in (select trace_id from health where early and roots = 1 and orphans = 0)
    union all
    select links.trace_id, links.span_id
    from links join reached on links.trace_id = reached.trace_id and links.parent_id = reached.span_id
)
select trace_id from (
    select health.trace_id, health.spans, count(reached.span_id) as within
    from health left join reached using (trace_id)
    where health.early and health.roots = 1 and health.orphans = 0
    group by all
)
where within < spans;

-- Traces of one part of the ids, so that what is put together fits into memory.
with
own as (
    select spans.*,
    from spans
    join links on links.first_row = spans.rowid
    where hash(spans.trace_id) % getvariable('parts') = getvariable('part')
),
traces as (
    select
        trace_id,
        count(*) as rows,
        min(file) as first_file,
        min(started) as begun,
        max(asked) as q,
        max(qid) filter (parent_id is null) as qid,
        max(answer) as answer,
        max(said) filter (parent_id is null) as said_by_root,
        arg_max(said, {'ended': ended, 'span': span_id}) filter (said is not null) as said_last,
        max(cited) as cited,
        max(ended - started) filter (parent_id is null) / 1e6 as took,
        flatten(list(found order by started, span_id) filter (kind = 'retrieval')) as retrieved,
        arg_max(found, {'started': started, 'span': span_id}) filter (kind = 'rerank') as reranked,
        sum(nameless) as nameless,
        list({'kind': kind, 'ms': (ended - started) / 1e6} order by started, span_id) as stages,
        sum(tokens_in) as tokens_in,
        sum(tokens_out) as tokens_out,
        list_sum(list(cost order by started, span_id) filter (cost is not null)) as cost,
        flatten(list(judged order by started, span_id)) as judged,
    from own
    group by trace_id
),
ranked as (
    select
        *,
        coalesce(nullif(reranked, []), retrieved, []) as documents,
        list_transform(documents, lambda each: each.id) as every_id,
        list_filter(documents, lambda each, place: list_position(every_id, each.id) = place) as ids,
        coalesce(answer, said_by_root, said_last) as claim,
        list_filter(judged, lambda each: each.name is not null and coalesce(each.score, each.label) is not null)
            as verdicts,
    from traces
),
checked as (
    select
        ranked.*,
        case
            when roots = 0 and orphans > 0 then 'no_root'
            when roots = 0 or circles.trace_id is not null then 'cycle'
            when roots > 1 then 'many_roots'
            when orphans > 0 then 'orphans'
            when not known then 'no_model'
        end as lost,
    from ranked
    join health using (trace_id)
    left join circles using (trace_id)
)
select
    null::bigint as file,
    null::bigint as row,
    rows,
    trace_id as named,
    lost,
    list_filter(
        [
            case when claim is null then 'no_answer' end,
            case when q is null then 'no_question' end,
            case when qid is null then 'no_qid' end,
            case when ids = [] and nameless = 0 then 'no_documents' end,
            case when nameless > 0 then 'documents_without_id' end,
            case when took is null or took < 0 then 'no_latency' end,
        ],
        lambda why: why is not null
    ) as lacks,
    trace_id,
    qid,
    q,
    list_transform(ids, lambda each: each.id) as retrieved_ids,
    case when len(list_filter(ids, lambda each: each.text is not null)) > 0
    then list_transform(ids, lambda each: coalesce(each.text, '')) end as retrieved_texts,
    {'claim': claim, 'citations': cited} as answer_json,
    -- without a qid, gold is found by the question, and lines for that are of the older shape
    case when qid is null and q is not null then list_transform(ids, lambda each: {'id': each.id}) end as chunks,
    case when qid is null and q is not null
    then claim || coalesce(chr(10) || '- citations: [' || array_to_string(cited, ', ') || ']', '') end as answer,
    begun // 1000000 as ts,
    case when took >= 0 then took end as latency_ms,
    {
        'retrieval': list_sum(list_transform(list_filter(stages, lambda each: each.kind = 'retrieval'), lambda each: each.ms)),
        'rerank': list_sum(list_transform(list_filter(stages, lambda each: each.kind = 'rerank'), lambda each: each.ms)),
        'llm': list_sum(list_transform(list_filter(stages, lambda each: each.kind = 'llm'), lambda each: each.ms)),
        'guard': list_sum(list_transform(list_filter(stages, lambda each: each.kind = 'guard'), lambda each: each.ms))
    } as stage_ms,
    {'in': tokens_in::bigint, 'out': tokens_out::bigint} as tokens,
    cost as cost_usd,
    -- the last of several verdicts of one name
    case when len(verdicts) > 0 then to_json(map_from_entries(list_filter(
        list_transform(verdicts, lambda each: {
            'key': each.name,
            'value': coalesce(to_json(try_cast(each.score as double)), to_json(each.label))
        }),
        lambda each, place: not list_contains(list_transform(verdicts[place + 1:], lambda later: later.name), each.key)
    ))) end as judge,
from checked
union all by name
-- Spans that no trace can be made of.
select
    spans.file,
    1 as rows,
    case when trace_id is null or span_id is null then 'no_ids' else 'repeated' end as lost,
    trace_id as named,
from spans
where getvariable('part') = 0
    and spans.rowid not in (select first_row from links)
order by ts, named
