-- One row per request of one configuration under one load: the checks of its answer beside its time.
select
    {arm} as arm,
    judged.* exclude (arm),
    sample.rps,
    sample.latency_ms,
    sample.retrieval_ms,
    sample.rerank_ms,
    sample.llm_ms,
    sample.guard_ms,
    sample.cost_usd,
    sample.failed,
    case
        when gold.words is null then 'unknown'
        when gold.words < 50 then 'short'
        when gold.words <= 200 then 'medium'
        else 'long'
    end as length,
from judged_{table} as judged
join {table} as sample on sample.rowid = judged.trace_row
join gold on gold.rowid = judged.gold_row
where sample.config = {config} and sample.rps = {rps}
