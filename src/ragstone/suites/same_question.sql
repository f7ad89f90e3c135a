-- The ids of questions whose folded text others have too, each with the first of them.
with
several as (
    select words, min(qid) as first
    from worded
    group by words
    having min(qid) <> max(qid)
)
select worded.qid as again, min(several.first) as first
from worded
join several using (words)
group by worded.qid
