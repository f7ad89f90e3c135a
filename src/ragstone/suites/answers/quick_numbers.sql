-- Whether each claim of {asked} holds the number that gold expects, where both are written plainly;
-- null where only `ragstone.matching` can tell. Numbers are compared as whole millionths, so nothing
-- is rounded.
with
plain as materialized (
    select
        trace_row,
        claim,
        json_extract_string(gold_answer, '$.number') as written,
        json_extract_string(gold_answer, '$.unit') as unit,
        scale_word(unit) as gold_scale,
        starts_with(unit, 'USD') or starts_with(unit, '$') as money,
    from {asked}
    where regexp_full_match(gold_answer::varchar, {gold}) and not regexp_matches(claim, {unclear})
),
read as (
    select
        trace_row,
        millionths(written) as gold,
        -- half of gold's last decimal, trailing zeros left out, in halves of a millionth
        (10 ** (6 - length(rtrim(regexp_extract(written, '\.(.*)$', 1), '0'))))::hugeint as step,
        gold_scale,
        money,
        unnest(case when regexp_matches(claim, '[0-9]') then regexp_extract_all(claim, {token}) else [''] end) as token,
    from plain
),
numbers as (
    select
        * exclude (token),
        -- per cent of something is no money; what else it may be is not for here
        case when token <> '' and not ends_with(token, '%')
            then millionths(replace(regexp_extract(token, '[0-9][0-9,.]*'), ',', '')) end as value,
        ends_with(token, '%') and not coalesce(money, false) as unsure,
        scale_word(token) as scale,
    from read
),
-- how far the claim's number is from gold's in each way that it may be meant, doubled
apart as (
    select
        trace_row,
        unsure,
        step * coalesce(gold_scale, 1) as limit_scaled,
        step as limit_plain,
        -- with both scales applied
        case
            when scale is null and (gold_scale is null or gold = 0) then null
            else 2 * abs(value * coalesce(scale, 1) - gold * coalesce(gold_scale, 1))
        end as scaled,
        -- as the digits stand
        case when scale is null or gold_scale is null then 2 * abs(value - gold) end as plainly,
    from numbers
)
select
    trace_row,
    case
        when bool_or(scaled < limit_scaled or plainly < limit_plain) then true
        -- exactly half a step away is a question of rounding, which is not for here
        when bool_or(unsure or scaled = limit_scaled or plainly = limit_plain) then null
        else false
    end as answered,
from apart
group by trace_row
having answered is not null
