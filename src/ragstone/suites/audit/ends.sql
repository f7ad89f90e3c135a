-- How a trace ends: empty, refused or shipped.
(said is null or invisible(said)) and not coalesce(flag, false) as empty,
case when said is null then '' else fold(said) end as folded,
not empty and is_refusal(folded, flag) as refused,
not empty and not refused as shipped,
