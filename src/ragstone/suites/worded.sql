-- Each item with a hash of the text that it asks: the one place that says which texts are the same.
select qid, hash(folded({text})) as words
from {items}
where qid is not null and not blank({text})
