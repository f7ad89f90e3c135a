-- Whether each claim of {asked} holds the number that gold expects, where both are written plainly;
-- claims about which only `ragstone.matching` can tell are left out. Numbers are compared as decimals,
-- so nothing is rounded.
with
plain as (
    select
        trace_row,
        json_extract_string(gold_answer, '$.number') as written,
        json_extract_string(gold_answer, '$.unit') as unit,
        regexp_extract_all(claim, {token}) as tokens,
    from {asked}
    where regexp_full_match(gold_answer::varchar, {gold}) and not regexp_matches(claim, {unclear})
),
read as (
    select
        trace_row,
        written::decimal(18, 6)::decimal(19, 6) as gold,
        half_a_step(written) as half,
        scale_word(unit) as gold_scale,
        coalesce(starts_with(unit, 'USD') or starts_with(unit, '$'), false) as money,
        unnest(if(len(tokens) = 0, [''], tokens)) as token,
    from plain
),
numbers as (
    select
        trace_row,
        gold - half as low,
        gold + half as high,
        gold = 0 as nought,
        gold_scale,
        money,
        token,
        case when token <> '' and not ends_with(token, '%') then digits_of(token)::decimal(19, 6) end as value,
        scale_word(token) as scale,
    from read
),
-- how near the claim's number is to gold's in the ways that it may be meant: exactly half a step away
-- is a question of rounding, which is not for here
compared as (
    select
        trace_row,
        case
            -- per cent of something is no money; what else it may be is not for here
            when value is null then if(token = '' or money, 0, 1)
            -- as the digits stand
            when scale is not distinct from gold_scale or (scale is null and nought) then nearness(value, low, high)
            -- with both scales applied, and as the digits stand if only one has a scale
            else greatest(
                nearness(value * coalesce(scale, 1), low * coalesce(gold_scale, 1), high * coalesce(gold_scale, 1)),
                if(scale is null or gold_scale is null, nearness(value, low, high), 0)
            )
        end as near,
    from numbers
)
select trace_row, max(near) = 2 as answered, case when answered then 'number' end as accepted_by,
from compared
group by trace_row
having max(near) <> 1
