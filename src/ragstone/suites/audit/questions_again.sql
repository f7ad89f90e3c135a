-- The questions that go by traces which are here: which traces asked them is known where all traces are.
select
    {arm} as arm,
    rows.qid,
    again.question.question as question,
    rows.trace_row,
    []::bigint[] as asked,
    again.question.times_asked as times_asked,
    again.question.differ_in_numbers as differ_in_numbers,
    again.inconsistent as inconsistent,
    again.question.differs as differs,
from again_{trace}
join rows on rows.trace_row = again_{trace}.trace_row and rows.arm = {arm}
where again.question is not null
