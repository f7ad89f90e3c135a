-- From the table `spans` to traces. A span has file, trace_id, span_id, parent_id, started and ended (nanoseconds),
-- kind (retrieval, rerank, llm, guard, other, or null), found (its documents), nameless (how many had no id), said
-- (what a model wrote), asked, answer, cited and qid (of the root), tokens_in, tokens_out, cost and judged.

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
    first_file as begins,
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
