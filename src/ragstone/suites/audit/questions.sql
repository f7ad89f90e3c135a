-- One row per question that was asked more than once.
select
    {arm} as arm,
    qid,
    question,
    trace_row,
    asked,
    len(asked) as times_asked,
    differing.place is not null as differ_in_numbers,
    differ_in_refusal or differ_in_numbers as inconsistent,
    concat_ws(
        ' and ',
        case when differ_in_refusal then 'refusal' end,
        case when differ_in_numbers then 'numbers' end
    ) as differs,
from asked_{trace} as asked_again
left join differing using (place)
