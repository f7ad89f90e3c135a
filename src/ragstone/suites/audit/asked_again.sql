-- Traces that ask what others ask, too: the name of each, and the first name with its question.
select rows.qid as again, min(others.first) as first
from ({others}) as others
join rows on rows.trace_row = others.trace_row
group by rows.qid
