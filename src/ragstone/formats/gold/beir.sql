-- Queries with what was judged of them: BEIR's queries and qrels of three columns, or TREC's topics (id and text, or
-- JSON) and qrels of four. Grades stay as they are.
with
cells as (
    select
        file,
        row,
        json,
        json_type(json) = 'ARRAY' as is_list,
        case when is_list then json_extract_string(json, '$[*]') else [] end as cell,
    from raw
    where json_extract_string(json, '$[*]') <> ['query-id', 'corpus-id', 'score']
),
parts as (
    select
        file,
        row,
        case
            when not is_list or len(cell) = 2 then 'query'
            when len(cell) in (3, 4) then 'judgment'
            else 'neither'
        end as part,
        case when is_list then cell[1] else coalesce(json->>'$._id', json->>'$.id') end as qid,
        case
            when is_list then cell[2] else coalesce(json->>'$.text', json->>'$.narrative')
        end as question,
        cell[len(cell) - 1] as id,
        try_cast(cell[len(cell)] as double) as number,
        case when isfinite(number) then number end as grade,
    from cells
),
queries as (
    select *, row_number() over (partition by qid order by file, row) = 1 as is_first,
    from parts where part = 'query'
),
judgments as (
    select *, lead(row) over (partition by qid, id order by file, row) is not null as is_replaced,
    from parts where part = 'judgment'
),
judged as (
    select
        qid,
        count(*) as lines,
        map_from_entries(list({'key': id, 'value': grade} order by file, row)) as grades,
        max(grade) >= 1 as answerable,
    from judgments where grade is not null and not is_replaced group by qid
),
items as (
    select
        queries.file,
        queries.row,
        case when qid is null then 'no_id' when lines is null then 'not_judged' end as lost,
        case when not judged.answerable then ['nothing_relevant'] else [] end as lacks,
        -- a query that comes twice is refused with its lines; its judgments are counted once
        1 + case when is_first then coalesce(lines, 0) else 0 end as rows,
        qid,
        question,
        judged.answerable,
        to_json(grades) as gold_citations,
    from queries left join judged using (qid)
),
leftover as (
    select
        file,
        row,
        case
            when part = 'neither' then 'neither'
            when grade is null then 'no_grade'
            when is_replaced then 'judged_again'
            when qid not in (select qid from queries where qid is not null) then 'no_query'
        end as lost,
        1 as rows,
    from (
        select * from judgments
        union all by name
        select * from parts where part = 'neither'
    )
    where lost is not null
)
select * from items
union all by name
select * from leftover
order by file, row
