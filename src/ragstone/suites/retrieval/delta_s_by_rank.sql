-- Median and 90th percentile of the ΔS at each rank, over every item of every run.
with items as ({items})
select rank::int, count(*), quantile_cont(delta_s, 0.5), quantile_cont(delta_s, 0.9)
from items
where delta_s is not null
group by rank
order by rank
