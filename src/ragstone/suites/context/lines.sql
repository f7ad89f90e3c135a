-- The kernel's relations from lines: qrels(qid, doc, grade), run(qid, doc, score).
-- Variables: level, floor (below it a grade needs no rank).
-- Ids are gathered as one text and taken apart again: a list of texts takes longer to gather, and
-- holds more. A line break stands in no id; if it did, the number of ids would tell.

-- the judgments of a question, as they come
judgments as (
    select
        qid,
        list(hash(doc)) as prints,
        string_agg(doc, chr(10)) filter (grade >= getvariable('floor')) as ids,
        list(grade) filter (grade >= getvariable('floor')) as grades
    from qrels
    group by qid
),
-- the same as aligned lists; ids of equal prints may be the same one, and are looked at again
gold as (
    select
        qid, grades, repeats(prints) as twice,
        aligned(string_split(ids, chr(10)), grades) as wanted
    from judgments
),
-- the ranking of a question, in the order of arrival; float32 as trec_eval compares
lines as (
    select qid, list(score::float) as scores, string_agg(doc, chr(10)) as ids
    from run
    group by qid
),
-- the same as aligned lists
split as (
    select qid, scores, string_split(ids, chr(10)) as docs
    from lines
),
-- a number for each id, which is faster to look for than the id
listed as (
    select
        qid, scores, aligned(docs, scores) as docs,
        list_transform(docs, lambda doc: (hash(doc) >> 32)::uinteger) as prints
    from split
),
