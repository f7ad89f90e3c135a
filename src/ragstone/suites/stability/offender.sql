-- What a person sees of a question that cost something.
gold.question,
from worst
join gold on gold.rowid = worst.gold_row
