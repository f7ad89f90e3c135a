-- The ids of questions whose folded text others have too, each with the first of them.
with
worded as (
    select qid, {text} as asked, hash(fold(asked)) as words
    from {items}
    where qid is not null
),
several as (
    select words, min(qid) as first
    from worded
    group by words
    having min(qid) <> max(qid)
)
select worded.qid as again, any_value(several.first) as first
from worded
join several using (words)
where not blank(worded.asked)
group by worded.qid
