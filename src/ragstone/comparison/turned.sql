-- Every question on which the two sets of rows do not agree, and the list that it belongs to. A question
-- is right when all of its rows are; one with a row that is not judged is in neither list.
create or replace temp table turned as
with
a as (
    select qid, count(*) as rows_a, count(*) filter (is_right) as right_a,
        case when count(is_right) = count(*) then bool_and(is_right) end as is_right,
    from rows_a group by qid
),
b as (
    select qid, count(*) as rows_b, count(*) filter (is_right) as right_b,
        case when count(is_right) = count(*) then bool_and(is_right) end as is_right,
    from rows_b group by qid
),
-- the list of each question, null where it stayed as it was
listed as (
    select
        gold_pairs.qid,
        case
            when fate = 'removed' then 'only_a'
            when fate = 'added' then 'only_b'
            when fate = 'equal' and a.is_right and not b.is_right then 'broke'
            when fate = 'equal' and not a.is_right and b.is_right then 'mended'
        end as list,
        coalesce(rows_a, 0) as rows_a,
        coalesce(right_a, 0) as right_a,
        coalesce(rows_b, 0) as rows_b,
        coalesce(right_b, 0) as right_b,
    from gold_pairs
    left join a on a.qid = gold_pairs.qid
    left join b on b.qid = gold_pairs.qid
)
select
    listed.*,
    protected_questions.qid is not null as protected,
    -- by how much of the question changed; of what only one has, wrong ones first
    case
        when list = 'only_a' then right_a / rows_a
        when list = 'only_b' then right_b / rows_b
        else -abs(right_b / rows_b - right_a / rows_a)
    end as turn,
    row_number() over (
        partition by list order by protected desc, turn, listed.qid
    ) as place,
from listed
left join protected_questions on protected_questions.qid = listed.qid
where list is not null
