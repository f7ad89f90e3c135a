-- One row per question of qrels or of the run: what was found, and the value of each measure.
with
{lines}
{kernel}
select
    {arm} as arm,
    qid,
    judged,
    missing,
    has_nan,
    twice,
    n_lines,
    n_ret as retrieved_docs,
    n_rel as gold_docs,
{scored}    len(relevant) as correct_docs,
    {measures},
from placed
