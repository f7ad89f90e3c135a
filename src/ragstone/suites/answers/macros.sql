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
create or replace temp macro same_set(one, other) as list_has_all(one, other) and list_has_all(other, one);
