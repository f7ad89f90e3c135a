-- A chunk as the checks read it.
id::varchar as id,
json_extract_string(section_id, '$') as section,
offsets[1]::bigint as b,
offsets[2]::bigint as e,
getvariable('type_of')[type::varchar] as type,
json_extract_string(doc, '$') as doc,
json_extract_string(hash, '$') as hash,
json_extract_string(text, '$') as text,
