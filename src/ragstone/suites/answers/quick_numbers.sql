-- Whether each claim of {asked} holds the number that gold expects, where both are written plainly;
-- null where only `ragstone.matching` can tell. Numbers are compared as whole millionths, so nothing
-- is rounded.
with
plain as materialized (
    select
        trace_row,
        claim,
        json_extract_string(gold_answer, '$.number') as written,
        scale_word(json_extract_string(gold_answer, '$.unit')) as gold_scale,
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
        unnest(case when regexp_matches(claim, '[0-9]') then regexp_extract_all(claim, {token}) else [''] end) as token,
    from plain
),
numbers as (
    select
        * exclude (token),
        case when token = '' then null else millionths(replace(ltrim(split_part(token, ' ', 1), '$'), ',', '')) end as value,
        case when contains(token, ' ') then scale_word(token) end as scale,
    from read
),
-- how far the claim's number is from gold's in each way that it may be meant, doubled
apart as (
    select
        trace_row,
        step * coalesce(gold_scale, 1) as limit_scaled,
        step as limit_plain,
        -- with both scales applied
        case
            when value is null or (scale is null and gold_scale is null) then null
            when scale is null and gold = 0 then null
            else 2 * abs(value * coalesce(scale, 1) - gold * coalesce(gold_scale, 1))
        end as scaled,
        -- as the digits stand
        case when value is not null and (scale is null or gold_scale is null) then 2 * abs(value - gold) end as plainly,
    from numbers
)
select
    trace_row,
    case
        when bool_or(scaled < limit_scaled or plainly < limit_plain) then true
        -- exactly half a step away is a question of rounding, which is not for here
        when bool_or(scaled = limit_scaled or plainly = limit_plain) then null
        else false
    end as answered,
from apart
group by trace_row
having answered is not null
