-- One row per request: the answers suite's checks beside its time, its point and its length.
create temp table timed as
with
-- a point is one configuration under one load, and is never mixed with another
points as (
    select config, rps, row_number() over (order by config, rps) - 1 as point
    from (select distinct config, rps from trace)
),
-- words are what white space divides
words as (
    select rowid as gold_row,
        len(list_filter(regexp_split_to_array(question, getvariable('spaces')), lambda w: w <> ''))
            as words
    from gold
)
select
    points.point,
    trace.config,
    trace.rps,
    trace.knobs,
    rows.* exclude (gold_row, trace_row),
    trace.latency_ms,
    trace.retrieval_ms,
    trace.rerank_ms,
    trace.llm_ms,
    trace.guard_ms,
    trace.cost_usd,
    trace.failed,
    case
        when words.words is null then 'unknown'
        when words.words < 50 then 'short'
        when words.words <= 200 then 'medium'
        else 'long'
    end as bucket,
from rows
join trace on trace.rowid = rows.trace_row
join points on points.config = trace.config and points.rps = trace.rps
join words on words.gold_row = rows.gold_row
order by points.point, rows.qid, trace.latency_ms
