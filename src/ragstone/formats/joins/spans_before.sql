-- What formats whose traces are made of spans have in common, for their tables `spans`.

create or replace temp macro plain_id(id) as nullif(nullif(regexp_replace(lower(id), '^0x', ''), ''), '0000000000000000');

-- Nanoseconds of a time that is a number of them, or a text such as 2026-11-18T01:50:07.5Z.
create or replace temp macro nanoseconds(time) as coalesce(try_cast(time as bigint), epoch_ns(try_cast(time as timestamp)));

-- The text of a message: {"role", "parts": [{"type": "text", "content"}]}, or with one content, as it was before.
create or replace temp macro words_of(message) as coalesce(
    nullif(array_to_string(json_extract_string(message, '$.parts[*].content'), ' '), ''),
    message->>'$.content',
    message->>'$.message.content'
);

-- The text of the last message of a JSON list of them, or of one alone; of those with the role, where one is named.
create or replace temp macro last_words(messages, role) as case
    when json_valid(messages) then words_of(list_filter(
        case json_type(messages) when 'ARRAY' then json_extract(messages, '$[*]') else [messages::json] end,
        lambda message: role is null or (message->>'$.role') = role
    )[-1])
end;

-- A text that is JSON gives what is under one of the keys; any other is the text itself.
create or replace temp macro inside(words, keys) as case
    when not json_valid(words) or json_type(words) not in ('OBJECT', 'ARRAY', 'VARCHAR') then words
    when json_type(words) = 'VARCHAR' then words->>'$'
    when json_type(words) = 'OBJECT'
    then list_filter(json_extract_string(words, keys), lambda found: found is not null)[1]
end;
