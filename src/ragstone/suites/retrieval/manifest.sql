-- A chunk as the checks read it.
id,
section_id as section,
offsets[1]::bigint as b,
offsets[2]::bigint as e,
getvariable('type_of')[type] as type,
hash,
text,
