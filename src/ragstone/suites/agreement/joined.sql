-- Two validators' labels as pairs: the items that both of them labelled.
select
    scholar.qid,
    scholar.label as scholar,
    auditor.label as auditor,
    scholar.reason as scholar_reason,
    auditor.reason as auditor_reason,
    []::varchar[] as citations,
    []::varchar[] as retrieved,
    false as flagged,
from {scholar} as scholar
join {auditor} as auditor on auditor.qid = scholar.qid
