-- Every pair of labels that two validators gave to one item.
select '' as arm, one.qid, one.label = two.label as agree,
from given as one
join given as two on one.qid = two.qid and one.rater < two.rater
