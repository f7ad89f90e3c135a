-- The scale that a token or a unit ends in.
create or replace temp macro scale_word(words) as case
    when contains(lower(words), 'million') then 1000000
    when contains(lower(words), 'billion') then 1000000000
    when contains(lower(words), 'thousand') then 1000
    when contains(lower(words), 'trillion') then 1000000000000
    when ends_with(words, 'm') or ends_with(words, 'mn') then 1000000
    when ends_with(words, 'b') or ends_with(words, 'bn') then 1000000000
    when ends_with(words, 'k') then 1000
end::decimal(13, 0);
-- The digits of a token as a number, without its scale.
create or replace temp macro digits_of(token) as
    replace(regexp_extract(token, '[0-9][0-9,.]*'), ',', '')::decimal(18, 6);
-- Half of the last decimal of a number with at most four, trailing zeros left out.
create or replace temp macro half_a_step(written) as
    case if(contains(written, '.'), length(rtrim(written, '0')) - strpos(written, '.'), 0)
        when 0 then 0.5
        when 1 then 0.05
        when 2 then 0.005
        when 3 then 0.0005
        else 0.00005
    end::decimal(6, 6);
-- 2 for a value between the ends, 1 for one at an end, else 0.
create or replace temp macro nearness(value, low, high) as
    case when value < low or value > high then 0 when value > low and value < high then 2 else 1 end;
