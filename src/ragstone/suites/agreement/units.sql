-- One row per item with all of its labels, in order: what alpha is computed from.
select '' as arm, qid, count(*) as raters, string_agg(label, ' ' order by label) as labels,
from given
group by qid
