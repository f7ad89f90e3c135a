-- Two validators' files as pairs: the items that both of them labelled.
create temp table pairs as
select
    scholar.qid,
    scholar.label as scholar,
    auditor.label as auditor,
    scholar.reason as scholar_reason,
    auditor.reason as auditor_reason,
    []::varchar[] as citations,
    []::varchar[] as retrieved,
    false as flagged,
from labels_0 as scholar
join labels_1 as auditor on auditor.qid = scholar.qid
