-- Markers such as [1, 2] in what was said become citations, of the sentence they stand in where
-- sentences are given, and are taken out of the text. Numbers are positions in what was retrieved; what
-- else a marker holds is an id itself, or a list of ids and positions. A marker that points nowhere
-- stays a citation, of an id that was not retrieved.
create or replace temp macro unmarked(words) as regexp_replace(words, {removed}, '', 'g');
create or replace temp macro nowhere(marker, ids) as case
    when list_contains(ids, marker) then marker || ' (points nowhere)' else marker end;
-- a number that is no integer of the engine is beyond any list; there is nothing at place 0
create or replace temp macro at_place(mark, ids) as coalesce(
    ids[try_cast(mark as integer)::bigint + {shift}],
    nowhere('[' || coalesce(try_cast(mark as integer)::varchar, mark) || ']', ids)
);
create or replace temp macro is_place(mark) as regexp_full_match(mark, '[0-9]+');
-- an id may hold a comma: what a marker holds is divided only where a part of it is known
create or replace temp macro named_ids(held, parts, ids) as case
    when list_bool_or(list_transform(parts, lambda part: is_place(part) or list_contains(ids, part)))
    then list_transform(parts, lambda part: case when is_place(part) then at_place(part, ids) else part end)
    else [held]
end;
create or replace temp macro held_ids(held, ids) as case
    when held = '' then [nowhere('[]', ids)]
    when list_contains(ids, held) and not is_place(held) then [held]
    when regexp_full_match(held, '(?:[0-9\s,;/|&–-]|and|und|et)*[0-9][\s,;]*')
    then list_transform(regexp_extract_all(held, '[0-9]+'), lambda mark: at_place(mark, ids))
    else named_ids(held, list_filter(
        list_transform(regexp_split_to_array(held, '[,;]'), lambda part: strip(part)),
        lambda part: part <> ''
    ), ids)
end;
create or replace temp macro marker_ids(words, ids) as flatten(list_transform(
    regexp_extract_all(words, {pattern}, 1), lambda held: held_ids(strip(held), ids)
));
create or replace temp table {trace} as
select * replace (
    case
        when {claims} is null then unmarked({claim})
        else array_to_string(list_transform({claims}, lambda sentence: unmarked(sentence.text)), ' ')
    end as {claim},
    list_concat({citations}, case
        when {claims} is null then marker_ids({claim}, {retrieved})
        else flatten(list_transform({claims}, lambda sentence: marker_ids(sentence.text, {retrieved})))
    end) as {citations},
    list_transform({claims}, lambda sentence: {
        'text': unmarked(sentence.text),
        'citations': list_concat(sentence.citations, marker_ids(sentence.text, {retrieved}))
    }) as {claims},
    -- as it was written, where that differs: a person is shown this
    coalesce(written, case when regexp_matches({claim}, {pattern}) then {claim} end) as written,
)
from {trace}
order by rowid
