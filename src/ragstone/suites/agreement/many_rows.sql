-- One row per item of more than two validators, who need not all have labelled it.
select
    '' as arm,
    qid,
    bool_or(label = 'ABSTAIN') as abstained,
    count(distinct label) = 1 as agree,
    row_number() over (order by qid) as place,
from given
group by qid
