-- What another tool's judge said of the answer, as JSON text: a score that is null is none, and an
-- object without scores is none either.
nullif(
    case
        when contains(judge::varchar, 'null') then json_merge_patch('{}', judge)::varchar
        else judge::varchar
    end,
    '{}'
) as judge,
