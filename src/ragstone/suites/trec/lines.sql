-- The kernel's relations gold and ranking from lines: qrels(qid, doc, grade), run(qid, doc, score).
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
-- may an id repeat? Only then are the ids sorted, each with its scores
paired as (
    select
        qid, scores, docs,
        case when repeats(prints) then list_sort(list_zip(docs, scores)) end as pairs
    from listed
),
-- a repeated id keeps its first place: its best score
single as (
    select
        qid, scores, docs, len(docs) as n_lines,
        list_filter(pairs, lambda p, i: p[1] is distinct from pairs[i + 1][1]) as best
    from paired
),
ranking as (
    select
        qid, n_lines,
        case when best is null then docs else list_transform(best, lambda p: p[1]) end as docs,
        case when best is null then scores else list_transform(best, lambda p: p[2]) end as scores
    from single
),
