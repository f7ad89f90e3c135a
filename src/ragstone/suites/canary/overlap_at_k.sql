-- The ids that both rankings share in their first {k}; 2520 is divisible by every size up to ten.
sum(case
    when greatest(list_unique(live_ids[:{k}]), list_unique(shadow_ids[:{k}])) = 0 then 2520
    else 2520 * coalesce(shared[least({k}, depth)], 0)
        // greatest(list_unique(live_ids[:{k}]), list_unique(shadow_ids[:{k}]))
end)::double / (2520 * count(*)) as overlap_{k},
