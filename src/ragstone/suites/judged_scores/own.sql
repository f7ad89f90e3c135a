-- What another tool's judge said of the answer, as JSON text; an empty object is the same as none.
nullif(judge::varchar, '{}') as judge,
