-- Each run once: a repeated run id replaces the earlier line. Without one it is made from qid, seed
-- and jitter; with one that was made so, seed and jitter can be read back from it.
create or replace temp table {table} as
with
named as (
    select
        rowid as line,
        *,
        coalesce(
            given_id,
            qid || '#seed=' || given_seed || ';j=' || given_jitter
                || coalesce(';p=' || given_paraphrase, '')
        ) as run_id,
        coalesce(
            given_seed, nullif(regexp_extract(given_id, '#seed=(-?[0-9]+);', 1), ''), '?'
        ) as seed,
        coalesce(
            given_jitter, nullif(regexp_extract(given_id, ';j=([^;]*)', 1), ''), '?'
        ) as plain_jitter,
        -- another wording of the question is one more way to put it
        case
            when coalesce(given_paraphrase, '0') = '0' then plain_jitter
            when plain_jitter = 'none' then 'p' || given_paraphrase
            else plain_jitter || ' p' || given_paraphrase
        end as jitter,
    from {table}
)
select * exclude (line, given_id, given_seed, given_jitter, given_paraphrase, plain_jitter)
from named
qualify row_number() over (partition by run_id order by line desc) = 1
order by line
