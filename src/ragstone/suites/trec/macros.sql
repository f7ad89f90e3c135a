-- What the statements of a run share.

-- whether a number stands in a list twice. In a short list every place is looked up, which takes
-- less time than a hash table: where none repeats, each number is found at its own place.
create or replace temp macro repeats(numbers) as case
    when len(numbers) <= 256
    then list_sum(list_transform(numbers, lambda each: list_position(numbers, each)))
        < len(numbers) * (len(numbers) + 1) // 2
    else list_unique(numbers) < len(numbers)
end;

-- a list that must be as long as its other half
create or replace temp macro aligned(ids, half) as case
    when len(ids) is not distinct from len(half) then ids
    else error('an id with a line break')
end;
