-- Whether each claim of {asked} holds the name or the text that gold expects, where both are written
-- plainly; claims about which only `ragstone.matching` can tell are left out.
with
plain as (
    select
        trace_row,
        claim,
        string_split(gold_answer::varchar, '"') as parts,
        len(parts) > 3 and parts[2] = 'name' as named,
        if(len(parts) > 3, parts[4], parts[2]) as wanted,
        lower(wanted) as wanted_words,
        -- a form with a surname that is not enough says `false`
        named and not contains(gold_answer::varchar, 'false') as by_surname,
        string_split(wanted, ' ')[-1] as last,
        lower(claim) as lowered,
        -- the letters that every form of the last word has
        lower(if(named, last, last[:-4])) as needed,
    from {asked}
    where strlen(claim) = length(claim)
        and regexp_full_match(gold_answer::varchar, {gold})
        and not regexp_matches(gold_answer::varchar, {other_words})
),
decided as (
    select
        trace_row,
        named,
        case
            -- marks and blanks may stand between the letters of a word: `rear-view`
            when not contains(lowered, needed) then case
                when regexp_matches(claim, '[^A-Za-z0-9 .,;:''"()?!-]') then null
                when contains(translate(lowered, ' .,;:''"()?!-', ''), needed) then null
                else ''
            end
            when contains(lowered, wanted_words) then case
                when regexp_matches(claim, {unclear}) then null
                -- whole, between blanks or before a mark
                when contains(' ' || lowered, ' ' || wanted_words || ' ')
                    or contains(' ' || lowered || '.', ' ' || wanted_words || '.')
                    or contains(' ' || lowered, ' ' || wanted_words || ',')
                then if(named, 'name', 'text')
            end
            -- the surname alone, once, between words in small letters
            when by_surname
                and regexp_matches(replace(claim, last, '|'), {alone})
                and length(lowered) - length(replace(lowered, needed, '')) = length(last)
                and not regexp_matches(replace(claim, last, '|'), {not_alone})
                and not regexp_matches(claim, {unclear}) then 'surname'
        end as rule,
    from plain
)
select trace_row, rule <> '' as answered, nullif(rule, '') as accepted_by,
from decided
where rule is not null
