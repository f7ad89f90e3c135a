create or replace temp macro scale_word(words) as case lower(rtrim(regexp_extract(words, '[A-Za-z]*$'), 's'))
    when 'k' then 1000::hugeint
    when 'thousand' then 1000::hugeint
    when 'm' then 1000000::hugeint
    when 'mn' then 1000000::hugeint
    when 'million' then 1000000::hugeint
    when 'b' then 1000000000::hugeint
    when 'bn' then 1000000000::hugeint
    when 'billion' then 1000000000::hugeint
    when 'trillion' then 1000000000000::hugeint
end;
create or replace temp macro millionths(written) as
    (written::decimal(38, 6) * 1000000::decimal(7, 0))::hugeint;
