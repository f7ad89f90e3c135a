-- One row per question with the verdicts on all of its answers, in order: systems that answer the same
-- question are no independent witnesses, so kappa's interval draws questions.
select
    '' as arm,
    min(qid) as qid,
    string_agg(gate || '/' || people, ' ' order by gate, people) as verdicts,
from rows
where not missing
group by {asked}
