-- Traces that name no qid: the exact text of the question joins them to gold.
create or replace temp table {trace} as
select coalesce(trace.qid, gold.qid) as qid, trace.* exclude (qid)
from {trace} as trace
left join gold on trace.qid is null and trace.asked = gold.question
order by trace.rowid, gold.qid
