"""The fast half of strictness: SQL that flags every line the contract might refuse.

The authority on what is wrong is `contracts`, which reads one line at a time in Python. The SQL
here only has to be certain never to let a bad line through: a false alarm costs a second look.
"""

from __future__ import annotations

from ragstone.contracts.record import Field, Kind, Record
from ragstone.contracts.strict_json import MAX_DEPTH
from ragstone.engine.duck import identifier, listed, quoted

# DuckDB's JSON reader takes NaN, infinities and a trailing comma. A pattern that starts with one
# literal character is searched for at the speed of memory; one alternation of all is not.
_CONSTANT = r"-?(?i:nan|inf|infinity)\s*[,\]}]"
# Objects in a list that the contract knows are looked at one by one, up to this many: the key of
# each is one more path of a single parse. A longer list is searched like anything unknown.
_IN_LIST = 12

_LAX = (rf",\s*(?:[\]}}]|{_CONSTANT})", rf":\s*{_CONSTANT}", rf"\[\s*{_CONSTANT}")


def lines_sql(record: Record, raw: str) -> str:
    """Each line with its keys and a flag: may this not be strict JSON?"""
    paths = ["$", *(f"$.{identifier(name)}" for name in objects_of(record))]
    for field in record.fields:
        if field.kind == "spans":
            paths.append(f"$.{identifier(field.name)}")
        if field.kind == "hits":
            paths += [f"$.{identifier(field.name)}[{place}]" for place in range(_IN_LIST)]
    known = "".join(f" + (coalesce(len(keys[{n}]), 0) > 0)::int" for n in range(2, len(paths) + 1))
    lax = " or ".join(f"regexp_matches(json, {quoted(pattern)})" for pattern in _LAX)
    # Only objects the contract does not know are searched one by one: it is costly, and on very
    # deep nesting quadratic in memory, so what may be deep is left to the second look. A case stops
    # at its first match; an `or` need not.
    return f"""
        select json, keys, {lax}
            or case
                when braces + brackets > {MAX_DEPTH} then true
                when braces > 1{known} then list_bool_or(list_transform(
                    json_extract(json, '$..*'),
                    lambda node: list_unique(json_keys(node)) <> len(json_keys(node))
                ))
                else false
            end as suspect
        from (
            select
                json,
                json_keys(json, {listed(paths)}) as keys,
                strlen(json) - strlen(replace(json, '{{', '')) as braces,
                strlen(json) - strlen(replace(json, '[', '')) as brackets,
            from {raw}
        )
    """


def verify_sql(record: Record, raw: str) -> str:
    """Counts lines, suspects, and lines with a repeated key.

    Records of one kind have few sets of keys, so these are grouped first, and only the distinct
    ones are searched for repeats.
    """
    return f"""
        with shapes as (
            select any_value(keys) as keys, count(*) as lines, count(*) filter (suspect) as suspects
            from ({lines_sql(record, raw)})
            group by keys::varchar
        )
        select
            coalesce(sum(lines), 0)::bigint,
            coalesce(sum(suspects), 0)::bigint,
            coalesce(sum(lines) filter (list_bool_or(list_transform(
                keys, lambda names: list_unique(names) <> len(names)
            ))), 0)::bigint,
        from shapes
    """


def objects_of(record: Record) -> list[str]:
    """The names of the objects the contract knows, in order."""
    return list(dict.fromkeys(field.path[0] for field in record.fields if len(field.path) > 1))


def columns_sql(record: Record, extra: tuple[str, ...]) -> str:
    """The reader's columns: leaves stay JSON, so that a type can be seen before it is cast."""
    columns: dict[str, str] = {}
    for field in record.fields:
        if len(field.path) == 1:
            columns[field.name] = column_type(field.kind)
    for name in objects_of(record):
        inside = (f"{identifier(f.leaf)} {column_type(f.kind)}" for f in inside_of(record, name))
        columns[name] = f"struct({', '.join(inside)})"
    for name in extra:
        columns.setdefault(name, "json")
    return "{" + ", ".join(f"{quoted(n)}: {quoted(t)}" for n, t in columns.items()) + "}"


def inside_of(record: Record, name: str) -> list[Field]:
    """The fields of one of the record's objects."""
    return [field for field in record.fields if len(field.path) > 1 and field.path[0] == name]


def column_type(kind: Kind) -> str:
    if kind == "hits":
        leaves = "id json, score json, offsets json[], type json, section_id json, hash json"
        return f"struct({leaves})[]"
    return "json[]" if kind in ("texts", "numbers", "span") else "json"


def suspect_sql(record: Record) -> str:
    """A boolean over the reader's columns: may any field break its contract?"""
    return " or ".join(f"coalesce({_suspect(field)}, false)" for field in record.fields) or "false"


def _suspect(field: Field) -> str:
    column = ".".join(identifier(part) for part in field.path)
    flagged = _misfit(field, column)
    if field.required:
        flagged = f"{column} is null or {flagged}"
    if field.filled:
        empty = "= []" if field.kind == "texts" else "::varchar = '\"\"'"
        flagged += f" or {column} {empty}"
    if field.kind == "text" and field.choices:
        # JSON spells one text in several ways; what is not spelled plainly gets the second look.
        known = ", ".join(quoted(f'"{choice}"') for choice in field.choices)
        flagged += f" or {column}::varchar not in ({known})"
    if field.least is not None:
        flagged += f" or coalesce(try_cast({column}::varchar as double) < {field.least!r}, false)"
    if field.beside:
        flagged += f" or len({column}) <> coalesce(len({identifier(field.beside)}), 0)"
    if field.or_else:
        absent = (f"coalesce({identifier(o)}::varchar = '\"\"', true)" for o in field.or_else)
        flagged += f" or ({column} is null and {' and '.join(absent)})"
    if field.unless:
        absent = (f"coalesce({identifier(o)}::varchar = '\"\"', true)" for o in field.unless)
        flagged = f"{' and '.join(absent)} and ({flagged})"
    return flagged


def _misfit(field: Field, column: str) -> str:
    text = f"{column}::varchar"
    # A JSON string keeps its quotes, so only a number can be cast to one.
    number = f"coalesce(isfinite(try_cast({text} as double)), false)"
    match field.kind:
        case "text":
            return f"not starts_with({text}, '\"')"
        case "flag":
            return f"{text} not in ('true', 'false')"
        case "number":
            return f"{column} is not null and not {number}"
        case "integer":
            return f"{column} is not null and not regexp_full_match({text}, '-?[0-9]+')"
        case "moment":
            iso = r'"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.(\d{3}|\d{6}))?)?(Z|[+-]\d\d:\d\d)?)?"'
            good = f"regexp_full_match({text}, {quoted(iso)})"
            good += f" and try_cast({column}->>'$' as timestamp) is not null"
            told = f"case when starts_with({text}, '\"') then {good} else {number} end"
            return f"{column} is not null and not coalesce({told}, false)"
        case "texts":
            quote = "coalesce(starts_with(item::varchar, '\"'), false)"
            return f"not list_bool_and(list_transform({column}, lambda item: {quote}))"
        case "object":
            return f"not starts_with({text}, '{{')"
        case "chunks":
            return f"case when {column} is null then false else not {_chunks(column)} end"
        case "numbers":
            finite = "isfinite(try_cast(item::varchar as double))"
            return f"not list_bool_and(list_transform({column}, lambda item: {_sure(finite)}))"
        case "hits":
            fits = _hit("hit", field.choices)
            return f"not list_bool_and(list_transform({column}, lambda hit: {fits}))"
        case "span":
            return f"{column} is not null and not {_span(column)}"
        case "spans":
            span = _sure(
                "json_type(span) = 'ARRAY' and "
                "regexp_full_match(span::varchar, '\\[[0-9]{1,15},[0-9]{1,15}\\]') and "
                "(span->>0)::bigint <= (span->>1)::bigint"
            )
            each = f"list_transform(json_extract({column}, '$.*'), lambda span: {span})"
            return f"not starts_with({text}, '{{') or not list_bool_and({each})"
        case "any":
            return "false"
        case "id" | "ids":
            # What an id may be is wider than a pattern says well: the second look decides.
            return f"{column} is not null"


def _sure(condition: str) -> str:
    return f"coalesce({condition}, false)"


def _span(column: str) -> str:
    """Two whole numbers in order: only a plain one is equal to its own text."""
    begin, end = (f"try_cast({column}[{place}]::varchar as bigint)" for place in (1, 2))
    return _sure(
        f"len({column}) = 2 and {begin}::varchar = {column}[1]::varchar "
        f"and {end}::varchar = {column}[2]::varchar and 0 <= {begin} and {begin} <= {end} "
        f"and {end} < 1000000000000000"
    )


def _hit(hit: str, types: tuple[str, ...]) -> str:
    """Whether an entry of a list of hits is one."""
    known = ", ".join(quoted(f'"{name}"') for name in types)
    kind = (
        f"{hit}.type::varchar in ({known})" if types else f"starts_with({hit}.type::varchar, '\"')"
    )
    return _sure(
        f"starts_with({hit}.id::varchar, '\"') "
        f"and ({hit}.score is null or isfinite(try_cast({hit}.score::varchar as double))) "
        f"and ({hit}.offsets is null or {_span(f'{hit}.offsets')}) "
        f"and ({hit}.type is null or {kind}) "
        f"and ({hit}.section_id is null or starts_with({hit}.section_id::varchar, '\"')) "
        f"and ({hit}.hash is null or starts_with({hit}.hash::varchar, '\"'))"
    )


def _chunks(column: str) -> str:
    ids, scores = f"json_extract({column}, '$[*].id')", f"json_extract({column}, '$[*].score')"
    return f"""coalesce(
        json_type({column}) = 'ARRAY'
        and len({ids}) = json_array_length({column})
        and list_bool_and(list_transform({ids}, lambda id: starts_with(id::varchar, '"')))
            is not false
        and list_bool_and(list_transform({scores},
            lambda score: regexp_matches(score::varchar, '^(-?[0-9]|null)'))) is not false,
        false)"""
