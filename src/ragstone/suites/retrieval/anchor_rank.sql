-- The first rank whose id stands in the anchor section, as the id itself says. Hardly any id holds
-- the anchor's name, so that is asked first: it is a hundred times cheaper than the dialects.
case when gold_anchor is not null then list_position(list_transform(
    ids,
    lambda id: case
        when contains(id, gold_anchor) then coalesce(within(section_of(id), gold_anchor), false)
        else false
    end
), true) end
