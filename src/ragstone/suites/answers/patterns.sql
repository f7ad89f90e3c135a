-- The rows that look alike, counted: a few dozen patterns say all that a count can say.
create temp table patterns as
select
    answerable,
    missing,
    refused,
    shipped,
    contained,
    scoped,
    cited,
    constrained,
    intact,
    recalled,
    reachable,
    gold_count,
    gold_found,
    near_refusal,
    count(*) as rows,
from rows
group by all
