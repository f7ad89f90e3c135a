-- What each trace of a question that was asked again has to know of the others: whether they agree, and,
-- where the question goes by this trace, what there is to say of the question.
select
    unnest(asked) as trace_row,
    {
        'inconsistent': inconsistent,
        'first': qid,
        'question': case when unnest(asked) = trace_row then {
            'question': question,
            'times_asked': times_asked,
            'differ_in_numbers': differ_in_numbers,
            'differs': differs
        } end
    } as again,
from ({questions})
