-- The ranks of the judged documents of each question: one row per question of gold or ranking.
-- Relations before it: gold(qid, wanted, grades, twice: a document is judged twice),
-- ranking(qid, n_lines, docs: each once, scores).
-- Variables: level (a document is relevant from this grade on). Macros: discount, in the measures.

-- the judged documents that were retrieved, each at its index in the ranking
met as (
    select
        coalesce(gold.qid, ranking.qid) as qid,
        gold.qid is not null as judged,
        ranking.qid is null as missing,
        coalesce(n_lines, 0) as n_lines,
        coalesce(len(docs), 0) as n_ret,
        coalesce(grades, []) as grades,
        coalesce(twice, false) as twice,
        docs,
        scores,
        list_reverse_sort(scores) as sorted,
        list_filter(
            list_transform(
                coalesce(wanted, []),
                lambda d, i: {'index': list_position(docs, d), 'grade': grades[i]}
            ),
            lambda w: w.index is not null
        ) as found
    from ranking full join gold on ranking.qid = gold.qid
),
-- the first place that a document's score can have
first as (
    select
        *,
        list_transform(
            found,
            lambda f: {
                'rank': list_position(sorted, scores[f.index]), 'grade': f.grade, 'index': f.index
            }
        ) as firsts
    from met
),
-- where a judged document shares its score, the greater id comes first: sort it all
ordered as (
    select
        *,
        case when len(list_filter(firsts, lambda f: sorted[f.rank] = sorted[f.rank + 1])) > 0
            then list_transform(list_reverse_sort(list_zip(scores, docs)), lambda p: p[2])
        end as by_id
    from first
),
ranked as (
    select
        *,
        list_sort(case when by_id is null then firsts else list_transform(
            firsts,
            lambda f: {
                'rank': list_position(by_id, docs[f.index]), 'grade': f.grade, 'index': f.index
            }
        ) end) as hits
    from ordered
),
placed as (
    select
        qid, judged, missing, n_lines, n_ret, hits, twice,
        len(list_filter(grades, lambda g: g >= getvariable('level'))) as n_rel,
        -- relevant at all: which questions are averaged over does not depend on the level
        case
            when getvariable('level') > 1 then len(list_filter(grades, lambda g: g >= 1)) else n_rel
        end as n_graded,
        len(list_filter(grades, lambda g: g < getvariable('level'))) as n_nonrel,
        list_reverse_sort(list_filter(grades, lambda g: g > 0)) as gains,
        coalesce(isnan(sorted[1]), false) as has_nan,
        list_transform(
            list_filter(hits, lambda h: h.grade >= getvariable('level')), lambda h: h.rank
        ) as relevant
    from ranked
)
