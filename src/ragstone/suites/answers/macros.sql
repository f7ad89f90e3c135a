-- Set questions over lists. Most lists of citations hold one id, and asking for one is cheaper.
create or replace temp macro has_all(haystack, needles) as case len(needles)
    when 0 then true
    when 1 then list_contains(haystack, needles[1])
    else list_has_all(haystack, needles)
end;
create or replace temp macro has_any(haystack, needles) as case len(needles)
    when 0 then false
    when 1 then list_contains(haystack, needles[1])
    else list_has_any(haystack, needles)
end;
create or replace temp macro groups_in(ids, groups) as len(list_filter(groups, lambda each: list_has_any(ids, each)));
create or replace temp macro same_set(one, other) as list_has_all(one, other) and list_has_all(other, one);
-- Whether a phrase can match at all. Nearly all are long enough, and few have characters that count
-- as three, so those are looked for last.
create or replace temp macro long_enough(phrase) as case
    when length(phrase) >= {floor} then true
    when length(phrase) = strlen(phrase) then false
    else length(phrase) + 2 * length(regexp_replace(phrase, '[^{spaceless}]', '', 'g')) >= {floor}
end;
create or replace temp macro is_digit(character) as case
    when strlen(character) = 1 then character between '0' and '9'
    else regexp_matches(character, '[{digits}]')
end;
-- Bars around every figure, as the edges ask for them: what holds one text with bars holds the other
-- where no longer figure goes on beyond its edges. It takes one pass, however often it is found.
create or replace temp macro barred(text, before, after) as
    regexp_replace(text, '({figure})', before || '\1' || after, 'g');
create or replace temp macro holds_apart(claim, phrase, before, after) as
    contains(barred(claim, before, after), barred(phrase, before, after));
-- Whether a folded claim holds a folded phrase. Digits at its edges are looked at only where it does,
-- and quickly in ASCII, which nearly all phrases are.
create or replace temp macro holds(claim, phrase) as case
    when not contains(claim, phrase) then false
    when strlen(phrase) = length(phrase) and not (phrase >= '0' and phrase < ':')
        and phrase[-1] not between '0' and '9' then true
    when is_digit(phrase[1]) then holds_apart(
        claim, phrase, '|', case when is_digit(phrase[-1]) then '|' else '' end
    )
    when is_digit(phrase[-1]) then holds_apart(claim, phrase, '', '|')
    else true
end;
