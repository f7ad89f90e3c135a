-- The repeats of each question, under --keep all; a question without any trace has one row: missing.
select
    arm,
    qid,
    count(*) as all_rows,
    count(*) filter ({right}) as right_rows,
    bool_or({tested}) as tested,
from rows
where arm = {arm}
group by arm, qid
