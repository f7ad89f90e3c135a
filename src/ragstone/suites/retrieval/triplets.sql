-- One row per question and seed; a question that was never run has one without a run, so that both
-- arms of a comparison hold the same questions.
select
    rows.arm,
    rows.qid,
    rows.type,
    coalesce(found.runs, 0) as runs,
    coalesce(found.converges, false) as converges,
from rows
left join triplets_{log} as found using (gold_row)
where rows.arm = {arm}
