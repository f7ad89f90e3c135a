-- Markers such as [1, 2] in what was said: positions in what was retrieved become citations, of the
-- sentence they stand in where sentences are given, and the markers are taken out of the text. One
-- that points nowhere stays a citation, of an id that was not retrieved.
create or replace temp macro unmarked(words) as regexp_replace(words, {removed}, '', 'g');
create or replace temp macro nowhere(marker, ids) as case
    when list_contains(ids, marker) then marker || ' (points nowhere)' else marker end;
create or replace temp macro marker_ids(words, ids) as list_transform(
    flatten(list_transform(
        regexp_extract_all(words, {pattern}, 1),
        lambda held: case when regexp_matches(held, '[0-9]')
            then regexp_extract_all(held, '[0-9]+') else [held] end
    )),
    -- a number that is no integer of the engine is beyond any list; there is nothing at place 0
    lambda mark: coalesce(
        ids[try_cast(mark as integer)::bigint + {shift}],
        nowhere('[' || coalesce(try_cast(mark as integer)::varchar, mark) || ']', ids)
    )
);
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
