-- offsets in another unit, as far as there was a text to convert them with
cited_bytes.nb as cb,
        cited_bytes.ne as ce,
        gold_bytes.nb as gb,
        gold_bytes.ne as ge,
    from placed
    left join converted as cited_bytes
        on cited_bytes.id = cited.id and cited_bytes.b = cited.b and cited_bytes.e = cited.e
    left join converted as gold_bytes
        on gold_bytes.id = cited.id
        and gold_bytes.b = gold_span[1] and gold_bytes.e = gold_span[2]
