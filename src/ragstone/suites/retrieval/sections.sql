-- The section of a chunk, and how far apart two sections are in the title tree. A manifest names the
-- section; without one it is read from the id, by the user's own pattern or in one of three dialects.
-- A section's name is its path in the tree: S.4.2 is in S.4, which is in S.
create or replace temp macro section_of(s) as coalesce(
    {own}
    nullif(regexp_extract(
        s, '^([A-Za-z]+(?:\.[0-9]+)+|[0-9]+(?:\.[0-9]+)*)(?:\.p)?\.[Bb]k[0-9A-Za-z]*$', 1
    ), ''),
    nullif(regexp_extract(s, '^[^|]*\|(?:[^|]*\|)*?s=([^|]+)(?:\||$)', 1), ''),
    nullif(regexp_extract(s, '^[^#]*#(s[0-9][0-9A-Za-z.]*)#p[0-9A-Za-z]+$', 1), '')
);
create or replace temp macro within(section, anchor) as section = anchor or starts_with(section, anchor || '.');
create or replace temp macro shared_steps(a, b) as len(list_filter(
    range(1, least(len(a), len(b)) + 1), lambda n: a[:n] = b[:n]
));
create or replace temp macro tree_distance(one, other) as
    len(string_split(one, '.')) + len(string_split(other, '.'))
    - 2 * shared_steps(string_split(one, '.'), string_split(other, '.'));
