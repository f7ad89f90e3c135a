-- How a trace ends: empty, refused or shipped. One thing a select: where a claim is folded beside the
-- macro that takes it, or its result is used twice, every pattern of a pack is made ready several times.
select *, not empty and not refused as shipped
from (
    select *, not empty and is_refusal(folded, flag) as refused
    from (
        select
            *,
            (said is null or invisible(said)) and not coalesce(flag, false) as empty,
            case when said is null then '' else fold(said) end as folded,
        from {claims}
    )
)
