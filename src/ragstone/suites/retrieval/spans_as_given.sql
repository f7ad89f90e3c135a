-- offsets are bytes already
cited.b as cb,
        cited.e as ce,
        gold_span[1] as gb,
        gold_span[2] as ge,
    from placed
