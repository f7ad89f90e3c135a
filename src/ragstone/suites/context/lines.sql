-- The kernel's relations from lines: qrels(qid, doc, grade), run(qid, doc, score).
-- Variables: level, floor (below it a grade needs no rank).

-- the judgments of a question, as aligned lists
gold as (
    select
        qid,
        list(doc) filter (grade >= getvariable('floor')) as wanted,
        list(grade) filter (grade >= getvariable('floor')) as grades,
        list_unique(list(doc)) < count(*) as twice
    from qrels
    group by qid
),
-- the ranking of a question, in the order of arrival; float32 as trec_eval compares.
-- Two aligned lists: one list of structs costs a second more for ten million lines.
listed as (
    select qid, list(score::float) as scores, list(doc) as docs
    from run
    group by qid
),
